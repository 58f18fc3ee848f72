// The limits of tasks as arguments of the scripts, and as the errors that these return.
import { limitReached } from '../backend/byte-budget.ts'
import type { TaskStoreLimits } from '../backend/task-store.ts'

/** What the script `USE` returns. */
export type QueueUse = readonly [
  owner: string,
  ofOwner: number,
  ofAll: number,
  bytesOfOwner: number,
  bytesOfAll: number,
]

/** Empty: no limit. */
export function limitText(limit: number | undefined): string {
  return limit === undefined || !Number.isFinite(limit) ? '' : String(Math.floor(limit))
}

export function bytesText({ maxBytesPerOwner, maxBytes }: TaskStoreLimits): [ofOwner: string, ofAll: string] {
  return [limitText(maxBytesPerOwner), limitText(maxBytes)]
}

/** What is left of the limits for one queue, whatever the others have taken. */
export function subtract(limits: TaskStoreLimits, others: readonly QueueUse[]): TaskStoreLimits {
  const left: Record<string, number> = {}
  for (const [index, name] of NAMES.entries()) {
    const limit = limits[name]
    if (limit === undefined) continue
    left[name] = others.reduce((rest, use) => rest - Number(use[index + 1]), limit)
  }
  return left
}

const NAMES = ['perOwner', 'total', 'maxBytesPerOwner', 'maxBytes'] as const

/** The reply of a script. Throws `BackendError` where it is the name of a limit. */
export function checkLimits(operation: string, reply: unknown, limits: TaskStoreLimits): unknown {
  const limit = NAMES.find((name) => name === reply)
  if (limit !== undefined) throw limitReached(operation, limit, limits)
  return reply
}
