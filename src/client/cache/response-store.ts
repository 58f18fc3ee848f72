// Where cached results live: the interface for stores of one's own, and the one in memory.
import type { CacheScope } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** Opaque text: made of everything that a result depends on, and safe to use as a key anywhere. */
export type CacheKey = string

export interface CacheEntry {
  readonly value: JSONObject
  readonly scope: CacheScope
  /** By the clock of the cache, in milliseconds. A store may drop the entry from then on. */
  readonly expiresAt: number
}

type MaybePromise<T> = T | Promise<T>

/** A store that fails or hangs costs a miss and a fault report, never a call. */
export interface ResponseCacheStore {
  get(key: CacheKey): MaybePromise<CacheEntry | undefined>
  set(key: CacheKey, entry: CacheEntry): MaybePromise<void>
  delete(key: CacheKey): MaybePromise<void>
  clear(): MaybePromise<void>
}

/** Keeps the most recently used entries, by default 1,024; with 0 it keeps all. */
export class InMemoryResponseCacheStore implements ResponseCacheStore {
  // A map remembers insertion order, so the entry used longest ago is the first one.
  readonly #entries = new Map<CacheKey, CacheEntry>()
  readonly #maxEntries: number

  constructor(maxEntries = 1_024) {
    if (!Number.isInteger(maxEntries) || maxEntries < 0) {
      throw new RangeError('maxEntries must be a whole number, zero or more; zero keeps all')
    }
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: CacheKey): CacheEntry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  set(key: CacheKey, entry: CacheEntry): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#maxEntries === 0 || this.#entries.size <= this.#maxEntries) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      break
    }
  }

  delete(key: CacheKey): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
