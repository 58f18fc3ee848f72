// One subscription for all tasks of a client that are watched. It is replaced when a task joins, and the old one ends after that.
import { backoffDelay } from '../../../client/transports/retry.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import { isRetryable } from './pace.ts'
import type { TaskPort, TaskWatch } from './port.ts'

export interface WatchedTask {
  changed(state: TaskState): void
  /** The task is watched from now on, or not any more, or a change was missed: a poll is due. */
  pollSoon(): void
}

/** A server has to look through the ids of a filter. The tasks beyond are polled. */
const MAX_WATCHED = 1_000
const REOPEN = { initialDelayMs: 2_000, maxDelayMs: 300_000 }

interface OpenWatch {
  readonly asked: ReadonlySet<string>
  readonly watch: TaskWatch
}

export class TaskWatcher {
  readonly #port: TaskPort
  readonly #clock: Clock
  readonly #tasks = new Map<string, WatchedTask>()
  /** Tasks that the server does not report, such as one that is gone: they are polled, and say nothing about the others. */
  readonly #notGranted = new Set<string>()
  #current: OpenWatch | undefined
  #isOpening = false
  #isRefused = false
  #isClosed = false
  /** Subscriptions in a row that failed, or ended before a change. */
  #failures = 0
  #notBefore = 0

  constructor(port: TaskPort, clock: Clock) {
    this.#port = port
    this.#clock = clock
  }

  /** Whether changes of the task are reported. */
  isWatching(taskId: string): boolean {
    return this.#tasks.has(taskId) && this.#current?.watch.granted.has(taskId) === true
  }

  /** Asks to watch a task. Can be repeated, and is then tried again where it failed. */
  watch(taskId: string, task: WatchedTask): void {
    if (this.#port.watch === undefined || this.#notGranted.has(taskId) || !this.#mayOpen()) return
    this.#tasks.set(taskId, task)
    void this.#open()
  }

  /** The subscription stays as it is until another task joins, or none is left. */
  remove(taskId: string): void {
    this.#notGranted.delete(taskId)
    if (this.#tasks.delete(taskId) && this.#tasks.size === 0) this.#drop()
  }

  close(): void {
    this.#isClosed = true
    this.#tasks.clear()
    this.#notGranted.clear()
    this.#drop()
  }

  async #open(): Promise<void> {
    if (this.#isOpening) return
    this.#isOpening = true
    try {
      // Tasks may join while a subscription opens.
      while (this.#mayOpen() && this.#isIncomplete()) await this.#replace()
    } finally {
      this.#isOpening = false
    }
  }

  #mayOpen(): boolean {
    return !this.#isRefused && !this.#isClosed && this.#clock.monotonic() >= this.#notBefore
  }

  #isIncomplete(): boolean {
    const asked = this.#current?.asked
    return this.#wanted().some((taskId) => asked?.has(taskId) !== true)
  }

  #wanted(): string[] {
    return [...this.#tasks.keys()].slice(0, MAX_WATCHED)
  }

  async #replace(): Promise<void> {
    const asked = this.#wanted()
    try {
      await this.#subscribe(asked)
    } catch (error) {
      if (isRetryable(error)) this.#holdOff()
      else if (isRefusal(error)) this.#refuse()
      else this.#poll(asked.filter((taskId) => !this.isWatching(taskId)))
    }
  }

  async #subscribe(asked: readonly string[]): Promise<void> {
    let isOver = false
    let opened: OpenWatch | undefined
    const watch = await this.#port.watch?.(asked, {
      changed: (state) => {
        this.#failures = 0
        this.#tasks.get(state.taskId)?.changed(state)
      },
      missed: (taskId) => this.#tell([taskId]),
      ended: () => {
        isOver = true
        if (opened !== undefined && this.#current === opened) this.#lost()
      },
    })
    if (watch === undefined) return
    if (this.#isClosed) {
      watch.close()
      return
    }
    const previous = this.#current
    opened = { asked: new Set(asked), watch }
    this.#current = opened
    previous?.watch.close()
    if (isOver) {
      this.#lost()
      return
    }
    // The subscriptions overlap, so that a task that both report is watched without a gap.
    this.#tell(asked.filter((taskId) => previous?.watch.granted.has(taskId) !== true))
    this.#poll(asked.filter((taskId) => !watch.granted.has(taskId)))
    if (this.#tasks.size === 0) this.#drop()
  }

  #lost(): void {
    this.#drop()
    this.#holdOff()
  }

  /** These tasks are polled from now on. Others stay as they are. */
  #poll(taskIds: readonly string[]): void {
    this.#tell(taskIds)
    for (const taskId of taskIds) if (this.#tasks.delete(taskId)) this.#notGranted.add(taskId)
    if (this.#tasks.size === 0) this.#drop()
  }

  /** All tasks of this client are polled from now on. */
  #refuse(): void {
    this.#isRefused = true
    this.#drop()
  }

  #holdOff(): void {
    this.#failures += 1
    this.#notBefore = this.#clock.monotonic() + backoffDelay(this.#failures, REOPEN)
  }

  #drop(): void {
    const current = this.#current
    this.#current = undefined
    if (current === undefined) return
    current.watch.close()
    // Nobody reports their changes now, so that none of them may wait as long as if somebody did.
    this.#tell(current.asked)
  }

  #tell(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) this.#tasks.get(taskId)?.pollSoon()
  }
}

/** Whether the server offers no subscriptions to tasks at all. Any other error may be about one of the tasks. */
function isRefusal(error: unknown): boolean {
  return error instanceof MCPError && error.code === ErrorCode.MethodNotFound
}
