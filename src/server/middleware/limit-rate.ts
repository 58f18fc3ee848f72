// Refuses requests that come faster than allowed, and says when to come back.
import type { Middleware } from '../handlers.ts'
import { assertCount, assertPositive } from './numbers.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './refusal.ts'
import { createCallerKey, type RequestKey } from './request-key.ts'
import { TokenBuckets } from './token-buckets.ts'

export interface LimitRateOptions {
  /** Requests a second in the long run. */
  perSecond: number
  /** Requests at once after a pause; as many as `perSecond`, but at least one, unless given. */
  burst?: number
  /** What shares a limit: by default the verified caller, else the connection, with the method and the name or uri. */
  key?: RequestKey
  /** `error` unless given. */
  toolRefusal?: ToolRefusal
  /** Keys that are remembered at once; 10,000 unless given. Past that, new ones share one limit. */
  maxKeys?: number
}

/**
 * A token bucket per key, for requests. The refusal is error 429 with `retryAfterMs` in its data, or a result with the same
 * in its `_meta`.
 */
export function limitRate(options: LimitRateOptions): Middleware {
  const { perSecond, burst = Math.max(1, perSecond), maxKeys = 10_000, toolRefusal = 'error' } = options
  assertPositive('perSecond', perSecond)
  assertCount('burst', Math.floor(burst), 1)
  assertCount('maxKeys', maxKeys, 1)
  const buckets = new TokenBuckets({ perSecond, burst, maxBuckets: maxKeys })
  const keyOf = options.key ?? createCallerKey()
  return (ctx, next) => {
    const key = ctx.requestId === undefined ? undefined : keyOf(ctx)
    const retryAfterMs = key === undefined ? 0 : buckets.take(key)
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
