// A task of the store in the words of revision 2025-11-25.
import type { Task as StoredTask } from '../../../backend/task-store.ts'
import type { Task, TaskStatus } from '../../../types/features/tasks.ts'
import { pollIntervalOf, toISO } from '../server/values/wire.ts'

/** What a task is made of on the wire. */
export type TaskFacts = Pick<
  StoredTask,
  'id' | 'status' | 'statusMessage' | 'createdAt' | 'updatedAt' | 'ttlMs' | 'pollIntervalMs'
>

/** `now` decides how often clients should ask, where the author of the tool has not. */
export function toWireTask(task: TaskFacts, now: number, status: TaskStatus = task.status): Task {
  const { id, statusMessage, createdAt, updatedAt, ttlMs } = task
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: toISO(createdAt),
    lastUpdatedAt: toISO(updatedAt),
    // Whole numbers: that is what the published schema takes.
    ttl: ttlMs === null ? null : Math.ceil(ttlMs),
    pollInterval: Math.ceil(pollIntervalOf(task, now)),
  }
}
