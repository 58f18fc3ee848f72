// Failures that the user can act on, and how any failure of a command is printed.
import { inspect } from 'node:util'
import { MCPError, TransportError } from 'mcpwire'
import { showText } from './terminal-text.ts'

export interface FailureOptions {
  /** What to do about it, in one sentence. */
  hint?: string
  /** Default 1; 2 for a command with wrong arguments. */
  exitCode?: number
  cause?: unknown
}

/** Shown as a sentence, without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.hint = options.hint
    this.exitCode = options.exitCode ?? 1
  }
}

/** The command has wrong arguments. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(message, { exitCode: 2, ...(hint !== undefined && { hint }) })
}

export interface PrintFailureOptions {
  /** For errors that may come from the user's own program. */
  showsStack?: boolean
}

/** Prints why a command failed and returns its exit code. */
export function printFailure(
  thrown: unknown,
  write: (line: string) => void,
  options: PrintFailureOptions = {},
): number {
  const isFailure = thrown instanceof Failure
  const text = isFailure ? thrown.message : describeThrown(thrown, options)
  // Only the first line is ours: what follows may quote a server, and must not look like another message.
  write(`mcpwire: ${showText(text).replaceAll('\n', '\n  ')}`)
  const hint = isFailure ? thrown.hint : hintFor(thrown)
  if (hint !== undefined) write(showText(hint))
  return isFailure ? thrown.exitCode : 1
}

function describeThrown(thrown: unknown, { showsStack = false }: PrintFailureOptions): string {
  if (!(thrown instanceof Error)) return `The program threw a value that is not an Error: ${inspect(thrown)}`
  if (thrown instanceof MCPError) return `${thrown.message} (error ${thrown.code})`
  return showsStack && !(thrown instanceof TransportError) ? stackOf(thrown) : thrown.message
}

/** Without the lines of Node's own loader, which do not help to find the cause. */
function stackOf({ stack, message }: Error): string {
  if (stack === undefined) return message
  const lines = stack.split('\n').filter((line) => !/^\s+at .*\(?node:internal\//.test(line))
  return lines.join('\n')
}

function hintFor(thrown: unknown): string | undefined {
  if (!(thrown instanceof TransportError) || (thrown.status !== 401 && thrown.status !== 403)) return undefined
  return "Use --login, or --header 'Authorization: Bearer <token>'."
}
