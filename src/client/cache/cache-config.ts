// The options of the response cache, checked at construction.
import { rangeError, typeError } from '../../primitives/help.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { ResponseCacheStore } from './response-store.ts'

/** `use` reads and writes the cache, `refresh` only writes it, `bypass` does neither. */
export type CacheMode = 'use' | 'refresh' | 'bypass'

/** How a client caches results that the server marks as cacheable. Pass it as `cache` of `new Client()`. */
export interface CacheConfig {
  /** Where results are stored (default: in the memory of this client). */
  store?: ResponseCacheStore | undefined
  /**
   * The user or tenant that the client acts for. Private results never leave their partition. Required with a store. With a
   * `backend` and without a partition, private results stay in the memory of this client.
   */
  partition?: string | undefined
  /** The name of the server in the store or the backend. Required with either, unless the target is a URL. */
  targetId?: string | undefined
  /** Share public results between all partitions (default: `true` with a `backend`, else `false`). */
  sharePublic?: boolean | undefined
  /** How long results without a time to live are kept, such as those of legacy servers (default: 0 ms). */
  defaultTtlMs?: number | undefined
  /** Maximum number of entries in memory (default: 1,024; 0 for no limit). */
  maxEntries?: number | undefined
  /** Returns milliseconds (default: `Date.now`). */
  clock?: (() => number) | undefined
}

export const CACHE_CONFIG_KEYS: KnownKeys<CacheConfig> = {
  store: true,
  partition: true,
  targetId: true,
  sharePublic: true,
  defaultTtlMs: true,
  maxEntries: true,
  clock: true,
}

const MODES: readonly unknown[] = ['use', 'refresh', 'bypass'] satisfies CacheMode[]

/** What the target and the other options of the client say about the cache. */
export interface CacheUse {
  /** The target, if that is a URL. */
  readonly url: string | undefined
  /** Whether the target is a transport over HTTP, which has a URL that the client does not know. */
  readonly isHttpTransport?: boolean | undefined
  readonly hasBackend: boolean
}

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkCacheConfig(config: CacheConfig, { url, isHttpTransport = false, hasBackend }: CacheUse): void {
  if (typeof config !== 'object' || config === null)
    throw typeError('wrong-option', `cache is ${String(config)}. Use false or an object.`)
  checkKeys('cache', config, CACHE_CONFIG_KEYS)
  const { store, partition, targetId, sharePublic, defaultTtlMs = 0, maxEntries = 0 } = config
  if (!Number.isFinite(defaultTtlMs) || defaultTtlMs < 0) {
    throw rangeError('wrong-option', `cache.defaultTtlMs is ${defaultTtlMs}. Use a number of milliseconds, 0 or more.`)
  }
  assertCount('cache.maxEntries', maxEntries, 0)
  if (store === undefined && !hasBackend) return
  const name = store === undefined ? 'backend' : 'cache.store'
  // A store may be shared: without these two, users or servers would read each other's results.
  if (partition === undefined && (store !== undefined || sharePublic === false)) {
    const because = store === undefined ? ' because cache.sharePublic is false' : ''
    throw typeError(
      'wrong-option',
      `${name} needs cache.partition${because}. Set it to the user or tenant that the client acts for.`,
    )
  }
  if (targetId === undefined && url === undefined) {
    throw typeError(
      'wrong-option',
      isHttpTransport
        ? `${name} needs cache.targetId because the target is a transport, not a URL. Pass the URL itself, with the options headers and auth, or set cache.targetId to a name of the server.`
        : `${name} needs cache.targetId because the target is not a URL. Set it to a name of the server.`,
    )
  }
}

/** The mode of one call. A call with `_meta` may get another result than one without, so it does not read the cache. */
export function cacheModeOf(options: { cacheMode?: CacheMode | undefined; meta?: object | undefined }): CacheMode {
  const { cacheMode = 'use', meta } = options
  if (!MODES.includes(cacheMode))
    throw rangeError('wrong-option', `cacheMode is ${JSON.stringify(cacheMode)}. Use 'use', 'refresh' or 'bypass'.`)
  return cacheMode === 'use' && meta !== undefined ? 'refresh' : cacheMode
}
