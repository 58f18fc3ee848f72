// bullmqExecutor(): tasks as jobs of a BullMQ queue. The queue starts runs; the store of the tasks keeps what becomes of them.
import type { Claim, Task, TaskExecutor } from '../backend/task-store.ts'
import { assertDuration, checkKeys, checkKind, type KnownKeys } from '../primitives/options.ts'

/** What is used of a `Queue` of BullMQ. */
export interface BullMQQueue {
  /** Adds a job. `Queue` of BullMQ has it. */
  add(name: string, data: unknown, options: object): Promise<unknown>
  /** Removes a job that has not begun. `Queue` of BullMQ has it. */
  remove(jobId: string): Promise<unknown>
}

/** Options of `bullmqExecutor()`. */
export interface BullMQExecutorOptions {
  /** How long a job may wait in its queue before it begins (default: 10 minutes). After it the task counts as lost. */
  startWithinMs?: number | undefined
  /** Further options of each job, such as `priority`. */
  job?: Readonly<Record<string, unknown>> | undefined
}

export const BULLMQ_KEYS: KnownKeys<BullMQExecutorOptions> = { startWithinMs: true, job: 'object' }

const START_WITHIN_MS = 600_000

/** Ended jobs that the queue keeps, so that a job that is added again is known. */
const KEPT_JOBS = { age: 3_600, count: 10_000 }

/** Tasks whose last job this process remembers, to take it out of the queue when its task is cancelled. */
const MAX_REMEMBERED = 10_000

/**
 * Runs tasks as jobs of a BullMQ queue. The data of a job is the claim, with the arguments of the call; a `Worker` of BullMQ passes it
 * to `runTask(server, job.data)`. Each attempt is one job, and BullMQ repeats none: how often a task may run is an option of its tool.
 */
export function bullmqExecutor(queue: BullMQQueue, options: BullMQExecutorOptions = {}): TaskExecutor {
  checkKeys('bullmqExecutor()', options, BULLMQ_KEYS)
  checkKind('queue.add of bullmqExecutor()', queue?.add, 'function')
  const { startWithinMs = START_WITHIN_MS, job } = options
  assertDuration('startWithinMs', startWithinMs)
  const jobs = new Map<string, string>()
  const remember = (id: string, jobId: string) => {
    jobs.delete(id)
    jobs.set(id, jobId)
    const [oldest] = jobs.keys()
    if (jobs.size > MAX_REMEMBERED && oldest !== undefined) jobs.delete(oldest)
  }
  return {
    startWithinMs,
    async start(_task: Task, claim: Claim): Promise<void> {
      // BullMQ ignores a job whose id it knows. A colon is not allowed in one.
      const jobId = `${claim.id}-${claim.attempt}`
      remember(claim.id, jobId)
      await queue.add(claim.kind, claim, {
        removeOnComplete: KEPT_JOBS,
        removeOnFail: KEPT_JOBS,
        ...job,
        jobId,
        attempts: 1,
      })
    },
    /** A job that waits is taken out of the queue. One that runs hears of the cancel by its task. */
    async cancel(id: string): Promise<void> {
      const jobId = jobs.get(id)
      jobs.delete(id)
      if (jobId !== undefined) await queue.remove(jobId)
    },
  }
}
