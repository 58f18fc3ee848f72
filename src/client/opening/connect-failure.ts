// Why a connection did not open, as the one error for that: what was tried, how far it came, and what the server said last.
import type { ChildStatus } from '../../dispatcher/channel.ts'
import { quoteStderr } from '../../primitives/quote-stderr.ts'
import { ConnectError, type ConnectErrorOptions, type ConnectPhase } from '../../types/errors/connect-error.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { OAuthError, TransportError } from '../../types/errors/failures.ts'
import { statusOf } from '../transports/http-status.ts'

/** What is known about an attempt that failed. */
export interface FailedAttempt {
  /** Fit for messages. */
  readonly target: string
  /** How far it came. */
  readonly phase: ConnectPhase
  /** Whether opening it means to start a process; otherwise the way to the server can be broken after that, too. */
  readonly isCommand: boolean
}

/** Whatever was thrown while a connection was being opened. */
export function connectFailure(thrown: unknown, attempt: FailedAttempt): ConnectError {
  if (thrown instanceof ConnectError) return thrown
  const { target } = attempt
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new ConnectError(`Could not connect to ${target}: ${reason}`, {
    target,
    phase: phaseOf(thrown, attempt),
    cause: thrown,
    ...detailsOf(thrown),
  })
}

/** The time to connect is up. */
export function connectTimeout(limitMs: number, attempt: FailedAttempt, child: ChildStatus | undefined): ConnectError {
  const { target, phase } = attempt
  const what = phase === 'negotiate' ? 'it did not answer' : 'it could not be reached'
  const advice =
    child === undefined
      ? 'check that the server runs, or raise connectTimeoutMs'
      : 'it may still be installing or starting, or be no MCP server; run it by hand, or raise connectTimeoutMs'
  const { unreadable = [], ...details } = child ?? { stderr: [] }
  const wrote = unreadable.length === 0 ? '' : `. It wrote lines that are no JSON: ${unreadable.join(', ')}`
  const message = `Could not connect to ${target}: ${what} within ${limitMs} ms; ${advice}${wrote}${quoteStderr(details.stderr)}`
  return new ConnectError(message, { target, phase, ...details })
}

/** Who is calling can be asked at any step, and to open the way to a URL is to send the first message there. */
function phaseOf(thrown: unknown, { phase, isCommand }: FailedAttempt): ConnectPhase {
  const way = thrown instanceof MCPError && thrown.local ? thrown.cause : thrown
  const status = statusOf(thrown)
  if (way instanceof OAuthError || status === 401 || status === 403) return 'authorize'
  return !isCommand && way instanceof TransportError ? 'connect' : phase
}

function detailsOf(thrown: unknown): Omit<ConnectErrorOptions, 'target' | 'phase'> {
  const way = thrown instanceof MCPError ? thrown.cause : thrown
  if (!(way instanceof TransportError)) return {}
  const { status, exitCode, signal, stderr } = way
  return {
    stderr,
    ...(status !== undefined && { status }),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
}
