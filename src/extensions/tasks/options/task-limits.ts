// What counts where an option of `tasks()` is not given. Apart from the check of options, since a client needs only that.
import { pickKeys } from '../../../primitives/options.ts'
import { LIMIT_KEYS, type TaskLimits } from './tasks-options.ts'

/** All limits, with their defaults filled in. */
export type AllTaskLimits = { readonly [Name in keyof TaskLimits]-?: number }

const DEFAULT_LIMITS: AllTaskLimits = Object.freeze({
  perOwner: 100,
  total: 10_000,
  maxTtlMs: 7 * 86_400_000,
  maxResultBytes: 1_048_576,
  maxBytesPerOwner: 64 * 1_048_576,
  maxBytes: 512 * 1_048_576,
  parkAfterMs: 60_000,
})

export const DEFAULT_WORKERS = 16

/** What is `undefined` keeps its default. */
export function withDefaultLimits(limits: TaskLimits = {}): AllTaskLimits {
  return { ...DEFAULT_LIMITS, ...(pickKeys(limits, LIMIT_KEYS) as Partial<AllTaskLimits>) }
}
