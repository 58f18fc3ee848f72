// Refuses requests that come faster than allowed, and says when to come back.
import { checkKeys, type KnownKeys } from '../../primitives/known-keys.ts'
import type { Middleware } from '../handlers.ts'
import { CALLS, createMethodTest } from './counted-methods.ts'
import { assertCount, assertPositive } from './numbers.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './refusal.ts'
import { createCallerKey, type RequestKey } from './request-key.ts'
import { Rounds } from './rounds.ts'
import { TokenBuckets } from './token-buckets.ts'

export interface LimitRateOptions {
  /** Requests a second in the long run. */
  perSecond: number
  /** Requests at once after a pause; as many as `perSecond`, but at least one, unless given. */
  burst?: number
  /**
   * The requests that count: `tools/call`, `prompts/get`, `resources/read` and `completion/complete` unless given. Name none that
   * opens a connection, such as `server/discover`: callers over HTTP who are not known share one limit.
   */
  methods?: readonly string[]
  /** What shares a limit, of the requests that count: by default the verified caller, else the connection, with the method and the name or uri. */
  key?: RequestKey
  /** `error` unless given. */
  toolRefusal?: ToolRefusal
  /** Keys, and states of calls that asked, that are remembered at once; 10,000 unless given. Past that, new keys share one limit. */
  maxKeys?: number
}

export const LIMIT_RATE_KEYS: KnownKeys<LimitRateOptions> = {
  perSecond: true,
  burst: true,
  methods: true,
  key: true,
  toolRefusal: true,
  maxKeys: true,
}

/** One that is forgotten counts as new, and callers must not be able to make that happen at will. */
const MIN_STATES = 10_000

/**
 * A token bucket per key, for calls. The refusal is error 429 with `retryAfterMs` in its data, or a result with the same in
 * its `_meta`. What opens a connection, lists, pings and notifications never count, and neither does a further round of a
 * call that asks, as long as its `requestState` is sealed: a call that has begun is not refused halfway.
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
  const isCounted = createMethodTest(options.methods ?? CALLS)
  return (ctx, next) => {
    const key = isCounted(ctx) ? keyOf(ctx) : undefined
    const retryAfterMs = key === undefined || rounds.isFurther(ctx) ? 0 : buckets.take(key)
    return retryAfterMs === 0 ? next() : refuse(ctx, tooManyRequests(retryAfterMs), toolRefusal)
  }
}

function tooManyRequests(retryAfterMs: number): Refusal {
  return {
    code: RefusalCode.TooManyRequests,
    message: `Too many requests: try again in ${Math.ceil(retryAfterMs / 1000)} s`,
    data: { retryAfterMs },
  }
}
