// Token buckets by key, bounded in number, whoever chooses the keys.
import { monotonicNow } from '../../primitives/timer.ts'

export interface TokenBucketOptions {
  /** Tokens that a bucket regains in a second. */
  perSecond: number
  /** Tokens that a bucket holds when full. */
  burst: number
  maxBuckets: number
}

const MAX_DROPPED_AT_ONCE = 8
/** Sums of fractions are off by less than this; without it, someone who waits as long as told could come too early. */
const ROUNDING_MS = 1e-6

/**
 * Of a bucket only the moment is kept at which it will be full again; each token that is taken puts that off. A bucket that is
 * full is as good as new and can be forgotten. While there is none and no room is left, new keys share one bucket: otherwise a
 * client could empty its own, flood the table with other keys, and begin anew.
 */
export class TokenBuckets {
  readonly #msPerToken: number
  readonly #msToFill: number
  readonly #maxBuckets: number
  /** When each is full, by key; the one that was used longest ago comes first. */
  readonly #fullAt = new Map<string, number>()
  #sharedFullAt = 0

  constructor({ perSecond, burst, maxBuckets }: TokenBucketOptions) {
    this.#msPerToken = 1000 / perSecond
    this.#msToFill = burst * this.#msPerToken
    this.#maxBuckets = maxBuckets
  }

  get size(): number {
    return this.#fullAt.size
  }

  /** Takes a token. Returns the milliseconds to wait for one: 0 where there was one. */
  take(key: string): number {
    const now = monotonicNow()
    const hasOwn = this.#hasRoomFor(key, now)
    const fullAt = hasOwn ? (this.#fullAt.get(key) ?? now) : this.#sharedFullAt
    const nextFullAt = Math.max(fullAt, now) + this.#msPerToken
    const missingMs = nextFullAt - now - this.#msToFill
    if (missingMs > ROUNDING_MS) return Math.ceil(missingMs - ROUNDING_MS)
    if (hasOwn) this.#keep(key, nextFullAt)
    else this.#sharedFullAt = nextFullAt
    return 0
  }

  #keep(key: string, fullAt: number): void {
    this.#fullAt.delete(key)
    this.#fullAt.set(key, fullAt)
  }

  #hasRoomFor(key: string, now: number): boolean {
    if (this.#fullAt.has(key)) return true
    this.#dropFull(now)
    return this.#fullAt.size < this.#maxBuckets
  }

  /** Those used longest ago, as far as they are full: a few at a time, so that no request pays for all. */
  #dropFull(now: number): void {
    let dropped = 0
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now || dropped === MAX_DROPPED_AT_ONCE) return
      this.#fullAt.delete(key)
      dropped += 1
    }
  }
}
