// The tasks that a connection has heard of.
import type { TaskState } from 'mcpwire/extensions/tasks'
import type { TaskRow } from '../../protocol/state.ts'

const MAX_TASKS = 200
const MAX_TEXT = 4_096

export class TaskTable {
  readonly #rows = new Map<string, TaskRow>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Newest first. */
  get rows(): TaskRow[] {
    return [...this.#rows.values()].reverse()
  }

  find(id: string): TaskRow | undefined {
    return this.#rows.get(id)
  }

  /** `about` has what the state does not say. */
  update(state: TaskState, about: { tool?: string; call?: string; isWatched?: boolean } = {}): void {
    const before = this.#rows.get(state.taskId)
    const call = about.call ?? before?.call
    this.#rows.set(state.taskId, {
      id: state.taskId,
      tool: about.tool ?? before?.tool ?? '',
      status: state.status,
      createdAt: state.createdAt,
      lastUpdatedAt: state.lastUpdatedAt,
      isWatched: about.isWatched ?? before?.isWatched ?? false,
      ...(call !== undefined && { call }),
      // It is sent with every change of the state.
      ...(state.statusMessage !== undefined && { statusMessage: state.statusMessage.slice(0, MAX_TEXT) }),
    })
    this.#forgetOld()
    this.#onChange()
  }

  setStatus(id: string, status: string): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    this.#rows.set(id, { ...row, status, isWatched: false })
    this.#onChange()
  }

  /** The call that waited for the task has ended. */
  leave(call: string): void {
    for (const [id, row] of this.#rows) {
      if (row.call === call && row.isWatched) this.#rows.set(id, { ...row, isWatched: false })
    }
    this.#onChange()
  }

  #forgetOld(): void {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= MAX_TASKS) break
      this.#rows.delete(id)
    }
  }
}
