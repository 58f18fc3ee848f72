// How waiting for a task ends without its result.
import { brand } from '../errors/errors.ts'
import type { Job, TaskState } from './tasks.ts'

/** The task was cancelled, by this client or by somebody else. */
export class TaskCancelledError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The id of the task. */
  readonly taskId: string
  /** The last state of the task. */
  readonly state: TaskState

  static {
    brand(this, 'TaskCancelledError', 'task-cancelled')
  }

  constructor(state: TaskState) {
    const { taskId, statusMessage } = state
    const reason = statusMessage === undefined ? '' : ` The server says: ${statusMessage.slice(0, 200)}`
    super(`The task ${showId(taskId)} was cancelled.${reason}`)
    this.taskId = taskId
    this.state = state
  }
}

/** The server does not know the task: its time is over, the server has lost it, or the caller may not use its tool any more. */
export class TaskGoneError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The id of the task. */
  readonly taskId: string

  static {
    brand(this, 'TaskGoneError', 'task-gone')
  }

  constructor(taskId: string, options?: { cause?: unknown }) {
    super(
      `The server does not show the task ${showId(taskId)}. Its time (ttlMs) may be over, the server may have lost it in a ` +
        'restart, or this caller may not use its tool any more. The work may have been done: check before you call the tool again.',
      options,
    )
    this.taskId = taskId
  }
}

/**
 * The wait ended before the task: after `leaveAfterMs`, or because the server could not be reached for some time (`cause` has the last
 * failure). `job` can wait again, and its reference finds the task from another process.
 */
export class TaskPendingError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The job that goes on. Wait for it later with `job.result()`. */
  readonly job: Job

  static {
    brand(this, 'TaskPendingError', 'task-pending')
  }

  constructor(job: Job, options?: { cause?: unknown }) {
    const task = `The task ${showId(job.taskId ?? '')}`
    super(
      options === undefined
        ? `${task} goes on after leaveAfterMs. Wait with error.job.result(), or keep error.job.reference.`
        : `${task} may go on, but its server could not be reached. Wait again with error.job.result(), or keep error.job.reference.`,
      options,
    )
    this.job = job
  }
}

/** Ids come from the server: a message shows the beginning of one, without control characters. */
function showId(taskId: string): string {
  return JSON.stringify(taskId.length > 48 ? `${taskId.slice(0, 48)}…` : taskId)
}
