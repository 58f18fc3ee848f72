// Brings a client from its target to a negotiated session, and leaves nothing behind when that fails.
import type { Channel } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { FaultReporter } from '../dispatcher/fault.ts'
import { CleanupStack } from '../primitives/cleanup.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { TransportError } from '../types/failures.ts'
import { isModernVersion, type ProtocolVersion } from '../types/versions.ts'
import type { CacheConfig } from './cache-config.ts'
import { CachedCalls } from './cached-calls.ts'
import type { ClientOptions } from './client-options.ts'
import type { ConnectionReports } from './connection-reports.ts'
import { DrivenCalls } from './driven-calls.ts'
import { claimsByType, type FoldedExtensions } from './fold-extensions.ts'
import { statusOf } from './http-status.ts'
import { listen } from './listen.ts'
import { type ClientMode, isLegacyMode, isModernError, negotiate } from './negotiate.ts'
import { openPeer } from './open-peer.ts'
import { ResponseCache } from './response-cache.ts'
import { fingerprint } from './response-keys.ts'
import { InMemoryResponseCacheStore } from './response-store.ts'
import { ClientSession } from './session.ts'
import type { ClientSessionOptions } from './session-options.ts'
import type { Opener } from './targets.ts'

const DEFAULT_PROBE_TIMEOUT_MS = 10_000

/** All that an open client works with. */
export interface OpenClient {
  readonly session: ClientSession
  readonly protocolVersion: ProtocolVersion
  readonly calls: DrivenCalls
  readonly cached: CachedCalls
  readonly cache: ResponseCache | undefined
  readonly listen: typeof listen
}

/** What was decided when the client was made. */
export interface ClientPlan {
  readonly opener: Opener
  readonly options: ClientOptions
  readonly sessionOptions: ClientSessionOptions
  readonly folded: FoldedExtensions
  readonly connection: ConnectionReports
}

/** Negotiates with the target that is being opened. Aborting the signal, or any failure, closes what was opened. */
export async function openClient(
  mode: ClientMode,
  plan: ClientPlan,
  opening: Promise<Dispatcher | Channel>,
  signal: AbortSignal,
): Promise<OpenClient> {
  const { opener } = plan
  try {
    return await openIn(mode, plan, opening, signal)
  } catch (error) {
    if (signal.aborted || (mode !== 'auto' && !isLegacyMode(mode))) throw error
    // A server of the legacy era may die of the question for its era. It gets a second life, without that question.
    if (mode === 'auto' && opener.canReopen && isCrash(error)) return openAgain('legacy', plan, signal)
    if (opener.older === undefined || !isHandshakeRefused(error)) throw error
    const older = { ...plan, opener: opener.older }
    return openOlder(error, mode === 'auto' ? 'legacy' : mode, older, signal)
  }
}

function openAgain(mode: ClientMode, plan: ClientPlan, signal: AbortSignal): Promise<OpenClient> {
  return openIn(mode, plan, openPeer(mode, plan, signal), signal)
}

/** Spec, Streamable HTTP: a server that refuses the handshake so may still speak HTTP+SSE, the way of 2024-11-05. */
async function openOlder(refusal: Error, mode: ClientMode, plan: ClientPlan, signal: AbortSignal): Promise<OpenClient> {
  try {
    return await openAgain(mode, plan, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const status = statusOf(refusal)
    const second = error instanceof Error ? error.message : 'it failed'
    throw new TransportError(
      `There is no MCP server here. Streamable HTTP: ${refusal.message}. HTTP+SSE: ${second}`,
      status === undefined ? { cause: refusal } : { cause: refusal, status },
    )
  }
}

const NOT_THE_ENDPOINT: ReadonlySet<number | undefined> = new Set([400, 404, 405])

/** Whether this is what a server says that has never heard of the transport, and not an answer of one that has. */
function isHandshakeRefused(error: unknown): error is Error {
  return error instanceof Error && NOT_THE_ENDPOINT.has(statusOf(error)) && !isModernError(error)
}

async function openIn(
  mode: ClientMode,
  plan: ClientPlan,
  opening: Promise<Dispatcher | Channel>,
  signal: AbortSignal,
): Promise<OpenClient> {
  const { priorDiscover, probeTimeoutMs = DEFAULT_PROBE_TIMEOUT_MS } = plan.options
  const cleanup = new CleanupStack()
  const abort = () => void cleanup.close()
  signal.addEventListener('abort', abort)
  try {
    const peer = await opening
    // It may have opened, and the client been closed, before anyone was here to hear of it.
    if (signal.aborted) cleanup.defer(() => peer.close())
    signal.throwIfAborted()
    const session = new ClientSession(peer, plan.sessionOptions)
    cleanup.defer(() => session.close())
    await session.start()
    await negotiate(session, { mode, priorDiscover, probeTimeoutMs })
    return await furnish(session, plan)
  } catch (error) {
    await cleanup.close()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The connection went away without the way there being to blame. */
function isCrash(error: unknown): boolean {
  if (!(error instanceof MCPError) || !error.local || error.code !== ErrorCode.ConnectionClosed) return false
  const { cause } = error
  return !(cause instanceof TransportError) || cause.exitCode !== undefined || cause.signal !== undefined
}

async function furnish(session: ClientSession, plan: ClientPlan): Promise<OpenClient> {
  const { options, folded } = plan
  const { protocolVersion } = session
  if (protocolVersion === undefined) throw new Error('The session agreed on no protocol revision')
  const calls = new DrivenCalls(session, { maxRounds: options.inputRequiredMaxRounds, claims: claimsByType(folded) })
  const cache = options.cache === false ? undefined : await createCache(options.cache ?? {}, protocolVersion, plan)
  return { session, protocolVersion, calls, cached: new CachedCalls(session, calls, cache), cache, listen }
}

async function createCache(
  config: CacheConfig,
  protocolVersion: ProtocolVersion,
  { opener, options }: ClientPlan,
): Promise<ResponseCache> {
  const { partition = '', sharePublic = false, defaultTtlMs, clock } = config
  // A store of this client's own holds the results of one server, which then needs no name in it.
  const server = config.store === undefined ? '' : await fingerprint(config.targetId ?? opener.url ?? '')
  const faults = new FaultReporter(options.onFault)
  return new ResponseCache({
    store: config.store ?? new InMemoryResponseCacheStore(config.maxEntries),
    origin: { protocolVersion, server, partition, sharesPublic: sharePublic },
    honorsServerTtl: isModernVersion(protocolVersion),
    ...(defaultTtlMs !== undefined && { defaultTtlMs }),
    ...(clock && { clock }),
    report: (fault) => faults.report(fault),
  })
}
