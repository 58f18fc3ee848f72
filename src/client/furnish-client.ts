// All that an open client works with, made once its session has agreed on a revision.
import { FaultReporter } from '../dispatcher/fault.ts'
import { isModernVersion, type ProtocolVersion } from '../types/versions.ts'
import type { CacheConfig } from './cache-config.ts'
import { CachedCalls } from './cached-calls.ts'
import { DrivenCalls } from './driven-calls.ts'
import { claimsByType } from './fold-extensions.ts'
import { listen } from './listen.ts'
import type { ClientPlan } from './open-client.ts'
import { ResponseCache } from './response-cache.ts'
import { fingerprint } from './response-keys.ts'
import { InMemoryResponseCacheStore } from './response-store.ts'
import type { ClientSession } from './session.ts'

export interface OpenClient {
  readonly session: ClientSession
  readonly protocolVersion: ProtocolVersion
  readonly calls: DrivenCalls
  readonly cached: CachedCalls
  readonly cache: ResponseCache | undefined
  readonly listen: typeof listen
}

export async function furnish(session: ClientSession, plan: ClientPlan): Promise<OpenClient> {
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
