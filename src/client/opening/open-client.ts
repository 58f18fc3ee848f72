// Brings a client from its target to a negotiated session, and leaves nothing behind when that fails.

import type { Channel, ChildStatus } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { CleanupStack } from '../../primitives/async/cleanup.ts'
import { withHelp } from '../../primitives/help.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { type ConnectPhase, TransportError } from '../../types/errors/failures.ts'
import type { ClientOptions } from '../client-options.ts'
import type { ClientExtensionSet } from '../extensions/fold-extensions.ts'
import { ClientSession } from '../session/session.ts'
import type { DrivenSessionOptions } from '../session/session-options.ts'
import { statusOf } from '../transports/http-status.ts'
import { type ClientMode, isLegacyMode } from './client-mode.ts'
import { connectTimeoutError, toConnectError } from './connect-failure.ts'
import type { ConnectionReports } from './connection-reports.ts'
import { createOpenClient, type OpenClient } from './create-open-client.ts'
import { isModernError, negotiate } from './negotiate.ts'
import { type ConnectClock, openPeer } from './open-peer.ts'
import type { Opener } from './targets.ts'

/** What the constructor of the client has checked and prepared. */
export interface ClientPlan extends ClientExtensionSet {
  readonly opener: Opener
  readonly options: ClientOptions
  readonly sessionOptions: DrivenSessionOptions
  readonly connection: ConnectionReports
}

/** Negotiates with the target that is opening. When the clock's signal aborts, or anything fails, everything opened is closed. */
export async function openClient(
  mode: ClientMode,
  plan: ClientPlan,
  opening: Promise<Dispatcher | Channel>,
  clock: ConnectClock,
): Promise<OpenClient> {
  const progress: Progress = { phase: plan.opener.isCommand ? 'spawn' : 'connect', child: undefined }
  const attempt: Attempt = { ...plan, clock, progress }
  try {
    return await openWithFallbacks(mode, attempt, opening)
  } catch (error) {
    const { target, isCommand } = plan.opener
    const failed = { target, isCommand, phase: progress.phase }
    if (clock.isOver) throw connectTimeoutError(clock.limitMs, failed, progress.child)
    // A caller that closed the client while it was opening knows why there is no connection.
    throw clock.signal.aborted ? error : toConnectError(error, failed)
  }
}

/** How far opening has come, over all attempts. */
interface Progress {
  phase: ConnectPhase
  child: ChildStatus | undefined
}

/** One attempt to open the target. */
interface Attempt extends ClientPlan {
  readonly clock: ConnectClock
  readonly progress: Progress
}

/** The first attempt, and where its failure points to an older server, the attempt that fits it. */
async function openWithFallbacks(
  mode: ClientMode,
  attempt: Attempt,
  opening: Promise<Dispatcher | Channel>,
): Promise<OpenClient> {
  const { opener, clock } = attempt
  try {
    return await openInMode(mode, attempt, opening)
  } catch (error) {
    if (clock.signal.aborted || (mode !== 'auto' && !isLegacyMode(mode))) throw error
    // Some legacy servers exit on the probe. They are started once more, and not probed.
    if (mode === 'auto' && opener.canReopen && isExitOnProbe(error)) return reopen('legacy', attempt)
    if (opener.fallback === undefined || !isEndpointUnknown(error)) throw error
    return openFallback(error, mode === 'auto' ? 'legacy' : mode, { ...attempt, opener: opener.fallback })
  }
}

function reopen(mode: ClientMode, attempt: Attempt): Promise<OpenClient> {
  return openInMode(mode, attempt, openPeer(mode, attempt, attempt.clock))
}

/** Spec, Streamable HTTP: a server that rejects the handshake with such a status may still speak HTTP+SSE, as of 2024-11-05. */
async function openFallback(first: Error, mode: ClientMode, attempt: Attempt): Promise<OpenClient> {
  try {
    return await reopen(mode, attempt)
  } catch (error) {
    if (attempt.clock.signal.aborted) throw error
    const status = statusOf(first)
    const second = error instanceof Error ? error.message : String(error)
    throw withHelp(
      'not-an-mcp-server',
      new TransportError(
        `There is no MCP server at this URL. Streamable HTTP: ${first.message.replace(/\.$/, '')}. HTTP+SSE: ${second}`,
        status === undefined ? { cause: first } : { cause: first, status },
      ),
    )
  }
}

const UNKNOWN_ENDPOINT_STATUS: ReadonlySet<number | undefined> = new Set([400, 404, 405])

/** Whether a server answers like this that does not know Streamable HTTP. */
function isEndpointUnknown(error: unknown): error is Error {
  return error instanceof Error && UNKNOWN_ENDPOINT_STATUS.has(statusOf(error)) && !isModernError(error)
}

async function openInMode(
  mode: ClientMode,
  attempt: Attempt,
  opening: Promise<Dispatcher | Channel>,
): Promise<OpenClient> {
  const { clock, options, progress } = attempt
  const { signal } = clock
  let peer: Dispatcher | Channel | undefined
  const cleanup = new CleanupStack()
  const abort = () => void cleanup.close()
  listenForAbort(signal, abort)
  try {
    const opened = await opening
    peer = opened
    // The client may have been closed after the target opened and before this code ran.
    if (signal.aborted) cleanup.defer(() => opened.close())
    signal.throwIfAborted()
    progress.phase = 'negotiate'
    const sessionOptions: DrivenSessionOptions = { ...attempt.sessionOptions, onHold: clock.onHold }
    const session = new ClientSession(opened, sessionOptions)
    cleanup.defer(() => session.close())
    await session.start()
    await negotiate(session, { mode, priorDiscover: options.priorDiscover, probeTimeoutMs: probeTimeoutMs(attempt) })
    const client = await createOpenClient(session, attempt)
    // The time may have ended while the client was made, and the session with it.
    if (signal.aborted) cleanup.defer(() => client.extensions?.close())
    signal.throwIfAborted()
    return client
  } catch (error) {
    if (peer !== undefined && 'childStatus' in peer) progress.child = peer.childStatus
    const closing = cleanup.close()
    // When the time for connecting is over, the caller does not wait for the target to close.
    if (!clock.isOver) await closing
    throw signal.aborted ? signal.reason : error
  } finally {
    forgetAbort(signal, abort)
  }
}

/** A third of the time at most: the rest is for the handshake that may have to follow. */
function probeTimeoutMs({ clock, options }: Attempt): number {
  const third = clock.limitMs / 3
  return Math.min(options.probeTimeoutMs ?? third, third)
}

/** What servers write to stderr that exit on a request before the handshake. */
const MENTIONS_PROBE = /initiali[sz]|discover/i
/** Signals that ask a process to exit. Any other signal means that it crashed. */
const TERMINATION_SIGNALS: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'])

/**
 * Whether the server closed the connection because of the probe. A process that exits by itself most likely has another reason,
 * such as a missing setting, and is not started twice unless its stderr mentions the probe.
 */
function isExitOnProbe(error: unknown): boolean {
  if (!(error instanceof MCPError) || !error.local || error.code !== ErrorCode.ConnectionClosed) return false
  const { cause } = error
  if (!(cause instanceof TransportError)) return true
  if (cause.signal !== undefined) return !TERMINATION_SIGNALS.has(cause.signal)
  return cause.exitCode !== undefined && cause.stderr.some((line) => MENTIONS_PROBE.test(line))
}
