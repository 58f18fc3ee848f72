// Reports that tasks wait and nobody runs them, on a node that runs none itself: a worker process that was forgotten fails nothing.
import type { Task } from '../../../backend/task-store.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { type Timer, unref } from '../../../primitives/async/timer.ts'

/** How long a task may wait before it is reported. */
export const REPORT_WAITING_MS = 10_000

export interface WaitingTasksOptions {
  readonly clock: () => Clock
  get(id: string): MaybePromise<Task | undefined>
  report(message: string, remedy: string): void
}

export class WaitingTasks {
  readonly #options: WaitingTasksOptions
  #timer: Timer | undefined
  /** Stays true until a task is seen that somebody has begun. */
  #isReported = false

  constructor(options: WaitingTasksOptions) {
    this.#options = options
  }

  /** A task that was created here. One at a time is looked at again, which takes one trip. */
  add({ id, kind, attempt }: Task): void {
    if (attempt > 0 || this.#timer !== undefined) return
    this.#timer = this.#options.clock().setTimer(() => {
      this.#timer = undefined
      void this.#look(id, kind)
    }, REPORT_WAITING_MS)
    unref(this.#timer)
  }

  close(): void {
    this.#options.clock().clearTimer(this.#timer)
    this.#timer = undefined
  }

  async #look(id: string, tool: string): Promise<void> {
    let task: Task | undefined
    try {
      task = await this.#options.get(id)
    } catch {
      // An engine that is away has been reported by others.
    }
    if (task === undefined) return
    const isWaiting = task.status === 'working' && task.attempt === 0
    if (isWaiting && !this.#isReported) this.#report(tool)
    this.#isReported = isWaiting
  }

  #report(tool: string): void {
    this.#options.report(
      `A task of the tool ${JSON.stringify(tool)} has waited ${REPORT_WAITING_MS / 1_000} s, and no process runs it. This process runs no tasks, because workers is 0.`,
      'Start a process that does, with mcpwire worker <file>, or set workers above 0.',
    )
  }
}
