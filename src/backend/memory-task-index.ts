// The tasks of a store in memory by their id, and in the order of their owners, with what they count and weigh; and those that are ready.
import { LinkedQueue, type QueuePlace } from '../primitives/async/linked-queue.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { MemoryTask } from './memory-task.ts'
import type { TaskPage } from './task-store.ts'

export class MemoryTaskIndex {
  readonly #budget: ByteBudget
  readonly #tasks = new Map<string, MemoryTask>()
  /** The tasks of each owner in one dialect, oldest first: any can leave, and a page can begin at any, in one step. */
  readonly #lines = new Map<string, LinkedQueue<MemoryTask>>()
  readonly #openByOwner = new Map<string, number>()
  #open = 0

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /** Those that have ended and are still kept, too. */
  values(): IterableIterator<MemoryTask> {
    return this.#tasks.values()
  }

  get(id: string): MemoryTask | undefined {
    return this.#tasks.get(id)
  }

  /** Tasks that have not ended: of one owner, or of all. */
  countOpen(owner: string | undefined): number {
    return owner === undefined ? this.#open : (this.#openByOwner.get(owner) ?? 0)
  }

  add(task: MemoryTask): void {
    this.#tasks.set(task.given.id, task)
    const key = lineKeyOf(task)
    const line = this.#lines.get(key) ?? new LinkedQueue<MemoryTask>()
    this.#lines.set(key, line)
    task.linePlace = line.push(task)
    this.recount(task)
    this.#count(task, 1)
  }

  /** The task has ended, or is taken back. */
  noLongerOpen(task: MemoryTask): void {
    this.#count(task, -1)
  }

  /** False: it was not there any more. */
  remove(task: MemoryTask): boolean {
    if (!this.#tasks.delete(task.given.id)) return false
    this.#budget.change(task.given.owner, -task.countedBytes)
    const key = lineKeyOf(task)
    task.linePlace?.leave()
    task.linePlace = undefined
    if (this.#lines.get(key)?.size === 0) this.#lines.delete(key)
    return true
  }

  /** What the task weighs now. */
  recount(task: MemoryTask): void {
    this.#budget.change(task.given.owner, task.bytes - task.countedBytes)
    task.countedBytes = task.bytes
  }

  /** Where a page begins; the tasks after it follow by `behind`. */
  startOf(owner: string, { dialect, after, createdFrom }: TaskPage): QueuePlace<MemoryTask> | undefined {
    const line = this.#lines.get(lineKey(owner, dialect))
    if (after === undefined) return firstFrom(line, createdFrom)
    const known = this.#tasks.get(after)
    const isBookmarked = known !== undefined && this.#lines.get(lineKeyOf(known)) === line
    return isBookmarked ? known.linePlace?.behind : undefined
  }

  #count({ given: { owner } }: MemoryTask, change: 1 | -1): void {
    this.#open += change
    const open = (this.#openByOwner.get(owner) ?? 0) + change
    if (open === 0) this.#openByOwner.delete(owner)
    else this.#openByOwner.set(owner, open)
  }
}

/** What can be claimed: those whose worker was lost, then the tasks of each owner in a line of their own. The owners take turns. */
export class ReadyTasks {
  readonly #lost = new Set<MemoryTask>()
  /** In the order of the next turns. */
  readonly #lines = new Map<string, Set<MemoryTask>>()

  add(task: MemoryTask): void {
    this.delete(task)
    const { owner } = task.given
    const line = this.#lines.get(owner)
    if (line === undefined) this.#lines.set(owner, new Set([task]))
    else line.add(task)
  }

  addLost(task: MemoryTask): void {
    this.#lost.add(task)
  }

  delete(task: MemoryTask): void {
    this.#lost.delete(task)
    const { owner } = task.given
    const line = this.#lines.get(owner)
    if (line?.delete(task) === true && line.size === 0) this.#lines.delete(owner)
  }

  /** At most so many, which are not ready any more. */
  take(max: number, isWanted: (task: MemoryTask) => boolean): MemoryTask[] {
    const taken: MemoryTask[] = []
    for (const task of this.#lost) {
      if (taken.length >= max) return taken
      if (isWanted(task) && this.#lost.delete(task)) taken.push(task)
    }
    // An owner that had its turn goes to the end of the map, where the loop finds it again.
    for (const [owner, line] of this.#lines) {
      if (taken.length >= max) break
      const task = firstOf(line, isWanted)
      if (task === undefined) continue
      this.#lines.delete(owner)
      line.delete(task)
      if (line.size > 0) this.#lines.set(owner, line)
      taken.push(task)
    }
    return taken
  }
}

function firstOf(line: ReadonlySet<MemoryTask>, isWanted: (task: MemoryTask) => boolean): MemoryTask | undefined {
  for (const task of line) if (isWanted(task)) return task
  return undefined
}

/** The oldest one, or the oldest that was not created before a time. */
function firstFrom(
  line: LinkedQueue<MemoryTask> | undefined,
  createdFrom: number | undefined,
): QueuePlace<MemoryTask> | undefined {
  let place = line?.first
  if (createdFrom !== undefined) {
    while (place !== undefined && place.value.createdAt < createdFrom) place = place.behind
  }
  return place
}

/** Owners are digests, so that no dialect can look like the end of one. */
function lineKey(owner: string, dialect: string): string {
  return `${owner} ${dialect}`
}

function lineKeyOf({ given: { owner, dialect } }: MemoryTask): string {
  return lineKey(owner, dialect)
}
