// Rates and places within one process.
import type { HoldOptions, Limits, TakeOptions } from '../limits.ts'
import { checkCount, checkName, checkTake, checkTtl } from '../rules.ts'
import { takeTokens } from '../token-bucket.ts'
import { type Expiring, ExpiringMap, type Space } from './expiring.ts'

interface Places extends Expiring {
  /** When each holder loses its place. */
  readonly holders: Map<string, number>
}

/** What a holder takes beside its name, about. */
const HOLDER_BYTES = 64

export class MemoryLimits implements Limits {
  readonly #space: Space
  /** A bucket ends when it is full again: a full one is like a new one. */
  readonly #buckets: ExpiringMap<Expiring>
  readonly #places: ExpiringMap<Places>

  constructor(space: Space) {
    this.#space = space
    this.#buckets = new ExpiringMap(space)
    this.#places = new ExpiringMap(space)
  }

  take(key: string, options: TakeOptions): number {
    checkName('limits.take', key)
    checkTake('limits.take', options)
    this.#space.checkOpen('limits.take')
    const known = this.#buckets.get(key)
    const { waitMs, fullAt } = takeTokens(known?.expiresAt, this.#space.now(), options)
    if (known === undefined) this.#buckets.set('limits.take', key, { expiresAt: fullAt, bytes: 0 })
    else known.expiresAt = fullAt
    return waitMs
  }

  hold(key: string, holder: string, { max, ttlMs }: HoldOptions): boolean {
    checkName('limits.hold', key)
    checkName('limits.hold', holder)
    checkCount('limits.hold', 'max', max)
    checkTtl('limits.hold', ttlMs)
    this.#space.checkOpen('limits.hold')
    const now = this.#space.now()
    const known = this.#places.get(key)
    if (known === undefined) {
      const holders = new Map([[holder, now + ttlMs]])
      this.#places.set('limits.hold', key, { holders, expiresAt: now + ttlMs, bytes: sizeOf(holder) })
      return true
    }
    this.#removeLost(known, now)
    if (!known.holders.has(holder)) {
      if (known.holders.size >= max) return false
      this.#places.resize('limits.hold', known, known.bytes + sizeOf(holder))
    }
    known.holders.set(holder, now + ttlMs)
    known.expiresAt = Math.max(known.expiresAt, now + ttlMs)
    return true
  }

  release(key: string, holder: string): void {
    checkName('limits.release', key)
    checkName('limits.release', holder)
    this.#space.checkOpen('limits.release')
    const known = this.#places.get(key)
    if (known?.holders.delete(holder) !== true) return
    this.#places.resize('limits.release', known, known.bytes - sizeOf(holder))
    if (known.holders.size === 0) this.#places.delete(key)
  }

  #removeLost(places: Places, now: number): void {
    let less = 0
    for (const [holder, endsAt] of places.holders) {
      if (endsAt > now) continue
      places.holders.delete(holder)
      less += sizeOf(holder)
    }
    if (less > 0) this.#places.resize('limits.hold', places, places.bytes - less)
  }
}

function sizeOf(holder: string): number {
  return HOLDER_BYTES + holder.length
}
