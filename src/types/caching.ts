// How long, and for whom, a result stays good.
import type { FinishedResult } from './base.ts'

/** Who may be given a stored copy: anyone, or only the caller it was made for. */
export type CacheScope = 'public' | 'private'

export type CacheableResult = FinishedResult & {
  /** How long the result stays fresh, in whole milliseconds; 0 is not at all. Required since 2026-07-28. */
  ttlMs?: number
  /** Required since 2026-07-28. */
  cacheScope?: CacheScope
}
