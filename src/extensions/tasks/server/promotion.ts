// A call that becomes a task while its handler runs: when it takes longer than the caller should wait, or when the handler says so.
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { createDeferred, type Deferred, type MaybePromise } from '../../../primitives/async/promises.ts'
import { plainResultOf, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import { DetachableCall } from '../../../server/detachable-call.ts'
import { respond } from '../../../server/results/respond.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { TaskPlan } from '../options/plan.ts'
import type { DialectRules } from './dialect.ts'
import { InlineCall } from './inline-call.ts'
import { readInput } from './input.ts'
import { journalOf } from './journal.ts'
import type { CreatedTask, TaskRuntime } from './runtime.ts'

/** One call of a tool whose client takes tasks. */
export interface PromotableCall {
  readonly runtime: TaskRuntime
  readonly plan: TaskPlan
  readonly rules: DialectRules
  readonly request: ServerRequestContext
  readonly params: CallToolRequestParams
}

/**
 * `running`: a plain result goes out if the handler ends now. `creating`: likewise, and the task is taken back. `task`: the task
 * has gone out, and the outcome belongs to it. `ended`: an answer has gone out. `inline`: there can be no task.
 */
type Phase = 'running' | 'creating' | 'task' | 'ended' | 'inline'

export class Promotion implements Due {
  dueAt: number
  place: number | undefined
  readonly #call: PromotableCall
  readonly #detachable: DetachableCall
  readonly #deadlines: Deadlines
  readonly #startedAt: number
  #inline: InlineCall | undefined
  #answer: Deferred<JSONObject> | undefined
  #outcome: Promise<JSONObject> | undefined
  #phase: Phase = 'running'
  #promoting: Promise<void> | undefined

  /** The call becomes a task after `waitMs`; with `Infinity` only the handler decides. */
  constructor(call: PromotableCall, deadlines: Deadlines, waitMs: number) {
    this.#call = call
    this.#deadlines = deadlines
    this.#startedAt = serverOfRequest(call.request).clock.monotonic()
    this.dueAt = this.#startedAt + waitMs
    this.#detachable = new DetachableCall(call.request)
    this.#detachable.background = (message) => this.#promoteOnce(message)
  }

  /** The answer: what the handler returns or, where that takes too long, a task. */
  run(next: (request: ServerRequestContext) => MaybePromise<JSONObject>): MaybePromise<JSONObject> {
    const outcome = next(this.#detachable.context)
    if (!(outcome instanceof Promise)) {
      this.#phase = 'ended'
      return this.#detachable.pass(outcome)
    }
    const answer = createDeferred<JSONObject>()
    this.#answer = answer
    this.#outcome = outcome
    if (this.dueAt === Infinity) this.#keepWaiting()
    else this.#deadlines.add(this)
    outcome.then(
      (result) => this.#end(() => answer.resolve(this.#detachable.pass(result))),
      (error: unknown) => this.#end(() => answer.reject(error)),
    )
    return answer.promise
  }

  onDue(): void {
    void this.#promoteOnce(undefined)
  }

  #end(answer: () => void): void {
    if (this.#phase === 'task' || this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#deadlines.delete(this)
    this.#inline?.end()
    answer()
  }

  #promoteOnce(message: string | undefined): Promise<void> {
    this.#promoting ??= this.#promote(message)
    return this.#promoting
  }

  /** Never rejects: a call that can't become a task goes on as it is. */
  async #promote(message: string | undefined): Promise<void> {
    if (this.#phase !== 'running') return
    this.#phase = 'creating'
    this.#deadlines.delete(this)
    const created = await this.#create()
    if (created?.claim === undefined) {
      if (this.#isCreating()) this.#goOnInline()
      return
    }
    if (!this.#isCreating() || this.#call.request.signal.aborted) await this.#takeBack(created)
    else this.#becomeTask(created, message)
  }

  #isCreating(): boolean {
    return this.#phase === 'creating'
  }

  async #create(): Promise<CreatedTask | undefined> {
    const { runtime, plan, rules, request, params } = this.#call
    try {
      const history = await this.#detachable.conversation?.history()
      if (!this.#isCreating() || request.signal.aborted) return undefined
      return await runtime.create(request, params.name, {
        dialect: rules.name,
        plan,
        ttlMs: rules.ttlMs(plan, params),
        isRunning: true,
        ...(history !== undefined && { journal: journalOf(history, request) }),
      })
    } catch (error) {
      const message = 'A call that takes long could not become a task, and goes on inside its request'
      serverOfRequest(request).faults.report({ kind: 'handler-failed', message, method: request.method, error })
      return undefined
    }
  }

  #goOnInline(): void {
    this.#phase = 'inline'
    this.#inline?.end()
    this.#keepWaiting()
  }

  /** The call stays inside its request, as for a client that takes no tasks. */
  #keepWaiting(): void {
    const { request } = this.#call
    const stop = (result: JSONObject, reason: unknown) => {
      this.#end(() => this.#answer?.resolve(result))
      this.#detachable.abort(reason)
    }
    const { clock } = serverOfRequest(request)
    this.#inline = new InlineCall(request, clock, this.#deadlines, { startedAt: this.#startedAt, stop })
    this.#inline.begin()
  }

  async #takeBack({ claim }: CreatedTask): Promise<void> {
    const { runtime, request } = this.#call
    try {
      if (claim !== undefined) await runtime.store.discard(claim)
    } catch (error) {
      const message = 'A task whose call had ended could not be taken back'
      serverOfRequest(request).faults.report({ kind: 'handler-failed', message, method: request.method, error })
    }
  }

  /** The handler notices nothing but `ctx.task`. Of the request only the facts are kept that every run of the task has. */
  #becomeTask({ claim, task }: CreatedTask, message: string | undefined): void {
    const { runtime, plan, rules, params } = this.#call
    const outcome = this.#outcome
    if (claim === undefined || outcome === undefined) return
    this.#phase = 'task'
    this.#inline?.end()
    const { context } = this.#detachable
    const run = runtime.adopt(claim, plan)
    this.#detachable.detach(run, readInput(params.name, claim.input).facts)
    if (message !== undefined) run.task.setStatus(message)
    void runtime.follow(run, () =>
      outcome.then((result) => respond(serverOfRequest(context), context, result, plainResultOf(context))),
    )
    this.#answer?.resolve(
      rules.toHandle(message === undefined ? task : { ...task, statusMessage: message }, runtime.now),
    )
  }
}
