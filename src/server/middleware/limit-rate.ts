// Rejects requests that come faster than allowed, and says when to try again.

import { monotonicNow } from '../../primitives/async/timer.ts'
import { assertCount, assertPositive, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { Middleware } from '../handlers.ts'
import { createCallerKey, createLimitTest, isFurtherRound, type RequestKey, Rounds } from './counted-requests.ts'
import { LeasedTokens } from './leased-tokens.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'
import {
  checkOnUnavailable,
  type LimitStore,
  limitsFor,
  type OnUnavailable,
  type SharedLimit,
  takeShared,
} from './shared-limits.ts'

export interface TokenBucketOptions {
  /** Tokens that a bucket regains in a second. */
  perSecond: number
  /** Tokens that a bucket holds when full. */
  burst: number
  maxBuckets: number
}

const MAX_DROPPED_AT_ONCE = 8
/** Sums of fractions are off by less than this. Without it, a client that waits as long as told could be rejected again. */
const ROUNDING_MS = 1e-6

/**
 * Of a bucket only the time is kept at which it will be full again; each token that is taken delays that. A full bucket is like a
 * new one and can be dropped. Where none is full and the table is, new keys share one bucket: otherwise a client could empty its
 * own, fill the table with other keys, and start again.
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

  /** Drops full buckets, oldest use first: a few at a time, so that no request takes long. */
  #dropFull(now: number): void {
    let dropped = 0
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt > now || dropped === MAX_DROPPED_AT_ONCE) return
      this.#fullAt.delete(key)
      dropped += 1
    }
  }
}

/** Options of `limitRate()`. */
export interface LimitRateOptions {
  /** Requests per second on average. */
  perSecond: number
  /** Requests at once after a pause (default: `perSecond`, at least 1). */
  burst?: number | undefined
  /**
   * The requests that count (default: `tools/call`, `prompts/get`, `resources/read`, `completion/complete`, and those of extensions
   * that say so). Do not add one that opens a connection, such as `server/discover`: unverified callers over HTTP share one limit.
   */
  methods?: readonly string[] | undefined
  /** What shares a limit (default: the verified caller, else the connection, with the method and the name or uri). */
  key?: RequestKey | undefined
  /** How a tool call is rejected (default: `error`). */
  toolRefusal?: ToolRefusal | undefined
  /** Keys, and states of calls that asked, that are remembered (default: 10,000). Beyond it, new keys share one limit. */
  maxKeys?: number | undefined
  /**
   * Counts over all nodes, with one trip per counted call, or one for up to 64 calls of a busy key where `burst` is 128 or more: a
   * node then takes up to a 64th of the bucket in advance, and what it does not use within 250 ms is lost to the others (default: `limits` of the backend of the server, where it has one).
   * `false` counts in this process.
   */
  store?: LimitStore | undefined
  /**
   * While the store does not answer: `local` counts in this process at the full rate, `refuse` rejects, `allow` lets every
   * request pass (default: `local`).
   */
  onUnavailable?: OnUnavailable | undefined
}

export const LIMIT_RATE_KEYS: KnownKeys<LimitRateOptions> = {
  perSecond: true,
  burst: true,
  methods: true,
  key: true,
  toolRefusal: true,
  maxKeys: true,
  store: true,
  onUnavailable: true,
}

/** A forgotten state counts as a new call. Callers must not be able to cause that. */
const MIN_STATES = 10_000

/**
 * A token bucket per key, for calls. A rejected request gets error 429 with `retryAfterMs` in its data, or a result with the
 * same in its `_meta`. Other requests and notifications do not count, and neither does a further round of a call that asks, as
 * long as its `requestState` is sealed: a call that has begun is not rejected in the middle. A method of an extension that the
 * client did not declare does not count either: it gets -32021 every time.
 *
 * @example
 * ```ts
 * import { limitRate } from 'mcpwire/server'
 * server.use(limitRate({ perSecond: 5, burst: 20 }))
 * ```
 */
export function limitRate(options: LimitRateOptions): Middleware {
  checkKeys('limitRate()', options, LIMIT_RATE_KEYS)
  const { perSecond, burst = Math.max(1, perSecond), maxKeys = 10_000, toolRefusal = 'error' } = options
  assertPositive('perSecond', perSecond)
  assertCount('burst', Math.floor(burst), 1)
  assertCount('maxKeys', maxKeys, 1)
  const buckets = new TokenBuckets({ perSecond, burst, maxBuckets: maxKeys })
  const rounds = new Rounds(Math.max(maxKeys, MIN_STATES))
  const keyOf = options.key ?? createCallerKey()
  const isCounted = createLimitTest(options.methods, 'counted')
  const { store, onUnavailable = 'local', methods = [] } = options
  checkOnUnavailable(onUnavailable)
  const limit: SharedLimit = { name: ['rate', perSecond, burst, ...methods], onUnavailable }
  // One middleware may serve servers with other backends.
  const leases = new WeakMap<object, LeasedTokens>()
  const leasedIn = (limits: object) => {
    const known = leases.get(limits) ?? new LeasedTokens({ perSecond, burst })
    leases.set(limits, known)
    return known
  }
  return (ctx, next) => {
    const key = isCounted(ctx) ? keyOf(ctx) : undefined
    if (key === undefined || isFurtherRound(ctx, rounds)) return next()
    const limits = limitsFor(ctx, store)
    const refuseOr = (retryAfterMs: number) =>
      retryAfterMs === 0 ? next() : refuseCall(ctx, tooManyRequests(retryAfterMs), toolRefusal)
    if (limits === undefined) return refuseOr(buckets.take(key))
    const leased = leasedIn(limits)
    if (leased.takeHere(key)) return next()
    return takeShared(ctx, limits, limit, key, leased, () => buckets.take(key)).then(refuseOr)
  }
}

function tooManyRequests(retryAfterMs: number): Refusal {
  return {
    code: RefusalCode.TooManyRequests,
    message: `Too many requests: try again in ${Math.ceil(retryAfterMs / 1000)} s`,
    data: { retryAfterMs },
  }
}
