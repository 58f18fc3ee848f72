// A server that has no tools, no prompts or no resources at all, which it says as a method that it does not know.
import { type Client, MCPError } from 'mcpwire'
import { ErrorCode } from 'mcpwire/types'
import type { Target } from '../../target/target.ts'
import { EXIT } from '../../terminal/exit-codes.ts'
import { Failure } from '../../terminal/failure.ts'

const SLUGS = { tools: 'unknown-tool', prompts: 'unknown-prompt', resources: 'resource-not-found' } as const

/** Throws what `asked` throws, or that the server has none of them. */
export async function expectSome<T>(
  asked: Promise<T>,
  client: Client,
  { label }: Pick<Target, 'label'>,
  kind: keyof typeof SLUGS,
): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const isUnknown = error instanceof MCPError && !error.local && error.code === ErrorCode.MethodNotFound
    if (!isUnknown || client.serverCapabilities[kind] !== undefined) throw error
    throw new Failure(`The server has no ${kind}.`, {
      slug: SLUGS[kind],
      exitCode: EXIT.refused,
      hint: `Run \`mcpwire list ${label}\` to see what it has.`,
      cause: error,
    })
  }
}
