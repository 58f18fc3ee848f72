// Says what went wrong, as plainly as it can be said.
import { MCPError } from 'mcpwire'
import { Failure } from './failure.ts'
import { showText } from './terminal-text.ts'

/** Writes the last words of a command and returns its exit code. */
export function tellThrown(thrown: unknown, write: (line: string) => void): number {
  if (thrown instanceof Failure) {
    write(`mcpwire: ${showText(thrown.message)}`)
    if (thrown.hint !== undefined) write(showText(thrown.hint))
    return thrown.exitCode
  }
  write(`mcpwire: ${showText(describe(thrown))}`)
  return 1
}

function describe(thrown: unknown): string {
  if (thrown instanceof MCPError) return `${thrown.message} (error ${thrown.code})`
  if (!(thrown instanceof Error)) return `something was thrown that is no error: ${String(thrown)}`
  // Our own failures say all there is to say; of any other one needs to know where it came from.
  return isExplained(thrown) ? thrown.message : (thrown.stack ?? String(thrown))
}

const EXPLAINED = [
  'TransportError',
  'LimitError',
  'InvalidResultError',
  'InputRequiredRoundsExceededError',
  'OAuthError',
  'RangeError',
]

function isExplained(error: Error): boolean {
  return EXPLAINED.includes(error.name)
}
