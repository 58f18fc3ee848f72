// Caches results for as long and for as many callers as the server allows, until a change makes them stale.
import type { Fault } from '../../dispatcher/fault.ts'
import { unlessAborted } from '../../primitives/async/abort.ts'
import { monotonicNow, settlesWithin } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { CacheableResult, CacheScope } from '../../types/protocol/base.ts'
import { CHANGE_NOTIFICATIONS } from '../../wire/method-rows.ts'
import type { ChangeEvent } from '../subscriptions/server-events.ts'
import type { CacheMode } from './cache-config.ts'
import { type CacheEntry, cacheKey, type KeyOrigin, type MarkedStore, type Seen, slotOf } from './response-store.ts'
import { SharedRequests } from './shared-requests.ts'

const MAX_GENERATIONS = 4_096

/**
 * A number per slot that changes with each invalidation. When a slot is forgotten, the number of all forgotten slots changes,
 * which costs some cached results but never serves a stale one.
 */
class Generations {
  readonly #bySlot = new Map<string, number>()
  #last = 0
  /** The generation of every slot that is not in the map. */
  #forgotten = 0

  of(slot: string): number {
    return this.#bySlot.get(slot) ?? this.#forgotten
  }

  advance(slot: string): void {
    this.#last += 1
    this.#bySlot.delete(slot)
    this.#bySlot.set(slot, this.#last)
    if (this.#bySlot.size > MAX_GENERATIONS) this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const [slot, generation] of this.#bySlot) {
      this.#bySlot.delete(slot)
      this.#forgotten = generation
      break
    }
  }
}

/** The longest time to live, whatever the server says, so that a mistake ends after a day. */
export const MAX_TTL_MS = 86_400_000

const STORE_TIMEOUT_MS = 5_000
const SCOPES = ['private', 'public'] as const satisfies CacheScope[]

export interface ResponseCacheOptions {
  store: MarkedStore
  /** For public results (default: `store`). */
  publicStore?: MarkedStore
  origin: KeyOrigin
  /** Whether results of the negotiated revision carry `ttlMs`. */
  honorsServerTtl: boolean
  defaultTtlMs?: number
  clock?: () => number
  report?: (fault: Fault) => void
}

export interface CachedCall<R> {
  /** From `slotOf`. */
  slot: string
  mode: CacheMode
  signal?: AbortSignal | undefined
  /** How long the call waits for the store. */
  waitMs?: number | undefined
  /** Whether one request can serve this call together with identical ones. */
  isShareable: boolean
  fetch(signal: AbortSignal | undefined): Promise<Fetched<R>>
  /** Called with a result from the store. */
  onHit?(result: R): void
}

export interface Fetched<R> {
  result: R
  /** False for a result that took more than one plain request: it belongs to its caller alone. */
  isCacheable: boolean
}

type StoreOperation = 'get' | 'set' | 'delete'

/** The response cache of one connection. */
export class ResponseCache {
  readonly #options: ResponseCacheOptions
  readonly #defaultTtlMs: number
  readonly #clock: () => number
  readonly #isShared: boolean
  readonly #generations = new Generations()
  readonly #shared = new SharedRequests<CacheableResult>()
  /** Changes of the store in progress, by slot. */
  readonly #changes = new Map<string, Promise<unknown>>()
  /** What failed last, by store and operation; a shared store fails as a whole. */
  readonly #failing = new Set<string>()

  constructor(options: ResponseCacheOptions) {
    this.#options = options
    this.#defaultTtlMs = options.defaultTtlMs ?? 0
    this.#clock = options.clock ?? Date.now
    this.#isShared = options.store.isShared === true || options.publicStore?.isShared === true
  }

  /** The result from the store, from an identical call in progress, or from `fetch`, in this order. */
  async serve<R extends CacheableResult>(call: CachedCall<R>): Promise<R> {
    const { slot, mode, signal } = call
    if (mode === 'bypass' || !this.#canStore) return (await call.fetch(signal)).result
    // What another process changes from now on must not be overwritten by an older result.
    const seen: Seen | undefined = this.#isShared ? { revisions: new Map(), at: monotonicNow() } : undefined
    if (mode === 'refresh') {
      if (seen !== undefined) await withinLimits(this.#read(slot, seen), call)
      return this.#fetchAndStore(call, signal, seen)
    }
    const hit = (await withinLimits(this.#read(slot, seen), call)) as R | undefined
    if (hit !== undefined) {
      call.onHit?.(hit)
      return hit
    }
    if (!call.isShareable) return this.#fetchAndStore(call, signal, seen)
    // A request from before a change must not answer a call from after it.
    const key = `${this.#generations.of(slot)} ${slot}`
    return (await this.#shared.join(key, signal, (shared) => this.#fetchAndStore(call, shared, seen))) as R
  }

  /** Removes what a change made stale: new calls do not get it from now on, and the store is clear when this resolves. */
  async invalidate(event: ChangeEvent): Promise<void> {
    await Promise.all(slotsOf(event).map((slot) => this.evict(slot)))
  }

  /** Removes one slot. Never rejects. */
  async evict(slot: string): Promise<void> {
    this.#generations.advance(slot)
    await this.#change(slot, () => this.#removeAll(slot))
  }

  /** The slot is not read until the change is complete. */
  async #change(slot: string, work: () => Promise<void>): Promise<void> {
    const change = Promise.all([this.#changes.get(slot), work()])
    this.#changes.set(slot, change)
    await change
    if (this.#changes.get(slot) === change) this.#changes.delete(slot)
  }

  /** Without a word from the server and without a default, no result is ever good for a second use. */
  get #canStore(): boolean {
    return this.#options.honorsServerTtl || this.#defaultTtlMs > 0
  }

  async #fetchAndStore<R extends CacheableResult>(
    call: CachedCall<R>,
    signal: AbortSignal | undefined,
    seen: Seen | undefined,
  ): Promise<R> {
    const { slot, mode, fetch, waitMs } = call
    const generation = this.#generations.of(slot)
    const { result, isCacheable } = await fetch(signal)
    const ttlMs = isCacheable ? this.#ttlOf(result) : 0
    if (ttlMs > 0) {
      await withinLimits(
        this.#change(slot, () => this.#store({ slot, generation, seen }, result, ttlMs)),
        { signal, waitMs },
      )
    } else if (mode === 'refresh') {
      // What a refresh meant to replace is outdated, whether or not the new result can be kept.
      await withinLimits(
        this.#change(slot, () => this.#removeAll(slot)),
        { signal, waitMs },
      )
    }
    return result
  }

  #ttlOf({ ttlMs }: CacheableResult): number {
    const given = this.#options.honorsServerTtl && ttlMs !== undefined ? ttlMs : this.#defaultTtlMs
    return given > 0 ? Math.min(given, MAX_TTL_MS) : 0
  }

  async #read(slot: string, seen: Seen | undefined): Promise<CacheableResult | undefined> {
    if (this.#changes.has(slot)) await this.#changes.get(slot)
    const generation = this.#generations.of(slot)
    // A trip to another process takes longer than reading twice.
    const both = seen && SCOPES.map((scope) => this.#get(slot, scope, seen))
    for (const [index, scope] of SCOPES.entries()) {
      const found = await (both?.[index] ?? this.#get(slot, scope, seen))
      const entry = found?.value
      if (!this.#isServable(entry, scope)) continue
      const copy = await this.#attempt('get', scope, () => structuredClone(entry.value))
      return this.#generations.of(slot) === generation ? copy?.value : undefined
    }
    return undefined
  }

  #get(slot: string, scope: CacheScope, seen: Seen | undefined) {
    return this.#attempt('get', scope, () => this.#storeOf(scope).get(this.#key(slot, scope), seen))
  }

  /** A store may be shared and may fail: an entry must have the scope of its key, and not live longer than allowed. */
  #isServable(entry: unknown, scope: CacheScope): entry is CacheEntry {
    if (!isPlainObject(entry) || entry['scope'] !== scope || !isPlainObject(entry['value'])) return false
    // There the clock of the engine counts, which returns nothing that is over.
    if (this.#storeOf(scope).isShared) return true
    const leftMs = Number(entry['expiresAt']) - this.#clock()
    return leftMs > 0 && leftMs <= MAX_TTL_MS
  }

  async #store({ slot, generation, seen }: Asked, result: CacheableResult, ttlMs: number): Promise<void> {
    const scope: CacheScope = result.cacheScope === 'public' ? 'public' : 'private'
    const expiresAt = this.#clock() + ttlMs
    // A shared store that could not be looked at takes nothing: nobody knows what has changed there.
    if (this.#storeOf(scope).isShared && !seen?.revisions.has(this.#key(slot, scope))) return
    // First the other scope, so that no result is ever stored in both.
    const isClear = await this.#remove(slot, scope === 'public' ? 'private' : 'public', seen)
    if (!isClear || this.#generations.of(slot) !== generation) return
    let writing: unknown
    const isWritten = await this.#attempt('set', scope, () => {
      const entry = { value: structuredClone(result), scope, expiresAt }
      const outcome = this.#storeOf(scope).set(this.#key(slot, scope), entry, seen)
      writing = outcome
      return outcome
    })
    if (isWritten !== undefined && this.#generations.of(slot) === generation) return
    // A change that arrived during the write wins, and a write that failed may have stored the entry.
    await this.#remove(slot, scope)
    // A write that timed out may still store the entry later, after changes that no longer know of it.
    if (isWritten === undefined && writing instanceof Promise) {
      writing.then(() => this.#remove(slot, scope)).catch(() => {})
    }
  }

  async #removeAll(slot: string): Promise<void> {
    await Promise.all(SCOPES.map((scope) => this.#remove(slot, scope)))
  }

  async #remove(slot: string, scope: CacheScope, seen?: Seen): Promise<boolean> {
    const store = this.#storeOf(scope)
    const attempt = await this.#attempt('delete', scope, () => store.delete(this.#key(slot, scope), seen))
    return attempt !== undefined
  }

  #storeOf(scope: CacheScope): MarkedStore {
    const { store, publicStore = store } = this.#options
    return scope === 'public' ? publicStore : store
  }

  #key(slot: string, scope: CacheScope): string {
    return cacheKey(slot, scope, this.#options.origin)
  }

  /** `undefined` when the store failed or timed out, which is reported once until it works again. */
  async #attempt<T>(
    operation: StoreOperation,
    scope: CacheScope,
    work: () => T | Promise<T>,
  ): Promise<{ value: T } | undefined> {
    const isShared = this.#storeOf(scope).isShared === true
    const failing = isShared ? 'shared' : operation
    try {
      const working = work()
      const value = working instanceof Promise ? await withStoreTimeout(working) : working
      this.#failing.delete(failing)
      return { value }
    } catch (error) {
      if (!this.#failing.has(failing)) this.#report(operation, isShared, error)
      this.#failing.add(failing)
      return undefined
    }
  }

  #report(operation: StoreOperation, isShared: boolean, error: unknown): void {
    const { report } = this.#options
    if (isShared) {
      const message = 'The backend of the response cache failed. Calls go to the server until it works again.'
      report?.({ kind: 'transport', message, error })
      return
    }
    const message = `The store of the response cache failed to ${operation}. Calls go to the server until it works again.`
    report?.({ kind: 'callback-failed', message, error })
  }
}

/** What the cache knew of a slot when it asked the server. */
interface Asked {
  readonly slot: string
  readonly generation: number
  readonly seen: Seen | undefined
}

/** `undefined` where the store takes longer than the call may wait. The store goes on without the caller. */
async function withinLimits<T>(
  work: Promise<T>,
  { signal, waitMs }: Pick<CachedCall<unknown>, 'signal' | 'waitMs'>,
): Promise<T | undefined> {
  const waited = waitMs === undefined ? work : settlesWithin(work, waitMs).then((isDone) => (isDone ? work : undefined))
  return signal === undefined ? waited : unlessAborted(waited, signal)
}

async function withStoreTimeout<T>(working: Promise<T>): Promise<T> {
  const isInTime = await settlesWithin(working, STORE_TIMEOUT_MS)
  if (!isInTime) throw new Error(`The store did not answer within ${STORE_TIMEOUT_MS} ms.`)
  return working
}

function slotsOf(event: ChangeEvent): string[] {
  const uri = event.type === 'resourceUpdated' ? event.uri : undefined
  return CHANGE_NOTIFICATIONS[event.type].invalidates.map((method) => slotOf(method, uri))
}
