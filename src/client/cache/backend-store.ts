// Cached results in a backend, where several processes use them.
import type { Backend } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import { useBackend } from '../../backend/use-backend.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { CacheScope } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type CacheEntry, type CacheKey, fingerprint, type MarkedStore, type Seen } from './response-store.ts'

/** Part of every key: another data format has other keys, so that releases side by side do not read each other's entries. */
const PREFIX = 'cache1.'
const PROBE_KEY = `${PREFIX}probe`

/** The value that replaces a removed entry. */
const REMOVED = '-'
/**
 * A removed entry is remembered for so long. A process that asked the server before a change sees by it that its result is old. A
 * result that took longer than this is not stored.
 */
const REMEMBER_REMOVED_MS = 120_000

/** Pause between two attempts to reach an engine that is away. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 4_000

/** Removals that are made up for when the engine is back. Beyond that many, nothing is read from it for the longest time to live. */
const MAX_OVERDUE = 10_000

export interface BackendStoreOptions {
  /** Milliseconds, the clock of the cache. */
  readonly clock: () => number
  /** No entry lives longer. */
  readonly maxTtlMs: number
  /** Gets the warnings of the engine when it opens. */
  report(warning: string): void
}

/**
 * Fails with the error of the engine; while that is away, at once and without a trip. Entries expire by the clock of the engine. A
 * result is stored only where nobody has stored or removed one since the cache looked.
 */
export class BackendStore implements MarkedStore {
  readonly isShared = true
  readonly #backend: Backend
  readonly #options: BackendStoreOptions
  readonly #overdue = new Set<string>()
  readonly #removals = new Map<string, Removals>()
  #distrustUntil = Number.NEGATIVE_INFINITY
  #opening: Promise<() => Promise<void>> | undefined
  #away: Away | undefined
  #isClosed = false

  constructor(backend: Backend, options: BackendStoreOptions) {
    this.#backend = backend
    this.#options = options
  }

  /** Opens the backend. Does not wait for it: a client opens without its cache. */
  start(): void {
    this.#open().catch(() => {})
  }

  async get(key: CacheKey, seen?: Seen): Promise<CacheEntry | undefined> {
    const name = await nameOf(key)
    const kept = await this.#whilePresent(() => this.#backend.records.get(name))
    seen?.revisions.set(key, kept?.revision)
    if (kept === undefined || kept.value === REMOVED || monotonicNow() < this.#distrustUntil) return undefined
    return readEntry(kept.value)
  }

  async set(key: CacheKey, { value, scope, expiresAt }: CacheEntry, seen?: Seen): Promise<void> {
    const text = JSON.stringify({ scope, value })
    const ttlMs = Math.max(1, Math.floor(expiresAt - this.#options.clock()))
    const name = await nameOf(key)
    if (seen === undefined || !seen.revisions.has(key) || monotonicNow() - seen.at > REMEMBER_REMOVED_MS) return
    const revision = seen.revisions.get(key)
    const condition = revision === undefined ? 'absent' : { revision }
    try {
      await this.#whilePresent(() => this.#backend.records.put(name, text, { ttlMs, if: condition }))
    } catch (error) {
      if (!isKind(error, 'too-large')) throw error
      if (revision !== undefined) await this.#remove(name)
    }
  }

  /** `seen` says that there is nothing to remove, or leaves it open. */
  async delete(key: CacheKey, seen?: Seen): Promise<void> {
    if (seen?.revisions.has(key) === true && seen.revisions.get(key) === undefined) return
    await this.#remove(await nameOf(key))
  }

  /** Gives the backend back, which closes it after its last user. */
  async close(): Promise<void> {
    this.#isClosed = true
    const release = await this.#opening?.catch(() => undefined)
    await release?.()
  }

  /** A server may announce changes faster than the engine removes: those that wait for the same entry are one. */
  #remove(name: string): Promise<void> {
    const removals = this.#removals.get(name)
    if (removals === undefined) {
      const running = this.#removeNow(name)
      this.#removals.set(name, { running, next: undefined })
      running.catch(() => {}).finally(() => this.#startNext(name))
      return running
    }
    // One that is on its way may have been done before the change that this one is for.
    removals.next ??= removals.running.catch(() => {}).then(() => this.#removeNow(name))
    return removals.next
  }

  #startNext(name: string): void {
    const next = this.#removals.get(name)?.next
    this.#removals.delete(name)
    if (next === undefined) return
    this.#removals.set(name, { running: next, next: undefined })
    next.catch(() => {}).finally(() => this.#startNext(name))
  }

  async #removeNow(name: string): Promise<void> {
    try {
      await this.#whilePresent(() => this.#replaceByRemoved(name))
    } catch (error) {
      this.#overdue.add(name)
      if (this.#overdue.size > MAX_OVERDUE) {
        this.#overdue.clear()
        this.#distrustUntil = monotonicNow() + this.#options.maxTtlMs
      }
      throw error
    }
  }

  async #replaceByRemoved(name: string): Promise<void> {
    const { records } = this.#backend
    try {
      await records.put(name, REMOVED, { ttlMs: REMEMBER_REMOVED_MS })
    } catch (error) {
      // An engine that is full takes no value, but removes one.
      if (!isKind(error, 'refused')) throw error
      await records.delete(name)
    }
  }

  async #whilePresent<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError()
    if (this.#away !== undefined) {
      this.#look(this.#away)
      throw this.#away.error
    }
    let isOpen = false
    try {
      await this.#open()
      isOpen = true
      return await work()
    } catch (error) {
      const isAway = !isOpen || isKind(error, 'unavailable', 'timeout')
      if (isAway) this.#away ??= { error, pauseMs: FIRST_PAUSE_MS, ...pausedFrom() }
      throw error
    }
  }

  /** Looks whether the engine is back, without keeping a call waiting. */
  #look(away: Away): void {
    if (away.isLooking || monotonicNow() - away.at < away.pauseMs) return
    away.isLooking = true
    this.#makeUp().then(
      () => {
        this.#away = undefined
      },
      (error: unknown) => {
        this.#away = { error, pauseMs: Math.min(away.pauseMs * 2, MAX_PAUSE_MS), ...pausedFrom() }
      },
    )
  }

  /** What should have been removed meanwhile goes before anything is read. */
  async #makeUp(): Promise<void> {
    await this.#open()
    await this.#backend.records.get(PROBE_KEY)
    for (const name of this.#overdue) {
      await this.#replaceByRemoved(name)
      this.#overdue.delete(name)
    }
  }

  async #open(): Promise<void> {
    if (this.#isClosed) throw closedError()
    const { report } = this.#options
    this.#opening ??= useBackend(this.#backend, { report }).catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    await this.#opening
  }
}

/** The removals of one entry: the one on its way, and one more for all that came after it. */
interface Removals {
  readonly running: Promise<void>
  next: Promise<void> | undefined
}

/** The engine does not answer since `at`. */
interface Away {
  readonly error: unknown
  readonly at: number
  readonly pauseMs: number
  isLooking: boolean
}

function pausedFrom() {
  return { at: monotonicNow(), isLooking: false }
}

/** Keys hold URIs of any length and the names of users: in the engine they are digests. */
async function nameOf(key: CacheKey): Promise<string> {
  return `${PREFIX}${await fingerprint(key)}`
}

/** `undefined` for anything that is no entry. The engine returns none that has expired, and says not when this one does. */
function readEntry(text: string): CacheEntry | undefined {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isPlainObject(stored) || !isPlainObject(stored['value'])) return undefined
  return { value: stored['value'] as JSONObject, scope: stored['scope'] as CacheScope, expiresAt: Infinity }
}

function isKind(error: unknown, ...kinds: readonly BackendError['kind'][]): boolean {
  return error instanceof BackendError && kinds.includes(error.kind)
}

function closedError(): BackendError {
  return new BackendError('The client is closed.', { kind: 'unavailable', operation: 'records.get' })
}
