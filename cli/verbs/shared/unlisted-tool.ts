// A tool that a server does not list: it may be one for which the login has too few rights. A call asks for them.
import { type CallToolResult, type Client, MCPError, type Tool } from 'mcpwire'
import { ErrorCode } from 'mcpwire/types'

export interface UnlistedCall {
  readonly name: string
  readonly call: (args: Record<string, unknown>) => Promise<CallToolResult>
  /** The arguments by the schema of the tool; without one, each is JSON or text. */
  readonly toArguments: (tool: Tool) => Promise<Record<string, unknown>>
}

const UNKNOWN: readonly number[] = [ErrorCode.InvalidParams, ErrorCode.MethodNotFound]

/** Its result; `undefined` where the server has no such tool. */
export async function callUnlisted(
  client: Client,
  { name, call, toArguments }: UnlistedCall,
): Promise<CallToolResult | undefined> {
  const unlisted: Tool = { name, inputSchema: { type: 'object' } }
  try {
    const result = await call(await toArguments(unlisted))
    if (result.isError !== true) return result
    // With the rights of a new login it is listed, and its schema says how the arguments are meant.
    const tool = await findTool(client, name)
    if (tool !== undefined) return await call(await toArguments(tool))
    return isUnknown(result) ? undefined : result
  } catch (error) {
    if (error instanceof MCPError && !error.local && UNKNOWN.includes(error.code)) return undefined
    throw error
  }
}

async function findTool(client: Client, name: string): Promise<Tool | undefined> {
  for await (const tool of client.tools()) if (tool.name === name) return tool
  return undefined
}

/** Some servers say so in a result. */
function isUnknown({ content }: CallToolResult): boolean {
  return content.some((block) => block.type === 'text' && /unknown|not found|no such|does not exist/i.test(block.text))
}
