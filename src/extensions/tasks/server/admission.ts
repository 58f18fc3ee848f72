// How many tasks may be open, of one owner and in all.
import type { TaskStore } from '../../../backend/task-store.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskLimits } from '../options/tasks-options.ts'

export class Admission {
  readonly #store: TaskStore
  readonly #limits: Required<TaskLimits>
  /** Tasks that are being created, by owner, so that many at once don't pass a limit together. */
  readonly #creating = new Map<string, number>()

  constructor(store: TaskStore, limits: Required<TaskLimits>) {
    this.#store = store
    this.#limits = limits
  }

  /** Rejects with `MCPError` where there are too many already. */
  async admit<T>(owner: string, create: () => Promise<T>): Promise<T> {
    const { perOwner, total } = this.#limits
    const creating = this.#creating.get(owner) ?? 0
    let creatingInAll = 0
    for (const count of this.#creating.values()) creatingInAll += count
    this.#creating.set(owner, creating + 1)
    try {
      if ((await this.#store.countOpen(owner)) + creating >= perOwner) throw tooMany('limits.perOwner', perOwner)
      if ((await this.#store.countOpen()) + creatingInAll >= total) throw tooMany('limits.total', total)
      return await create()
    } finally {
      const left = (this.#creating.get(owner) ?? 1) - 1
      if (left === 0) this.#creating.delete(owner)
      else this.#creating.set(owner, left)
    }
  }
}

function tooMany(limit: string, max: number): MCPError {
  const message = `Too many tasks are open (${limit}: ${max}). Wait until some have ended, or cancel some.`
  return new MCPError(ErrorCode.InternalError, message, { limit, max })
}
