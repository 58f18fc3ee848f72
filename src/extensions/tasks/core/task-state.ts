// A task of revision 2025-11-25 in the words of the extension, as clients see tasks of both.
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { Task } from '../../../types/features/tasks.ts'

/** Members that no revision knows are kept. */
export function toTaskState({ ttl, pollInterval, ...rest }: Task): TaskState {
  return { ...rest, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) }
}
