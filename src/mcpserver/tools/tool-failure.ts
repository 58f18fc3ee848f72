// What became of a call whose tool threw: what the model reads, what the caller gets, and what only the author learns.
import type { ServerRequestContext } from '../../server/context.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import { isAnswer, isForCaller, isUnaskable } from '../../types/errors/received-error.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { Host } from '../handlers/host.ts'
import { toFailure } from '../values/results.ts'
import type { CompiledTool } from './tool.ts'

/** Tools whose author has been told how to let the model read a message. */
const explained = new WeakSet<CompiledTool>()

/** Mistakes in code: no message of theirs is meant for anybody but the author. */
const BUGS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError'])

const SHOW_MESSAGE = 'The model reads only that the tool failed. To show it a message, throw new ToolError(message).'
const DO_WITHOUT = 'Catch this error to go on without an answer, or set requires on the tool.'
const ANSWERED = 'The client answered a question of this tool with this error. Catch it to go on without an answer.'
const PASS_ON =
  'The error of another server is a failure of this tool. To pass it on, throw MCPError.from(error.toErrorData()).'

/** The result for the model; throws what the caller is to get as an error. */
export function failTool(
  host: Host,
  tool: CompiledTool,
  request: ServerRequestContext,
  error: unknown,
): CallToolResult {
  if (isForCaller(error)) throw error
  if (error instanceof ToolError) return toFailure(error.message)
  // The caller is a test that wants the exception itself, as it gets those of resources and prompts.
  if (request.dispatch.transport.raisesExceptions === true) throw error
  const message = `The ${tool.owner} failed`
  // Nobody waits for a call that was cancelled, and a handler that stops then does what it should.
  if (!request.signal.aborted) {
    const { method, requestId = null } = request
    const remedy = remedyFor(host, tool, error)
    host.server.faults.report({
      kind: 'handler-failed',
      message,
      method,
      requestId,
      error,
      ...(remedy !== undefined && { remedy }),
    })
  }
  if (isUnaskable(error)) return toFailure(`${message}. ${error.message}`)
  return toFailure(
    host.exposeErrors ? `${message}: ${error instanceof Error ? error.message : String(error)}` : message,
  )
}

/** Once per tool: whoever throws again after that means it. */
function remedyFor(host: Host, tool: CompiledTool, error: unknown): string | undefined {
  if (host.exposeErrors || !(error instanceof Error) || BUGS.has(error.name) || explained.has(tool)) return undefined
  explained.add(tool)
  if (isUnaskable(error)) return DO_WITHOUT
  if (isAnswer(error)) return ANSWERED
  return error instanceof MCPError && !error.local ? PASS_ON : SHOW_MESSAGE
}
