// How a client keeps results: what a user may say about it, checked before anything is opened.

import { checkKeys, isDuration, type KnownKeys } from '../../primitives/options.ts'
import type { ResponseCacheStore } from './response-store.ts'

/** `use` serves and stores, `refresh` only stores, `bypass` does neither. */
export type CacheMode = 'use' | 'refresh' | 'bypass'

export interface CacheConfig {
  /** Without one, each client keeps its results in its own memory. */
  store?: ResponseCacheStore
  /** On whose behalf the client acts; private results never leave their partition. Required with a store. */
  partition?: string
  /** Names the server within a store. Required with a store, unless the target is a URL. */
  targetId?: string
  /** Keep results that the server calls public for all partitions together. */
  sharePublic?: boolean
  /** For results whose server says nothing about it, as in the legacy era; 0 unless given. */
  defaultTtlMs?: number
  /** Of the store in memory: 1,024 unless given, 0 for no bound. */
  maxEntries?: number
  /** Milliseconds, `Date.now` unless given. */
  clock?: () => number
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

/** Throws `TypeError` or `RangeError` for what cannot work. `url` is the target, where that is one. */
export function checkCacheConfig(config: CacheConfig, url: string | undefined): void {
  if (typeof config !== 'object' || config === null) throw new TypeError('cache must be false or an object')
  checkKeys('cache', config, CACHE_CONFIG_KEYS)
  const { store, partition, targetId, defaultTtlMs = 0, maxEntries = 0 } = config
  if (!Number.isFinite(defaultTtlMs) || !isDuration(defaultTtlMs)) {
    throw new RangeError('cache.defaultTtlMs must be a number of milliseconds, zero or more')
  }
  if (!Number.isInteger(maxEntries) || maxEntries < 0) {
    throw new RangeError('cache.maxEntries must be a whole number, zero or more; zero keeps all')
  }
  if (store === undefined) return
  // A store outlives the client and may be shared: without these two, users or servers would read each other's results.
  if (partition === undefined) throw new TypeError('cache.store needs cache.partition, which names the user or tenant')
  if (targetId === undefined && url === undefined) {
    throw new TypeError('cache.store needs cache.targetId, which names the server, unless the target is a URL')
  }
}

/**
 * The mode of one call. A call with `_meta` of its own may get an answer of its own, so it is not served from the cache.
 */
export function cacheModeOf(options: { cacheMode?: CacheMode; meta?: object }): CacheMode {
  const { cacheMode = 'use', meta } = options
  if (!MODES.includes(cacheMode)) throw new RangeError(`cacheMode must be 'use', 'refresh' or 'bypass'`)
  return cacheMode === 'use' && meta !== undefined ? 'refresh' : cacheMode
}
