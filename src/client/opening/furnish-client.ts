// All that an open client works with, made once its session has agreed on a revision.
import { FaultReporter } from '../../dispatcher/fault.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import { isModernVersion, type ProtocolVersion } from '../../types/protocol/versions.ts'
import type { CacheConfig } from '../cache/cache-config.ts'
import { CachedCalls } from '../cache/cached-calls.ts'
import { ResponseCache } from '../cache/response-cache.ts'
import { fingerprint } from '../cache/response-keys.ts'
import { InMemoryResponseCacheStore } from '../cache/response-store.ts'
import { claimsByType } from '../extensions/fold-extensions.ts'
import { DrivenCalls } from '../session/driven-calls.ts'
import { LogLevel } from '../session/log-level.ts'
import type { ClientSession } from '../session/session.ts'
import { wantedLogLevel } from '../session/session-options.ts'
import { type ListenOptions, listen } from '../subscriptions/listen.ts'
import { ResourceSubscriptions } from '../subscriptions/resource-subscriptions.ts'
import type { ServerEvent } from '../subscriptions/server-events.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { ClientPlan } from './open-client.ts'

export interface OpenClient {
  readonly session: ClientSession
  readonly protocolVersion: ProtocolVersion
  readonly calls: DrivenCalls
  readonly cached: CachedCalls
  readonly cache: ResponseCache | undefined
  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<Subscription>
  readonly resources: ResourceSubscriptions
  readonly logLevel: LogLevel
}

export async function furnish(session: ClientSession, plan: ClientPlan): Promise<OpenClient> {
  const { options, folded } = plan
  const { protocolVersion } = session
  if (protocolVersion === undefined) throw new Error('The session agreed on no protocol revision')
  const calls = new DrivenCalls(session, { maxRounds: options.inputRequiredMaxRounds, claims: claimsByType(folded) })
  const cache = options.cache === false ? undefined : await createCache(options.cache ?? {}, protocolVersion, plan)
  const cached = new CachedCalls(session, calls, cache)
  const open = createListen(session, cache, plan)
  const resources = new ResourceSubscriptions(session, open)
  const logLevel = new LogLevel(session, wantedLogLevel(plan.sessionOptions))
  plan.connection.onRenewed(() => void logLevel.ask())
  plan.connection.onRenewed(() => void resources.again())
  await logLevel.ask()
  return { session, protocolVersion, calls, cached, cache, listen: open, resources, logLevel }
}

/** What the cache holds of something that changed is gone before the change can be read. */
function createListen(
  session: ClientSession,
  cache: ResponseCache | undefined,
  { options: { timeoutMs }, connection }: ClientPlan,
): OpenClient['listen'] {
  const limits = timeoutMs === undefined ? {} : { timeoutMs }
  const beforeEvent = cache && ((event: ServerEvent) => cache.invalidate(event))
  const onRenewed = (again: () => void) => connection.onRenewed(again)
  return (filter, options) => listen(session, filter, { ...limits, ...options }, beforeEvent, onRenewed)
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
