// A call that was started: a task that is followed, or a result that came at once.
import { BoundedQueue } from '../../../primitives/async/queue.ts'
import type {
  Job,
  JobState,
  JobWaitOptions,
  TaskReference,
  TaskRequestOptions,
  TaskState,
} from '../../../types/extensions/tasks.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { stateOfReference } from './references.ts'
import type { TaskFollower } from './task-follower.ts'
import type { WaitEnd, WaitLimits } from './waiting.ts'

/** What a job needs of the client that it belongs to. */
export interface JobHost {
  /** Waits for the end, and removes the reference of a task that has one. */
  wait(job: TaskJob, limits: WaitLimits): Promise<WaitEnd>
  /** Waits for the end, and checks the result. */
  result(job: TaskJob, options: JobWaitOptions): Promise<CallToolResult>
  cancel(job: TaskJob, options?: TaskRequestOptions): Promise<void>
}

/** States that one loop has not read yet. The oldest ones go, the final one stays. */
const MAX_UNREAD_STATES = 64

export class TaskJob implements Job {
  readonly reference: TaskReference
  /** Jobs of one task share one while somebody waits. */
  follower: TaskFollower
  readonly #host: JobHost

  constructor(host: JobHost, reference: TaskReference, follower: TaskFollower) {
    this.#host = host
    this.reference = reference
    this.follower = follower
  }

  get taskId(): string {
    return this.reference.taskId
  }

  get state(): TaskState {
    return this.follower.state ?? stateOfReference(this.reference)
  }

  result(options: JobWaitOptions = {}): Promise<CallToolResult> {
    return this.#host.result(this, options)
  }

  cancel(options?: TaskRequestOptions): Promise<void> {
    return this.#host.cancel(this, options)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TaskState, void> {
    const unread = new BoundedQueue<TaskState>(MAX_UNREAD_STATES)
    const { state } = this.follower
    if (state !== undefined) unread.push(state)
    const stop = new AbortController()
    const waiting = this.#host.wait(this, { signal: stop.signal, onStatus: (changed) => void unread.push(changed) })
    waiting.then(
      (end) => unread.end('error' in end ? end.error : undefined),
      (error: unknown) => unread.end(error),
    )
    try {
      yield* unread
    } finally {
      stop.abort(new Error('The loop over the states was left.'))
    }
  }
}

/** The job of a call that the server answered with its result. */
export function finishedJob(result: CallToolResult, now: string): Job {
  const state: JobState = { status: 'completed', createdAt: now, lastUpdatedAt: now, ttlMs: null, result }
  return {
    taskId: undefined,
    reference: undefined,
    state,
    result: async () => result,
    cancel: async () => {},
    async *[Symbol.asyncIterator]() {
      yield state
    },
  }
}
