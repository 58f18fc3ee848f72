// A task as a row, and what can be computed from the row alone. Time comes in as a number.

import { fromColumn } from '../../backend/stored-text.ts'
import { taskOf } from '../../backend/task-row.ts'
import type { Claim, Journal, Task, TaskStatus } from '../../backend/task-store.ts'

/** Where a task is. `lost`: its worker has not renewed in time, but nobody else has claimed it yet. */
export const PLACE = { ready: 0, leased: 1, lost: 2, parked: 3, ended: 4 } as const

/** What of a task stands in rows of its own. */
export const PART = { step: 1, answer: 2, question: 3 } as const

/** A task without a limit on the wire is kept so long. */
export const LONGEST_MS = 400 * 86_400_000

/** Further than any clock: a task whose worker was lost comes before all others. */
const FRONT = 1e14

export type Texts = Readonly<Record<string, string>>

export interface TaskRow {
  readonly n: number
  readonly ns: string
  readonly id: string
  readonly owner: string
  readonly kind: string
  readonly dialect: string
  readonly given_ttl_ms: number | null
  readonly keep_ms: number
  readonly max_attempts: number
  readonly claimable_at: number
  readonly created_at: number
  updated_at: number
  ttl_ms: number | null
  poll_interval_ms: number
  place: (typeof PLACE)[keyof typeof PLACE]
  status: TaskStatus
  status_message: string | null
  attempt: number
  /** Runs that were begun and neither parked nor released. */
  tries: number
  revision: number
  lease_ends_at: number | null
  /** Set by a cancel of a task that somebody runs; the task is cancelled then, at the latest. */
  cancelled_at: number | null
  was_answered: 0 | 1
  has_parts: 0 | 1
  /** When it has to be looked at again, whatever happens. */
  due_at: number
  readonly outcome: string | null
  /** What it takes, about. */
  readonly bytes: number
}

export function isHeldBy({ place, attempt }: TaskRow, claim: Claim): boolean {
  return (place === PLACE.leased || place === PLACE.lost) && attempt === claim.attempt
}

/** The key of a task in the queue, `null` where nobody may claim it. */
export function queueAt({ place, claimable_at }: TaskRow): number | null {
  if (place === PLACE.ready) return claimable_at
  return place === PLACE.lost ? claimable_at - FRONT : null
}

export function dueAt(row: TaskRow): number {
  const end = row.created_at + (row.ttl_ms ?? LONGEST_MS)
  switch (row.place) {
    case PLACE.leased:
      return Math.min(row.lease_ends_at as number, row.cancelled_at ?? Number.POSITIVE_INFINITY)
    // Whoever claims it next may run it, however late that is.
    case PLACE.lost:
      return row.created_at + LONGEST_MS
    case PLACE.ended:
      return Math.max(end, row.updated_at + row.keep_ms)
    default:
      return end
  }
}

/** The time on the wire grows, so that a result that is fresh is never dropped. */
export function keepAlive(row: TaskRow, now: number, stepMs: number): boolean {
  const needed = now - row.created_at + row.keep_ms
  if (row.ttl_ms === null || row.ttl_ms >= needed) return false
  row.ttl_ms = needed + stepMs
  return true
}

/** Makes a change visible. */
export function touch(row: TaskRow, now: number): void {
  row.updated_at = Math.max(now, row.updated_at)
  row.revision += 1
}

export function toTask(row: TaskRow, questions: Texts): Task {
  return taskOf(row, row.cancelled_at !== null && row.place !== PLACE.ended, questions)
}

export function toClaim(
  { id, kind, attempt }: Pick<TaskRow, 'id' | 'kind' | 'attempt'>,
  input: string,
  { steps, answers }: Journal,
): Claim {
  return { id, kind, input: fromColumn(input), attempt, steps, answers }
}
