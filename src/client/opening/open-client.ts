// Brings a client from its target to a negotiated session, and leaves nothing behind when that fails.
import type { Channel, ChildStatus } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { CleanupStack } from '../../primitives/async/cleanup.ts'
import type { ConnectPhase } from '../../types/errors/connect-error.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { ClientOptions } from '../client-options.ts'
import type { FoldedExtensions } from '../extensions/fold-extensions.ts'
import { ClientSession } from '../session/session.ts'
import type { DrivenSessionOptions } from '../session/session-options.ts'
import { statusOf } from '../transports/http-status.ts'
import { connectFailure, connectTimeout } from './connect-failure.ts'
import type { ConnectionReports } from './connection-reports.ts'
import { createOpenClient, type OpenClient } from './create-open-client.ts'
import { type ClientMode, isLegacyMode, isModernError, negotiate } from './negotiate.ts'
import type { ConnectClock } from './open-peer.ts'
import { openPeer } from './open-peer.ts'
import type { Opener } from './targets.ts'

/** What was decided when the client was made. */
export interface ClientPlan {
  readonly opener: Opener
  readonly options: ClientOptions
  readonly sessionOptions: DrivenSessionOptions
  readonly folded: FoldedExtensions
  readonly connection: ConnectionReports
}

/** Negotiates with the target that is being opened. Aborting the clock's signal, or any failure, closes what was opened. */
export async function openClient(
  mode: ClientMode,
  plan: ClientPlan,
  opening: Promise<Dispatcher | Channel>,
  clock: ConnectClock,
): Promise<OpenClient> {
  const progress: Progress = { phase: plan.opener.isCommand ? 'spawn' : 'connect', child: undefined }
  const attempt: Attempt = { ...plan, clock, progress }
  try {
    return await openInOrder(mode, attempt, opening)
  } catch (error) {
    const { target, isCommand } = plan.opener
    const failed = { target, isCommand, phase: progress.phase }
    if (clock.isOver) throw connectTimeout(clock.limitMs, failed, progress.child)
    // Whoever closed the client while it was being opened knows why there is no connection.
    throw clock.signal.aborted ? error : connectFailure(error, failed)
  }
}

/** How far the attempt has come, over all ways that it takes. */
interface Progress {
  phase: ConnectPhase
  child: ChildStatus | undefined
}

/** One way to the server. */
interface Attempt extends ClientPlan {
  readonly clock: ConnectClock
  readonly progress: Progress
}

/** The way that the target stands for; then, where that shows it to be one of those, the ways of older servers. */
async function openInOrder(
  mode: ClientMode,
  attempt: Attempt,
  opening: Promise<Dispatcher | Channel>,
): Promise<OpenClient> {
  const { opener, clock } = attempt
  try {
    return await openIn(mode, attempt, opening)
  } catch (error) {
    if (clock.signal.aborted || (mode !== 'auto' && !isLegacyMode(mode))) throw error
    // A server of the legacy era may die of the question for its era. It gets a second life, without that question.
    if (mode === 'auto' && opener.canReopen && isDeathByQuestion(error)) return openAgain('legacy', attempt)
    if (opener.older === undefined || !isHandshakeRefused(error)) throw error
    return openOlder(error, mode === 'auto' ? 'legacy' : mode, { ...attempt, opener: opener.older })
  }
}

function openAgain(mode: ClientMode, attempt: Attempt): Promise<OpenClient> {
  return openIn(mode, attempt, openPeer(mode, attempt, attempt.clock))
}

/** Spec, Streamable HTTP: a server that refuses the handshake so may still speak HTTP+SSE, the way of 2024-11-05. */
async function openOlder(refusal: Error, mode: ClientMode, attempt: Attempt): Promise<OpenClient> {
  try {
    return await openAgain(mode, attempt)
  } catch (error) {
    if (attempt.clock.signal.aborted) throw error
    const status = statusOf(refusal)
    const second = error instanceof Error ? error.message : 'it failed'
    throw new TransportError(
      `There is no MCP server here. Streamable HTTP: ${refusal.message.replace(/\.$/, '')}. HTTP+SSE: ${second}`,
      status === undefined ? { cause: refusal } : { cause: refusal, status },
    )
  }
}

const NOT_THE_ENDPOINT: ReadonlySet<number | undefined> = new Set([400, 404, 405])

/** Whether this is what a server says that has never heard of the transport, and not an answer of one that has. */
function isHandshakeRefused(error: unknown): error is Error {
  return error instanceof Error && NOT_THE_ENDPOINT.has(statusOf(error)) && !isModernError(error)
}

async function openIn(mode: ClientMode, attempt: Attempt, opening: Promise<Dispatcher | Channel>): Promise<OpenClient> {
  const { clock, options, progress } = attempt
  const { signal } = clock
  let peer: Dispatcher | Channel | undefined
  const cleanup = new CleanupStack()
  const abort = () => void cleanup.close()
  signal.addEventListener('abort', abort)
  try {
    const opened = await opening
    peer = opened
    // It may have opened, and the client been closed, before anyone was here to hear of it.
    if (signal.aborted) cleanup.defer(() => opened.close())
    signal.throwIfAborted()
    progress.phase = 'negotiate'
    const sessionOptions: DrivenSessionOptions = { ...attempt.sessionOptions, onHold: () => clock.hold() }
    const session = new ClientSession(opened, sessionOptions)
    cleanup.defer(() => session.close())
    await session.start()
    await negotiate(session, { mode, priorDiscover: options.priorDiscover, probeTimeoutMs: probeTime(attempt) })
    return await createOpenClient(session, attempt)
  } catch (error) {
    if (peer !== undefined && 'childStatus' in peer) progress.child = peer.childStatus
    const closing = cleanup.close()
    // A server that has used up its time gets no more of ours; it is ended all the same.
    if (!clock.isOver) await closing
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The rest of the time is for the handshake that may have to follow. */
function probeTime({ clock, options }: Attempt): number {
  const third = clock.limitMs / 3
  return Math.min(options.probeTimeoutMs ?? third, third)
}

/** What servers say that end on a question before the handshake. */
const ABOUT_THE_QUESTION = /initiali[sz]|discover/i
/** Of a process that was asked to go; all others mean that it crashed. */
const ASKED_TO_GO: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'])

/**
 * The connection went away without the way there being to blame. A process that exits by itself has most likely another reason
 * to, such as a missing setting, and is not started twice unless its last words are about what it was asked.
 */
function isDeathByQuestion(error: unknown): boolean {
  if (!(error instanceof MCPError) || !error.local || error.code !== ErrorCode.ConnectionClosed) return false
  const { cause } = error
  if (!(cause instanceof TransportError)) return true
  if (cause.signal !== undefined) return !ASKED_TO_GO.has(cause.signal)
  return cause.exitCode !== undefined && cause.stderr.some((line) => ABOUT_THE_QUESTION.test(line))
}
