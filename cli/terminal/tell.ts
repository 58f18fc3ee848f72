// Says what went wrong, as plainly as it can be said.
import { inspect } from 'node:util'
import { MCPError, TransportError } from 'mcpwire'
import { Failure } from './failure.ts'
import { showText } from './terminal-text.ts'

export interface TellOptions {
  /** Where somebody's own program may have thrown it, one needs to know from where. */
  showsStack?: boolean
}

/** Writes the last words of a command and returns its exit code. */
export function tellThrown(thrown: unknown, write: (line: string) => void, options: TellOptions = {}): number {
  const isFailure = thrown instanceof Failure
  const text = isFailure ? thrown.message : describe(thrown, options)
  // Only the first line is ours: what follows may quote a server, and must not look like another message.
  write(`mcpwire: ${showText(text).replaceAll('\n', '\n  ')}`)
  const hint = isFailure ? thrown.hint : hintFor(thrown)
  if (hint !== undefined) write(showText(hint))
  return isFailure ? thrown.exitCode : 1
}

function describe(thrown: unknown, { showsStack = false }: TellOptions): string {
  if (!(thrown instanceof Error)) return `something was thrown that is no error: ${inspect(thrown)}`
  if (thrown instanceof MCPError) return `${thrown.message} (error ${thrown.code})`
  return showsStack && !(thrown instanceof TransportError) ? stackOf(thrown) : thrown.message
}

/** Without the lines of Node's own loader, which tell nobody where to look. */
function stackOf({ stack, message }: Error): string {
  if (stack === undefined) return message
  const lines = stack.split('\n').filter((line) => !/^\s+at .*\(?node:internal\//.test(line))
  return lines.join('\n')
}

function hintFor(thrown: unknown): string | undefined {
  if (!(thrown instanceof TransportError) || (thrown.status !== 401 && thrown.status !== 403)) return undefined
  return "Use --login, or --header 'Authorization: Bearer …' with a token of yours."
}
