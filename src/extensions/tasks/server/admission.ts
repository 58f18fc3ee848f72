// How many tasks may be open, of one owner and in all.
import type { TaskStore } from '../../../backend/task-store.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { AllTaskLimits } from '../options/task-limits.ts'
import { LingeringRuns } from './runs/lingering.ts'
import { isNobody } from './values/owner.ts'
import { toClientError } from './values/store-errors.ts'

export class Admission {
  readonly lingering: LingeringRuns
  readonly #store: TaskStore
  readonly #limits: AllTaskLimits
  readonly #onError: (error: unknown) => void
  /** Tasks that are being created, by owner, so that many at once don't pass a limit together. */
  readonly #creating = new Map<string, number>()

  /** `onError` gets what clients do not hear of. */
  constructor(store: TaskStore, limits: AllTaskLimits, onError: (error: unknown) => void) {
    this.lingering = new LingeringRuns(store)
    this.#store = store
    this.#limits = limits
    this.#onError = onError
  }

  /** Rejects with `MCPError` beyond a limit. */
  async admit<T>(owner: string, create: () => Promise<T>): Promise<T> {
    const creating = this.#creating.get(owner) ?? 0
    let creatingInAll = 0
    for (const count of this.#creating.values()) creatingInAll += count
    this.#creating.set(owner, creating + 1)
    try {
      await this.#check(owner, creating, creatingInAll)
      return await create()
    } catch (error) {
      this.#onError(error)
      throw toClientError(error)
    } finally {
      const left = (this.#creating.get(owner) ?? 1) - 1
      if (left === 0) this.#creating.delete(owner)
      else this.#creating.set(owner, left)
    }
  }

  /** Spec, Tasks: without authorization tasks live short. Such a client gets no more time than the tool gives. */
  limitTtl(owner: string, ttlMs: number | null, plan: TaskPlan): number {
    const ofTool = isNobody(owner) ? (plan.ttlMs ?? Infinity) : Infinity
    return Math.min(ttlMs ?? Infinity, ofTool, this.#limits.maxTtlMs)
  }

  async #check(owner: string, creating: number, creatingInAll: number): Promise<void> {
    const { perOwner, total } = this.#limits
    // Nobody is many callers: one of them must not keep all others out.
    if (!isNobody(owner)) {
      const own = (await this.#store.countOpen(owner)) + this.lingering.countOf(owner) + creating
      if (own >= perOwner) throw tooMany('limits.perOwner', perOwner)
    }
    const all = (await this.#store.countOpen()) + this.lingering.total + creatingInAll
    if (all >= total) throw tooMany('limits.total', total)
  }
}

function tooMany(limit: string, max: number): MCPError {
  const message = `Too many tasks are open (${limit}: ${max}). Wait until some have ended, or cancel some.`
  return new MCPError(ErrorCode.InternalError, message, { limit, max })
}
