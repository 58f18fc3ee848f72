// Whether something more fits into the limits of tasks. Inside the transaction that stores it, so that nothing can pass a limit.
import { limitReached } from '../../backend/byte-budget.ts'
import { NOBODY, type TaskStoreLimits } from '../../backend/task-store.ts'
import type { TaskRows } from './task-rows.ts'

/** Throws `BackendError` where the owner, or all together, would have more than the limits say. */
export function checkLimits(
  rows: TaskRows,
  operation: string,
  owner: string,
  more: { readonly tasks: number; readonly bytes: number },
  limits: TaskStoreLimits,
): void {
  const { perOwner, total, maxBytesPerOwner, maxBytes } = limits
  if (owner !== NOBODY && (perOwner !== undefined || maxBytesPerOwner !== undefined)) {
    const own = rows.count(owner)
    if (passes(own.open, more.tasks, perOwner)) throw limitReached(operation, 'perOwner', limits)
    if (passes(own.bytes, more.bytes, maxBytesPerOwner)) throw limitReached(operation, 'maxBytesPerOwner', limits)
  }
  if (total === undefined && maxBytes === undefined) return
  const all = rows.count()
  if (passes(all.open, more.tasks, total)) throw limitReached(operation, 'total', limits)
  if (passes(all.bytes, more.bytes, maxBytes)) throw limitReached(operation, 'maxBytes', limits)
}

function passes(used: number, more: number, limit: number | undefined): boolean {
  return limit !== undefined && more > 0 && used + more > limit
}
