// Tells observers of a server, such as metrics, how the tasks that this process created change. Costs nothing without observers.
import type { Task, TaskStore } from '../../../backend/task-store.ts'
import type { ServerCore } from '../../../server/core.ts'
import { isFinal } from './wire.ts'

interface KnownTask {
  readonly tool: string
  status: Task['status']
}

export class TaskCensus {
  readonly #server: ServerCore
  readonly #store: TaskStore
  /** Those that have not ended. */
  readonly #open = new Map<string, KnownTask>()

  constructor(server: ServerCore, store: TaskStore) {
    this.#server = server
    this.#store = store
  }

  add({ id, kind: tool, status }: Task): void {
    if (this.#server.taskObservers.size === 0) return
    this.#open.set(id, { tool, status })
    this.#tell(tool, undefined, status, false)
  }

  /** A hint that the task has changed. */
  look(id: string): void {
    if (this.#open.has(id)) void this.#compare(id)
  }

  async #compare(id: string): Promise<void> {
    try {
      const task = await this.#store.get(id)
      const known = this.#open.get(id)
      if (known === undefined || task?.status === known.status) return
      const { tool, status: from } = known
      if (task === undefined || isFinal(task)) this.#open.delete(id)
      else known.status = task.status
      // A task that was taken back was none.
      if (task !== undefined) this.#tell(tool, from, task.status, isExpired(task))
      else this.#tell(tool, from, 'discarded', false)
    } catch (error) {
      this.#server.faults.report({ kind: 'callback-failed', message: 'A task could not be counted', error })
    }
  }

  #tell(tool: string, from: string | undefined, to: string, isExpiredNow: boolean): void {
    for (const tell of this.#server.taskObservers) tell({ tool, from, to, isExpired: isExpiredNow })
  }
}

/** The store ended it itself, for another reason than a cancel. */
function isExpired({ status, outcome }: Task): boolean {
  return status === 'failed' && outcome === undefined
}
