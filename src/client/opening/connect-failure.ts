// Turns whatever stopped a connection from opening into a `ConnectError`: the target, the phase and the last stderr lines.

import type { ChildStatus } from '../../dispatcher/channel.ts'
import { quoteStderr } from '../../primitives/command-line.ts'
import { withHelp, withHelpOf } from '../../primitives/help.ts'
import { messageOfThrown, readableThrown } from '../../primitives/thrown.ts'
import { MCPError } from '../../types/errors/errors.ts'
import {
  ConnectError,
  type ConnectErrorOptions,
  type ConnectPhase,
  OAuthError,
  TransportError,
} from '../../types/errors/failures.ts'
import { statusOf } from '../transports/http-status.ts'

/** A failed attempt to connect. */
interface FailedAttempt {
  /** The target as messages show it: masked. */
  readonly target: string
  /** The phase that was reached. */
  readonly phase: ConnectPhase
  /** Whether opening the target starts a process. For other targets the network can fail in later phases too. */
  readonly isCommand: boolean
}

/** The error for whatever was thrown while a connection was opening. */
export function toConnectError(failure: unknown, attempt: FailedAttempt): ConnectError {
  const thrown = readableThrown(failure)
  if (thrown instanceof ConnectError) return thrown
  const { target } = attempt
  const reason = messageOfThrown(thrown)
  const phase = phaseOf(thrown, attempt)
  const error = new ConnectError(`Could not connect to ${target}: ${reason}`, {
    target,
    phase,
    cause: thrown,
    ...detailsOf(thrown),
  })
  return withHelpOf(thrown, PAGES[phase], error)
}

/** For what has no page of its own. */
const PAGES = {
  spawn: 'command-not-found',
  connect: 'not-an-mcp-server',
  negotiate: 'not-an-mcp-server',
  authorize: 'unauthorized',
} as const

/** The error for a connection that was not open in time. */
export function connectTimeoutError(
  limitMs: number,
  attempt: FailedAttempt,
  child: ChildStatus | undefined,
): ConnectError {
  const { target, phase } = attempt
  const what = phase === 'negotiate' ? 'it did not answer' : 'it could not be reached'
  const advice =
    child === undefined
      ? 'Check that the server is running, or raise connectTimeoutMs'
      : 'It may still be installing or starting, or may not be an MCP server. Run it by hand, or raise connectTimeoutMs'
  const { unreadable = [], ...details } = child ?? { stderr: [] }
  const isPolluted = unreadable.length > 0
  const wrote = isPolluted ? `. It wrote lines that are not JSON to its standard output: ${unreadable.join(', ')}` : ''
  const message = `Could not connect to ${target}: ${what} within ${limitMs} ms. ${advice}${wrote}${quoteStderr(details.stderr) || '.'}`
  const page = isPolluted ? 'stdout-polluted' : 'server-silent'
  return withHelp(page, new ConnectError(message, { target, phase, ...details }))
}

/** A server can ask for authorization in any phase, and the first message to a URL is what connects to it. */
function phaseOf(thrown: unknown, { phase, isCommand }: FailedAttempt): ConnectPhase {
  const reason = thrown instanceof MCPError && thrown.local ? thrown.cause : thrown
  const status = statusOf(thrown)
  if (reason instanceof OAuthError || status === 401 || status === 403) return 'authorize'
  return !isCommand && reason instanceof TransportError ? 'connect' : phase
}

function detailsOf(thrown: unknown): Omit<ConnectErrorOptions, 'target' | 'phase'> {
  const reason = thrown instanceof MCPError ? thrown.cause : thrown
  if (!(reason instanceof TransportError)) return {}
  const { status, exitCode, signal, stderr } = reason
  return {
    stderr,
    ...(status !== undefined && { status }),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
}
