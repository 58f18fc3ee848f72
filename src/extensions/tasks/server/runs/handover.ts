// Hands tasks over to the job system of the author, which runs them with `runTask()`.
import type { Claim, TaskExecutor, TaskStore } from '../../../../backend/task-store.ts'

const START_WITHIN_MS = 600_000

export class Handover {
  /** How long a job may wait before it begins. */
  readonly leaseMs: number
  readonly #executor: TaskExecutor
  readonly #store: TaskStore
  readonly #onError: (error: unknown) => void

  constructor(executor: TaskExecutor, store: TaskStore, onError: (error: unknown) => void) {
    this.#executor = executor
    this.#store = store
    this.#onError = onError
    this.leaseMs = executor.startWithinMs ?? START_WITHIN_MS
  }

  /** Starts the job. Where that fails, the task goes back to the queue, and is started again later. Never rejects. */
  async start(claim: Claim): Promise<void> {
    try {
      const task = await this.#store.get(claim.id)
      if (task !== undefined) await this.#executor.start(task, claim)
    } catch (error) {
      this.#onError(error)
      await this.#store.release(claim).catch(this.#onError)
    }
  }

  /** The run hears of it by its lease too; the job system may be quicker. Never rejects. */
  async cancel(id: string): Promise<void> {
    await this.#executor.cancel(id).catch(this.#onError)
  }
}
