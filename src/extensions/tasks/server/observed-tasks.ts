// Tells observers of a server, such as metrics, how the tasks that this process created change. Costs nothing without observers.

import type { Task } from '../../../backend/task-store.ts'
import type { ServerCore } from '../../../server/core.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { WatchedTasks } from './watched-tasks.ts'

export class ObservedTasks {
  readonly #server: ServerCore
  readonly #watched: WatchedTasks

  constructor(server: ServerCore, watched: WatchedTasks) {
    this.#server = server
    this.#watched = watched
  }

  /** A new task, until it has ended. */
  add({ id, kind: tool, status, revision }: Task): void {
    if (this.#server.taskObservers.size === 0) return
    let known: string = status
    const forget = this.#watched.add(id, { onTask: (task) => tell(task) }, revision)
    const tell = (task: Task | undefined) => {
      if (task?.status === known) return
      const from = known
      // A task that was taken back was none.
      known = task?.status ?? 'discarded'
      if (task !== undefined && isFinal(task)) forget()
      this.#tell(tool, from, known, task !== undefined && isExpired(task))
    }
    this.#tell(tool, undefined, status, false)
  }

  #tell(tool: string, from: string | undefined, to: string, isExpiredNow: boolean): void {
    for (const tell of this.#server.taskObservers) tell({ tool, from, to, isExpired: isExpiredNow })
  }
}

/** The store ended it itself, for another reason than a cancel. */
function isExpired({ status, outcome }: Task): boolean {
  return status === 'failed' && outcome === undefined
}
