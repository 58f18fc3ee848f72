// Who may reach which tasks. Every method on tasks finds its task here.
import { BackendError } from '../../../backend/backend-error.ts'
import type { MemoryTaskStore } from '../../../backend/memory-task-store.ts'
import type { Task, TaskPage, TaskStore } from '../../../backend/task-store.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { TaskDialect } from '../../../types/extensions/tasks.ts'
import type { TaskTools } from '../options/tasks-options.ts'
import { digestOwner, isNobody, type OwnerOf } from './values/owner.ts'
import { toClientError } from './values/store-errors.ts'
import { isTaskId, unknownTask } from './values/task-id.ts'

export interface TaskAccessOptions {
  readonly store: TaskStore
  /** The same store, where it is in the memory of this process. */
  readonly memory: MemoryTaskStore | undefined
  readonly ownerOf: OwnerOf
  tools(): TaskTools
  onError(error: unknown): void
}

export class TaskAccess {
  readonly #options: TaskAccessOptions

  constructor(options: TaskAccessOptions) {
    this.#options = options
  }

  /**
   * The task for this caller. Rejects with one and the same error for a task that is missing, expired, somebody else's, of the
   * other dialect, or of a tool that the caller can't use any more. With `toCancel` the last of these does not matter.
   */
  async lookUp(request: ServerRequestContext, id: string, dialect: TaskDialect, toCancel = false): Promise<Task> {
    return this.#admit(request, await this.#get(id), dialect, toCancel)
  }

  /** Does what `lookUp` does, at once if the tasks are in the memory of this process. */
  lookUpNow(request: ServerRequestContext, id: string, dialect: TaskDialect): MaybePromise<Task> {
    const { memory } = this.#options
    if (memory === undefined) return this.lookUp(request, id, dialect)
    return this.#admit(request, isTaskId(id) ? memory.getNow(id) : undefined, dialect, false)
  }

  /** Whether there is a task of this id that belongs to the caller. */
  async owns(request: ServerRequestContext, id: string): Promise<boolean> {
    const task = await this.#get(id)
    return task !== undefined && task.owner === this.#identify(request)
  }

  /** Whether the caller may still use the tool of its task. */
  mayUse(task: Task, request: ServerRequestContext): boolean {
    return this.#options.tools().mayUse(task.kind, request)
  }

  /** Tasks of the caller in one dialect, oldest first. */
  list(request: ServerRequestContext, page: TaskPage): Promise<readonly Task[]> {
    return this.#forClient(this.#options.store.list(this.ownerOf(request), page))
  }

  /** Whether the caller can be told apart from others. */
  isKnown(request: ServerRequestContext): boolean {
    const owner = this.#identify(request)
    return owner !== undefined && !isNobody(owner)
  }

  /** The caller as the store has it. Throws what the option `owner` throws. */
  ownerOf(request: ServerRequestContext): string {
    return digestOwner(this.#options.ownerOf, request)
  }

  async #get(id: string): Promise<Task | undefined> {
    return isTaskId(id) ? this.#forClient(this.#readable(id)) : undefined
  }

  /** What the engine has, and nobody can read, is treated as absent. */
  async #readable(id: string): Promise<Task | undefined> {
    try {
      return await this.#options.store.get(id)
    } catch (error) {
      if (!(error instanceof BackendError) || error.kind !== 'corrupt') throw error
      this.#options.onError(error)
      return undefined
    }
  }

  /** The same promise, with errors that say nothing of the engine. */
  async #forClient<T>(read: Promise<T>): Promise<T> {
    try {
      return await read
    } catch (error) {
      this.#options.onError(error)
      throw toClientError(error)
    }
  }

  #admit(request: ServerRequestContext, task: Task | undefined, dialect: TaskDialect, toCancel: boolean): Task {
    const owner = this.#identify(request)
    const isFound = task !== undefined && task.owner === owner && task.dialect === dialect
    if (!isFound || (!toCancel && !this.mayUse(task, request))) throw unknownTask()
    return task
  }

  /** Returns `undefined` if the option `owner` fails: a caller that can't be identified owns nothing. */
  #identify(request: ServerRequestContext): string | undefined {
    try {
      return this.ownerOf(request)
    } catch (error) {
      this.#options.onError(error)
      return undefined
    }
  }
}
