// A task out of the columns that every SQL engine has.
import { fromColumn } from './stored-text.ts'
import type { Task, TaskStatus } from './task-store.ts'

export interface TaskColumns {
  readonly id: string
  readonly owner: string
  readonly kind: string
  readonly dialect: string
  readonly status: TaskStatus
  readonly status_message: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly ttl_ms: number | null
  readonly poll_interval_ms: number
  readonly attempt: number
  readonly revision: number
  readonly outcome: string | null
}

export function taskOf(row: TaskColumns, isCancelling: boolean, questions: Task['questions']): Task {
  return {
    id: row.id,
    owner: row.owner,
    kind: row.kind,
    dialect: row.dialect,
    status: row.status,
    ...(row.status_message !== null && { statusMessage: fromColumn(row.status_message) }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ttlMs: row.ttl_ms,
    pollIntervalMs: row.poll_interval_ms,
    attempt: row.attempt,
    revision: row.revision,
    ...(isCancelling && { isCancelling: true as const }),
    questions,
    ...(row.outcome !== null && { outcome: fromColumn(row.outcome) }),
  }
}
