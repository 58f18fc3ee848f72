// A task of the store in the words of revision 2025-11-25.
import type { Task as StoredTask } from '../../../backend/task-store.ts'
import type { Task, TaskStatus } from '../../../types/features/tasks.ts'

/** What a task is made of on the wire, wherever it comes from. */
export type TaskFacts = Pick<
  StoredTask,
  'id' | 'status' | 'statusMessage' | 'createdAt' | 'updatedAt' | 'ttlMs' | 'pollIntervalMs'
>

/** `status` is the one of this revision: a tool that failed makes its task `failed`, which the store keeps as `completed`. */
export function toWireTask(task: TaskFacts, status: TaskStatus = task.status): Task {
  const { id, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs } = task
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: toISO(createdAt),
    lastUpdatedAt: toISO(updatedAt),
    // Whole numbers: that is what the published schema takes.
    ttl: ttlMs === null ? null : Math.ceil(ttlMs),
    pollInterval: Math.ceil(pollIntervalMs),
  }
}

function toISO(ms: number): string {
  return new Date(ms).toISOString()
}
