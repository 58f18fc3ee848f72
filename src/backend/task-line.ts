// The tasks of one owner in one dialect, oldest first: any of them can leave, and a page can begin at any of them, in one step.
import type { MemoryTask } from './memory-task.ts'

export class TaskLine {
  #oldest: MemoryTask | undefined
  #newest: MemoryTask | undefined

  get isEmpty(): boolean {
    return this.#oldest === undefined
  }

  add(task: MemoryTask): void {
    task.older = this.#newest
    if (this.#newest === undefined) this.#oldest = task
    else this.#newest.newer = task
    this.#newest = task
  }

  delete(task: MemoryTask): void {
    const { older, newer } = task
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    task.older = undefined
    task.newer = undefined
  }

  /** The oldest one, or the oldest that was not created before a time. */
  firstFrom(createdFrom: number | undefined): MemoryTask | undefined {
    let task = this.#oldest
    if (createdFrom !== undefined) while (task !== undefined && task.createdAt < createdFrom) task = task.newer
    return task
  }
}
