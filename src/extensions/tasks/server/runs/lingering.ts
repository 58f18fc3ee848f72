// Handlers that still work although their task has ended: they count against the limits, or a caller could pile them up by cancelling.

import type { TaskStore } from '../../../../backend/task-store.ts'
import { isFinal } from '../../../../types/extensions/task-status.ts'

export class LingeringRuns {
  readonly #store: TaskStore
  readonly #byOwner = new Map<string, number>()
  #total = 0

  constructor(store: TaskStore) {
    this.#store = store
  }

  get total(): number {
    return this.#total
  }

  countOf(owner: string): number {
    return this.#byOwner.get(owner) ?? 0
  }

  /** Counts a run until it is over. Rejects where the store fails. */
  async add(id: string, over: Promise<void>): Promise<void> {
    const task = await this.#store.get(id)
    // One that is still open is counted as such.
    if (task === undefined || !isFinal(task)) return
    const { owner } = task
    this.#change(owner, 1)
    await over
    this.#change(owner, -1)
  }

  #change(owner: string, change: 1 | -1): void {
    this.#total += change
    const count = this.countOf(owner) + change
    if (count === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, count)
  }
}
