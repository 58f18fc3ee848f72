// A task as clients see it, in the form of the extension.

import type { Task } from '../../../../backend/task-store.ts'
import { ErrorCode } from '../../../../types/errors/error-codes.ts'
import { isFinal } from '../../../../types/extensions/task-status.ts'
import type { TaskHandle, TaskState } from '../../../../types/extensions/tasks.ts'
import type { InputRequests } from '../../../../types/features/input-required.ts'
import type { CallToolResult } from '../../../../types/features/tools.ts'
import type { ErrorData } from '../../../../types/protocol/jsonrpc.ts'

/** The interval for a task of so many milliseconds of age, and of more. The oldest come first. */
const INTERVALS: readonly (readonly [ageMs: number, intervalMs: number])[] = [
  [600_000, 15_000],
  [60_000, 5_000],
  [10_000, 2_000],
  [1_000, 1_000],
]
/** Many tasks end soon after they were created, and their callers should not wait a second for that. */
const FIRST_INTERVAL_MS = 200

/** The result of a call that became a task. */
export function toHandle(task: Task, now: number): TaskHandle {
  return { resultType: 'task', ...toState(task, now) }
}

/** Adds what belongs to the status: open questions, the result, or the error. */
export function toDetailedTask(task: Task, now: number): TaskState {
  const state = toState(task, now)
  switch (task.status) {
    case 'input_required':
      state.inputRequests = readQuestions(task)
      return state
    case 'completed':
      state.result = JSON.parse(task.outcome ?? '{}') as CallToolResult
      return state
    case 'failed': {
      const error = errorOf(task)
      state.statusMessage = error.message
      state.error = error
      return state
    }
    default:
      return state
  }
}

/** The error of a task that failed. One that the store ended has none of its own. */
export function errorOf({ outcome, statusMessage }: Task): ErrorData {
  if (outcome !== undefined && outcome !== '') return JSON.parse(outcome) as ErrorData
  return internalError(statusMessage ?? 'The task failed.')
}

export function internalError(message: string): ErrorData {
  return { code: ErrorCode.InternalError, message }
}

function readQuestions({ questions }: Task): InputRequests {
  const entries = Object.entries(questions).map(([key, text]) => [key, JSON.parse(text)])
  return Object.fromEntries(entries) as InputRequests
}

const CACHED_TIMES = 128
const times = new Float64Array(CACHED_TIMES)
const texts: string[] = []

/** Polls ask for the same few times again and again, and writing one costs as much as all the rest of the state. */
export function toISO(time: number): string {
  const place = Math.abs(Math.trunc(time)) % CACHED_TIMES
  const known = texts[place]
  if (known !== undefined && times[place] === time) return known
  const text = new Date(time).toISOString()
  times[place] = time
  texts[place] = text
  return text
}

function toState(task: Task, now: number): TaskState {
  const { id, status, statusMessage, createdAt, updatedAt, ttlMs } = task
  const state: TaskState = {
    taskId: id,
    status,
    createdAt: toISO(createdAt),
    lastUpdatedAt: toISO(updatedAt),
    ttlMs,
    pollIntervalMs: pollIntervalOf(task, now),
  }
  if (statusMessage !== undefined) state.statusMessage = statusMessage
  return state
}

type PolledTask = Pick<Task, 'id' | 'createdAt' | 'updatedAt' | 'status' | 'pollIntervalMs'>

/**
 * What the author set; else longer with age. Up to a fifth is added, by the id, so that clients whose tasks began in the same moment
 * don't come in the same moment.
 */
export function pollIntervalOf({ id, createdAt, updatedAt, status, pollIntervalMs }: PolledTask, now: number): number {
  if (pollIntervalMs > 0) return pollIntervalMs
  // Nothing of a task changes after its end.
  const age = (isFinal({ status }) ? updatedAt : now) - createdAt
  const [, intervalMs] = INTERVALS.find(([ageMs]) => age >= ageMs) ?? [0, FIRST_INTERVAL_MS]
  const spread = ((id.charCodeAt(0) * 31 + id.charCodeAt(1)) % 100) / 500
  return Math.round(intervalMs * (1 + spread))
}
