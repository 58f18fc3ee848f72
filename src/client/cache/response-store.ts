// Where cached results are stored: the interface for your own stores, the store in memory, and the keys.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { encodeBase64Url } from '../../primitives/base64.ts'
import { rangeError } from '../../primitives/help.ts'
import type { CacheScope } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** Opaque text made of everything that a result depends on: method, params, revision, server and partition. */
export type CacheKey = string

/** One cached result, as a `ResponseCacheStore` keeps it. */
export interface CacheEntry {
  /** The result as JSON. A store may serialize it. */
  readonly value: JSONObject
  /** `public` results may serve every user, `private` ones only the user they were made for. */
  readonly scope: CacheScope
  /** Milliseconds by the clock of the cache. A store may drop the entry from then on. */
  readonly expiresAt: number
}

/** When a store fails or hangs, the call goes to the server and the failure is reported as a fault. */
export interface ResponseCacheStore {
  /** Returns the entry of a key, or `undefined`. The client checks `expiresAt` itself. */
  get(key: CacheKey): MaybePromise<CacheEntry | undefined>
  /** Adds or replaces an entry. May drop it at `expiresAt`. */
  set(key: CacheKey, entry: CacheEntry): MaybePromise<void>
  /** Removes one entry, because the server announced a change. */
  delete(key: CacheKey): MaybePromise<void>
  /** Removes all entries. */
  clear(): MaybePromise<void>
}

/** What a cache saw of each key before it asked the server: the revision, `undefined` where there was no entry. */
export interface Seen {
  readonly revisions: Map<CacheKey, string | undefined>
  /** When it looked, by `monotonicNow`. */
  readonly at: number
}

/** A store as the cache uses it. One that other processes change at the same time gets what the cache has seen. */
export interface MarkedStore {
  readonly isShared?: boolean
  get(key: CacheKey, seen?: Seen): MaybePromise<CacheEntry | undefined>
  set(key: CacheKey, entry: CacheEntry, seen?: Seen): MaybePromise<void>
  delete(key: CacheKey, seen?: Seen): MaybePromise<void>
}

/**
 * Keeps the most recently used entries (default: 1,024; 0 keeps all).
 *
 * @example
 * ```ts
 * import { Client, InMemoryResponseCacheStore } from 'mcpwire/client'
 * const cache = { store: new InMemoryResponseCacheStore(10_000), partition: 'user-1' }
 * const client = await Client.connect('https://example.com/mcp', { cache })
 * ```
 */
export class InMemoryResponseCacheStore implements ResponseCacheStore {
  // A map keeps insertion order, so the entry used longest ago is the first.
  readonly #entries = new Map<CacheKey, CacheEntry>()
  readonly #maxEntries: number

  constructor(maxEntries = 1_024) {
    if (!Number.isInteger(maxEntries) || maxEntries < 0) {
      throw rangeError(
        'wrong-option',
        `maxEntries is ${maxEntries}. Use a whole number, 0 or more; 0 keeps all entries.`,
      )
    }
    this.#maxEntries = maxEntries
  }

  /** The number of entries in the store. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns an entry and marks it as used, so that it is dropped last. */
  get(key: CacheKey): CacheEntry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  /** Adds or replaces an entry. Drops the one that was used longest ago if the store is full. */
  set(key: CacheKey, entry: CacheEntry): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#maxEntries === 0 || this.#entries.size <= this.#maxEntries) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      break
    }
  }

  /** Removes one entry. Does nothing if there is none. */
  delete(key: CacheKey): void {
    this.#entries.delete(key)
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear()
  }
}

export interface KeyOrigin {
  readonly protocolVersion: string
  /** The fingerprint of the server, without secrets. */
  readonly server: string
  /** The user or tenant. */
  readonly partition: string
  /** Whether public results are shared between partitions. */
  readonly sharesPublic: boolean
}

/** The part of a key by which results are invalidated: a method and the params that its result depends on. */
export function slotOf(method: string, uri = ''): string {
  return JSON.stringify([method, uri])
}

export function cacheKey(slot: string, scope: CacheScope, origin: KeyOrigin): CacheKey {
  const isShared = scope === 'public' && origin.sharesPublic
  const owner = isShared ? [] : [origin.partition]
  return JSON.stringify([slot, scope, origin.protocolVersion, origin.server, ...owner])
}

/** A digest, because a URL may hold secrets in its query, and keys end up in logs and shared stores. */
export async function fingerprint(identity: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(identity))
  return encodeBase64Url(new Uint8Array(digest))
}
