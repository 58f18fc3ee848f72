// How a run ends: with an outcome that the store keeps, waiting for an answer, given back to the queue, or without its task.
import type { Claim, TaskOutcome, TaskStore } from '../../../../backend/task-store.ts'
import { disclose } from '../../../../dispatcher/error-policy.ts'
import type { TaskPlan } from '../../../../mcpserver/extensions/task-plan.ts'
import type { Clock } from '../../../../primitives/async/clock.ts'
import { isPlainObject } from '../../../../primitives/json/objects.ts'
import type { ServerCore } from '../../../../server/core.ts'
import { MCPError } from '../../../../types/errors/errors.ts'
import { LimitError } from '../../../../types/errors/failures.ts'
import type { JSONObject } from '../../../../types/protocol/json.ts'
import type { ErrorData } from '../../../../types/protocol/jsonrpc.ts'
import { isCoreTask } from '../values/input.ts'
import { pause, repeatWhileAway } from '../values/repeat.ts'
import { isEngineAway, toLimitError } from '../values/store-errors.ts'
import { internalError } from '../values/wire.ts'
import type { RunJournal } from './journal.ts'

const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000

/** How long an outcome is kept while the engine is away: with it the work of the run would be lost. */
const KEEP_OUTCOME_MS = 600_000

/** The same where the store fails in another way. */
const RETRY_OTHERS_MS = 10_000

/** The message of a task that ends because the server does. */
export const STOPPED = 'The server was stopped before the task had ended.'

export type RunEnd = TaskOutcome['status'] | 'parked' | 'released' | 'lost'

/** Why a run is over before its handler is. */
export type EarlyEnd = 'overtime' | 'stopped' | 'released' | 'lost'

/** What came of the handler, or why nobody waits for it. */
export type Attempt = { readonly result: JSONObject } | { readonly error: unknown } | { readonly early: EarlyEnd }

/** What is known of a run at its end. */
export interface EndedRun {
  readonly claim: Claim
  readonly plan: TaskPlan
  readonly journal: RunJournal
  readonly isCancelled: boolean
  /** Whether nobody else can have the task. */
  readonly isHeld: boolean
  /** The keys of questions that the run has asked itself. */
  readonly asked: ReadonlySet<string>
}

export interface RunConclusionOptions {
  readonly server: ServerCore
  readonly store: TaskStore
  readonly clock: Clock
  readonly maxResultBytes: number
}

/** Writes the end of one run to the store. */
export class RunConclusion {
  readonly #options: RunConclusionOptions
  readonly #run: EndedRun

  constructor(options: RunConclusionOptions, run: EndedRun) {
    this.#options = options
    this.#run = run
  }

  /** Rejects where the store fails for good. */
  async conclude(ended: Attempt): Promise<RunEnd> {
    try {
      return await this.#conclude(ended)
    } catch (error) {
      // The store is full, or does not take so large a value. It has always room for that.
      if (!(error instanceof MCPError)) throw error
      const message = 'A task failed because its store did not take what it returned or asked'
      this.#options.server.faults.report({ kind: 'overflow', message, method: 'tools/call', error })
      return this.#fail(error.toErrorData())
    }
  }

  async #conclude(ended: Attempt): Promise<RunEnd> {
    const { isCancelled } = this.#run
    if ('early' in ended) return this.#concludeEarly(ended.early)
    if ('error' in ended) return isCancelled ? this.#finish('cancelled', '') : this.#fail(this.#toError(ended.error))
    const { result } = ended
    if (result['resultType'] === 'input_required') {
      return isCancelled ? this.#finish('cancelled', '') : this.#park(result)
    }
    // A handler that stopped as it was asked to; one that has succeeded nevertheless keeps its result.
    if (isCancelled && result['isError'] === true) return this.#finish('cancelled', '')
    return this.#complete(result)
  }

  async #concludeEarly(early: EarlyEnd): Promise<RunEnd> {
    const { claim, plan } = this.#run
    switch (early) {
      case 'lost':
        return 'lost'
      case 'overtime':
        return this.#fail(internalError(`The task ran longer than ${plan.maxRuntimeMs} ms and was stopped.`))
      case 'released':
        return (await this.#write((store) => store.release(claim))) ? 'released' : 'lost'
      default:
        return this.#fail(internalError(STOPPED))
    }
  }

  #complete(result: JSONObject): Promise<RunEnd> {
    const text = JSON.stringify(result)
    const { maxResultBytes } = this.#options
    // Most results are small; only large ones are encoded to be measured.
    if (text.length * 3 <= maxResultBytes || new TextEncoder().encode(text).length <= maxResultBytes) {
      // Spec 2025-11-25, Tasks: there a tool that failed makes its task fail, and its result is kept all the same.
      const isFailure = result['isError'] === true && isCoreTask(this.#run.claim)
      return this.#finish(isFailure ? 'failed' : 'completed', text)
    }
    const message =
      `The result of the task is larger than ${maxResultBytes} bytes. ` +
      'Return a link to a resource, or raise limits.maxResultBytes of tasks().'
    this.#report('The result of a task is too large', new LimitError('maxResultBytes', maxResultBytes, message))
    const data = { limit: 'maxResultBytes', max: maxResultBytes }
    return this.#fail({ ...internalError(`The result of the task is larger than ${maxResultBytes} bytes.`), data })
  }

  #fail(error: ErrorData): Promise<RunEnd> {
    return this.#finish('failed', JSON.stringify(error))
  }

  /** What a client would have got, and a fault for the author where that hides something. */
  #toError(error: unknown): ErrorData {
    const { data, hidden } = disclose(error)
    if (hidden) this.#report("The handler of 'tools/call' failed", error)
    return data
  }

  /** Repeated until the store has said what became of it: an answer that got lost may have been any. */
  async #finish(status: TaskOutcome['status'], text: string): Promise<RunEnd> {
    const { store, clock } = this.#options
    const startedAt = clock.monotonic()
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        const finished = await store.finish(this.#run.claim, { status, text })
        return finished === 'finished' ? status : 'lost'
      } catch (failure) {
        const error = toLimitError(failure)
        const patienceMs = isEngineAway(error) ? KEEP_OUTCOME_MS : RETRY_OTHERS_MS
        const isOver = clock.monotonic() - startedAt + waitMs > patienceMs
        if (isOver || error instanceof MCPError) throw error
        await pause(clock, waitMs)
      }
    }
  }

  /** Opens the questions, and gives the run up until one of them is answered. */
  async #park(result: JSONObject): Promise<RunEnd> {
    const { claim, journal, asked } = this.#run
    try {
      const round = journal.planRound(result)
      if (round !== undefined && !(await this.#write((store) => store.keepStep(claim, round.step, round.value)))) {
        return 'lost'
      }
      const questions = round?.questions ?? (isPlainObject(result['inputRequests']) ? result['inputRequests'] : {})
      const fresh = Object.entries(questions).filter(([key]) => !asked.has(key))
      if (fresh.length > 0 && !(await this.#write((store) => store.ask(claim, toTexts(fresh))))) return 'lost'
      return (await this.#write((store) => store.park(claim))) ? 'parked' : 'lost'
    } catch (error) {
      throw toLimitError(error)
    }
  }

  /** What is not the outcome can be repeated as long as nobody else can have the task. */
  #write<T>(change: (store: TaskStore) => Promise<T>): Promise<T> {
    const { clock, store } = this.#options
    return repeatWhileAway(
      clock,
      () => change(store),
      () => this.#run.isHeld,
    )
  }

  #report(message: string, error: unknown): void {
    this.#options.server.faults.report({ kind: 'handler-failed', message, method: 'tools/call', error })
  }
}

/** Questions as a store keeps them. */
export function toTexts(questions: readonly (readonly [string, unknown])[]): Record<string, string> {
  return Object.fromEntries(questions.map(([key, request]) => [key, JSON.stringify(request)]))
}
