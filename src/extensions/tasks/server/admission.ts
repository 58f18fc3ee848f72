// How many tasks may be open, of one owner and in all.
import { BackendError } from '../../../backend/backend-error.ts'
import type { TaskStore, TaskStoreLimits } from '../../../backend/task-store.ts'
import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { AllTaskLimits } from '../options/task-limits.ts'
import { LingeringRuns } from './runs/lingering.ts'
import { isNobody } from './values/owner.ts'
import { toClientError } from './values/store-errors.ts'

export class Admission {
  readonly lingering: LingeringRuns
  readonly #limits: AllTaskLimits
  readonly #onError: (error: unknown) => void

  /** `onError` gets what clients do not hear of. */
  constructor(store: TaskStore, limits: AllTaskLimits, onError: (error: unknown) => void) {
    this.lingering = new LingeringRuns(store)
    this.#limits = limits
    this.#onError = onError
  }

  /** `create` gets the limits for the store, which counts the tasks of all nodes. Rejects with `MCPError` beyond a limit. */
  async admit<T>(owner: string, create: (limits: TaskStoreLimits) => Promise<T>): Promise<T> {
    try {
      return await create(this.#limitsFor(owner))
    } catch (error) {
      this.#onError(error)
      throw this.#tooMany(error) ?? toClientError(error)
    }
  }

  /** Spec, Tasks: without authorization tasks live short. Such a client gets no more time than the tool gives. */
  limitTtl(owner: string, ttlMs: number | null, plan: TaskPlan): number {
    const ofTool = isNobody(owner) ? (plan.ttlMs ?? Infinity) : Infinity
    return Math.min(ttlMs ?? Infinity, ofTool, this.#limits.maxTtlMs)
  }

  /** Handlers that work on although their task has ended take the place of open tasks. */
  #limitsFor(owner: string): TaskStoreLimits {
    const { perOwner, total } = this.#limits
    return { perOwner: perOwner - this.lingering.countOf(owner), total: total - this.lingering.total }
  }

  #tooMany(error: unknown): MCPError | undefined {
    const name = error instanceof BackendError ? error.limit?.name : undefined
    if (name !== 'perOwner' && name !== 'total') return undefined
    const limit = `limits.${name}`
    const max = this.#limits[name]
    const message = `Too many tasks are open (${limit}: ${max}). Wait until some have ended, or cancel some.`
    return new MCPError(ErrorCode.InternalError, message, { limit, max }, { cause: error })
  }
}
