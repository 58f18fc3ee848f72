// The tasks that somebody in this process waits for. A hint of the store may come late, twice or never: after each hint the task is
// looked at, and where the store is shared every two seconds too. Whoever waits hears of each change once.
import type { Task } from '../../../backend/task-store.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { type Timer, unref } from '../../../primitives/async/timer.ts'

/** How often tasks are looked at without a hint. */
export const LOOK_MS = 2_000

/** Tasks that one look every two seconds reads at most. With more, each has its turn later. */
const MAX_PER_LOOK = 1_000

/** Reads under way at once in such a look. */
const READERS = 16

export interface TaskWatcher {
  /** The task has changed; `undefined`: it is gone, and is watched no more. Must not throw. */
  onTask(task: Task | undefined): void
}

export interface WatchedTasksOptions {
  /** Answers at once if the tasks are in the memory of this process. */
  get(id: string): MaybePromise<Task | undefined>
  readonly clock: () => Clock
  /** Whether hints may get lost. Those of a store in memory do not. */
  readonly losesHints: boolean
  onError(error: unknown): void
}

interface Watch {
  readonly watcher: TaskWatcher
  /** What the watcher knows. */
  revision: number
}

interface WatchedTask {
  readonly watches: Watch[]
  isLooking: boolean
  /** Set if the task has to be looked at again. */
  isDue: boolean
}

export class WatchedTasks {
  readonly #options: WatchedTasksOptions
  /** Those that were looked at longest ago come first. */
  readonly #tasks = new Map<string, WatchedTask>()
  #timer: Timer | undefined
  #isLooking = false
  #isOpen = false

  constructor(options: WatchedTasksOptions) {
    this.#options = options
  }

  /** The watcher hears of revisions above the one it knows. The returned function ends it. */
  add(id: string, watcher: TaskWatcher, knownRevision = 0): () => void {
    const watched = this.#tasks.get(id) ?? { watches: [], isLooking: false, isDue: false }
    const watch = { watcher, revision: knownRevision }
    watched.watches.push(watch)
    this.#tasks.set(id, watched)
    this.#lookLater()
    return () => {
      const place = watched.watches.indexOf(watch)
      if (place >= 0) watched.watches.splice(place, 1)
      if (watched.watches.length === 0 && this.#tasks.get(id) === watched) this.#forget(id)
    }
  }

  /** A hint that the task has changed. */
  changed(id: string): void {
    const watched = this.#tasks.get(id)
    if (watched !== undefined) void this.#look(id, watched)
  }

  /** Hints were lost: every task is looked at. */
  lookAtAll(): void {
    void this.#lookAt([...this.#tasks.keys()])
  }

  /** Starts to look at tasks without a hint too, if hints may get lost. */
  open(): void {
    this.#isOpen = true
    if (this.#tasks.size > 0) this.#lookLater()
  }

  close(): void {
    this.#isOpen = false
    this.#stopTimer()
  }

  /** One look at a time, so that changes are heard in their order. */
  #look(id: string, watched: WatchedTask): MaybePromise<void> {
    watched.isDue = true
    if (watched.isLooking) return
    watched.isLooking = true
    watched.isDue = false
    try {
      const task = this.#options.get(id)
      if (task instanceof Promise) return this.#finishLook(id, watched, task)
      this.#tell(id, watched, task)
    } catch (error) {
      this.#options.onError(error)
    }
    watched.isLooking = false
    // The store has called back meanwhile: it tells of a change while it makes one.
    if (watched.isDue) return this.#look(id, watched)
  }

  async #finishLook(id: string, watched: WatchedTask, first: Promise<Task | undefined>): Promise<void> {
    try {
      this.#tell(id, watched, await first)
      while (watched.isDue) {
        watched.isDue = false
        this.#tell(id, watched, await this.#options.get(id))
      }
    } catch (error) {
      this.#options.onError(error)
    } finally {
      // This is the same step as the last check of isDue, so that no hint is lost between the two.
      watched.isLooking = false
    }
  }

  #tell(id: string, watched: WatchedTask, task: Task | undefined): void {
    if (task === undefined && this.#tasks.get(id) === watched) this.#forget(id)
    for (const watch of [...watched.watches]) {
      if (task !== undefined && task.revision <= watch.revision) continue
      watch.revision = task?.revision ?? Infinity
      watch.watcher.onTask(task)
    }
  }

  #forget(id: string): void {
    this.#tasks.delete(id)
    if (this.#tasks.size === 0) this.#stopTimer()
  }

  #lookLater(): void {
    if (this.#timer !== undefined || !this.#isOpen || !this.#options.losesHints) return
    this.#timer = this.#options.clock().setTimer(() => {
      this.#timer = undefined
      if (this.#tasks.size === 0) return
      this.#lookLater()
      // A store that is slow is not asked for more.
      if (!this.#isLooking) void this.#lookAtOldest()
    }, LOOK_MS)
    unref(this.#timer)
  }

  async #lookAtOldest(): Promise<void> {
    this.#isLooking = true
    const ids: string[] = []
    for (const id of this.#tasks.keys()) if (ids.push(id) === MAX_PER_LOOK) break
    for (const id of ids) this.#moveBack(id)
    await this.#lookAt(ids)
    this.#isLooking = false
  }

  #moveBack(id: string): void {
    const watched = this.#tasks.get(id)
    if (watched === undefined) return
    this.#tasks.delete(id)
    this.#tasks.set(id, watched)
  }

  async #lookAt(ids: readonly string[]): Promise<void> {
    const waiting = ids.values()
    const read = async () => {
      for (const id of waiting) {
        const watched = this.#tasks.get(id)
        if (watched !== undefined) await this.#look(id, watched)
      }
    }
    await Promise.all(Array.from({ length: READERS }, read))
  }

  #stopTimer(): void {
    this.#options.clock().clearTimer(this.#timer)
    this.#timer = undefined
  }
}
