// Creates everything that an open client works with, once its session has agreed on a revision.

import type { Backend } from '../../backend/backend.ts'
import { FaultReporter } from '../../dispatcher/fault.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { orderError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import type { LoggingLevel } from '../../types/features/logging.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import { isModernVersion, type ProtocolVersion } from '../../types/protocol/versions.ts'
import type { BackendStore } from '../cache/backend-store.ts'
import type { CacheConfig } from '../cache/cache-config.ts'
import { CachedCalls } from '../cache/cached-calls.ts'
import { MAX_TTL_MS, ResponseCache } from '../cache/response-cache.ts'
import { fingerprint, InMemoryResponseCacheStore } from '../cache/response-store.ts'
import type { ClaimedCalls } from '../calls/claimed-calls.ts'
import { DrivenCalls } from '../calls/driven-calls.ts'
import type { TaskCallRules } from '../extensions/extension.ts'
import { claimsByType } from '../extensions/fold-extensions.ts'
import type { OpenExtensions } from '../extensions/open-extensions.ts'
import { internalsOf, type SessionInternals } from '../session/internals.ts'
import type { RequestOptions } from '../session/request-options.ts'
import type { ClientSession } from '../session/session.ts'
import { wantedLogLevel } from '../session/session-options.ts'
import type { ListenOptions } from '../subscriptions/listen.ts'
import { loadListen } from '../subscriptions/load-listen.ts'
import { ResourceSubscriptions } from '../subscriptions/resource-subscriptions.ts'
import type { ChangeEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { ClientPlan } from './open-client.ts'

export interface OpenClient {
  readonly session: ClientSession
  /** Aborts when the session ends. */
  readonly endSignal: AbortSignal
  readonly protocolVersion: ProtocolVersion
  readonly calls: DrivenCalls
  readonly cached: CachedCalls
  readonly cache: ResponseCache | undefined
  listen(filter: object, options: ListenOptions): Promise<Subscription>
  readonly resources: ResourceSubscriptions
  readonly logLevel: LogLevel
  /** `undefined` where none opens with the client. */
  readonly extensions: OpenExtensions | undefined
  /** Ends what calls and extensions have begun, then the session, then gives the backend of the cache back. */
  close(): Promise<void>
}

export async function createOpenClient(session: ClientSession, plan: ClientPlan): Promise<OpenClient> {
  const { options, folded, connection } = plan
  const { protocolVersion } = session
  if (protocolVersion === undefined) throw orderError('The session has negotiated no protocol revision.')
  const internals = internalsOf(session)
  const claims = claimsByType(folded)
  const claimed = await createClaimedCalls(session, claims.size > 0 || plan.taskCalls !== undefined)
  const calls = new DrivenCalls(session, {
    maxRounds: options.inputRequiredMaxRounds,
    claims,
    claimed,
    taskCalls: await createTaskCalls(session, claimed, plan.taskCalls),
  })
  const { cache, closeCache } =
    options.cache === false ? NO_CACHE : await createCache(options.cache ?? {}, protocolVersion, plan)
  if (closeCache) closeAtEnd(internals.endSignal, closeCache)
  const cached = new CachedCalls(session, calls, cache)
  const listenWithCache = createListen(internals, cache, plan)
  const resources = new ResourceSubscriptions(internals, listenWithCache)
  const logLevel = new LogLevel(session, internals, wantedLogLevel(plan.sessionOptions))
  connection.onRenewed(() => void logLevel.request())
  connection.onRenewed(() => void resources.resubscribe())
  connection.onRenewed(() => internals.routes.restoreChanges())
  connection.onNotificationsLost((reason) => internals.routes.loseChanges(reason))
  await logLevel.request()
  const extensions = await openExtensions(session, plan)
  const { endSignal } = internals
  return {
    session,
    endSignal,
    protocolVersion,
    calls,
    cached,
    cache,
    listen: listenWithCache,
    resources,
    logLevel,
    extensions,
    close: async () => {
      try {
        await calls.close()
        await extensions?.close()
      } finally {
        await session.close()
        await closeCache?.()
      }
    },
  }
}

// What only clients with extensions need is loaded here, for them alone.

async function createClaimedCalls(session: ClientSession, isNeeded: boolean): Promise<ClaimedCalls | undefined> {
  if (!isNeeded) return undefined
  const { ClaimedCalls } = await loading(import('../calls/claimed-calls.ts'))
  return new ClaimedCalls(session)
}

async function openExtensions(session: ClientSession, { openers }: ClientPlan): Promise<OpenExtensions | undefined> {
  if (openers.size === 0) return undefined
  const { OpenExtensions } = await loading(import('../extensions/open-extensions.ts'))
  return OpenExtensions.open(openers, session)
}

/** `undefined` where no extension drives tasks of revision 2025-11-25, or the server offers none. */
async function createTaskCalls(
  session: ClientSession,
  claimed: ClaimedCalls | undefined,
  rules: TaskCallRules | undefined,
) {
  if (rules === undefined || claimed === undefined || session.serverCapabilities?.tasks === undefined) return undefined
  const { offersTaskCalls, TaskCalls } = await loading(import('../calls/task-calls.ts'))
  return offersTaskCalls(session) ? new TaskCalls(session, claimed, rules) : undefined
}

/** Results that a change made stale leave the cache before the subscription delivers the change. */
function createListen(
  session: SessionInternals,
  cache: ResponseCache | undefined,
  { options: { timeoutMs }, connection }: ClientPlan,
): OpenClient['listen'] {
  const beforeEvent = cache && ((event: ChangeEvent) => cache.invalidate(event))
  const onSessionRenewed = (listener: () => void) => connection.onRenewed(listener)
  const hooks = { beforeEvent, onSessionRenewed }
  return async (filter, options) => {
    const found = loadListen()
    const listen = found instanceof Promise ? await found : found
    return listen(session, filter, { ...options, timeoutMs: options.timeoutMs ?? timeoutMs }, hooks)
  }
}

interface OpenCache {
  readonly cache: ResponseCache | undefined
  readonly closeCache: (() => Promise<void>) | undefined
}

const NO_CACHE: OpenCache = { cache: undefined, closeCache: undefined }

async function createCache(
  config: CacheConfig,
  protocolVersion: ProtocolVersion,
  { opener, options }: ClientPlan,
): Promise<OpenCache> {
  const { store, partition, defaultTtlMs, clock } = config
  const faults = new FaultReporter(options.onFault)
  const shared = store === undefined ? await openShared(options.backend, clock, faults) : undefined
  // A store that belongs to this client alone holds the results of one server, so its keys need no server.
  const isOwn = store === undefined && shared === undefined
  const server = isOwn ? '' : await fingerprint(config.targetId ?? opener.url ?? '')
  // Without a partition nobody knows whose the private results are.
  const own = shared !== undefined && partition !== undefined ? shared : undefined
  const cache = new ResponseCache({
    store: store ?? own ?? new InMemoryResponseCacheStore(config.maxEntries),
    ...(shared && { publicStore: shared }),
    origin: {
      protocolVersion,
      server,
      partition: partition ?? '',
      sharesPublic: config.sharePublic ?? shared !== undefined,
    },
    honorsServerTtl: isModernVersion(protocolVersion),
    ...(defaultTtlMs !== undefined && { defaultTtlMs }),
    ...(clock && { clock }),
    report: (fault) => faults.report(fault),
  })
  return { cache, closeCache: shared && (() => shared.close()) }
}

/** Also where the client fails to open after this. */
function closeAtEnd(endSignal: AbortSignal, close: () => Promise<void>): void {
  const closeQuietly = () => void close().catch(() => {})
  if (endSignal.aborted) closeQuietly()
  else listenForAbort(endSignal, closeQuietly)
}

/** Loaded here: most clients have a cache of their own. */
async function openShared(
  backend: Backend | undefined,
  clock: () => number = Date.now,
  faults: FaultReporter,
): Promise<BackendStore | undefined> {
  if (backend === undefined) return undefined
  const { BackendStore } = await loading(import('../cache/backend-store.ts'))
  const report = (message: string) => faults.report({ kind: 'configuration-warning', message })
  const store = new BackendStore(backend, { clock, maxTtlMs: MAX_TTL_MS, report })
  store.start()
  return store
}

/** The client opens without its log level when the server takes longer than this to set it. */
const LOG_LEVEL_TIMEOUT_MS = 5_000

/** The log level that a legacy server was asked for. In the modern era each request carries it. */
class LogLevel {
  readonly #session: ClientSession
  readonly #internals: SessionInternals
  #level: LoggingLevel | undefined

  constructor(session: ClientSession, internals: SessionInternals, level: LoggingLevel | undefined) {
    this.#session = session
    this.#internals = internals
    this.#level = level
  }

  /** Requests the level from a new session of the server. Never rejects. */
  async request(): Promise<void> {
    const { initializeResult } = this.#session
    if (this.#level === undefined || initializeResult?.capabilities.logging === undefined) return
    try {
      await this.#session.setLoggingLevel(this.#level, { timeoutMs: LOG_LEVEL_TIMEOUT_MS })
    } catch (error) {
      const { endSignal, faults } = this.#internals
      if (endSignal.aborted) return
      const message = `The server rejected the log level '${this.#level}'.`
      faults.report({ kind: 'peer-error', message, method: 'logging/setLevel', error })
    }
  }

  async set(level: LoggingLevel, options?: RequestOptions): Promise<EmptyResult> {
    const result = await this.#session.setLoggingLevel(level, options)
    this.#level = level
    return result
  }
}
