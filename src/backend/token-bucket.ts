// A token bucket by arrival times, as every engine computes it: of a bucket only the time is kept at which it will be full again.
import type { TakeOptions } from './limits.ts'

/** Sums of fractions are off by less than this. Without it, whoever waits as long as told could be rejected again. */
const ROUNDING_MS = 1e-6

export interface TakenTokens {
  /** 0: the tokens were taken. */
  readonly waitMs: number
  /** To be kept in either case: one that was too late is mended. */
  readonly fullAt: number
}

/** `fullAt` of a bucket that is not known is left out. A full bucket is like a new one, and can be forgotten. */
export function takeTokens(fullAt: number | undefined, now: number, options: TakeOptions): TakenTokens {
  const { perSecond, burst, tokens = 1 } = options
  const msPerToken = 1_000 / perSecond
  const msToFill = burst * msPerToken
  // Later than this is no bucket full: the clock was set back, or the limit has changed.
  const known = Math.min(Math.max(fullAt ?? now, now), now + msToFill)
  const next = known + tokens * msPerToken
  const missingMs = next - now - msToFill
  if (missingMs > ROUNDING_MS) return { waitMs: Math.ceil(missingMs - ROUNDING_MS), fullAt: known }
  return { waitMs: 0, fullAt: next }
}
