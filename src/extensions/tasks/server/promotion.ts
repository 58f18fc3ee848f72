// A call that becomes a task while its handler runs: when it takes longer than the caller should wait, or when the handler says so.

import type { TaskPlan } from '../../../mcpserver/extensions/task-plan.ts'
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { createDeferred, type Deferred, type MaybePromise } from '../../../primitives/async/promises.ts'
import { insideOf, type ServerRequestContext, serverOfRequest } from '../../../server/context.ts'
import { DetachableCall } from '../../../server/detachable-call.ts'
import { respond } from '../../../server/results/respond.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { CallToolRequestParams } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { DialectRules } from './dialect.ts'
import { InlineCall } from './inline-call.ts'
import { journalOf } from './runs/journal.ts'
import type { TaskRuntime } from './runtime.ts'
import type { CreatedTask } from './task-creation.ts'
import { readInput } from './values/input.ts'
import { isEngineAway } from './values/store-errors.ts'

/** What all calls of a server share. */
export interface PromotionSetting {
  readonly runtime: TaskRuntime
  /** One timer for all calls of the server. */
  readonly deadlines: Deadlines
}

/**
 * `running`: a plain result goes out if the handler ends now. `creating`: likewise, and the task is taken back. `task`: the task
 * has gone out, and the outcome belongs to it. `ended`: an answer has gone out. `inline`: there can be no task.
 */
type Phase = 'running' | 'creating' | 'task' | 'ended' | 'inline'

/** One call of a tool whose client takes tasks. */
export class Promotion extends DetachableCall implements Due {
  dueAt: number
  place: number | undefined
  readonly #setting: PromotionSetting
  readonly #plan: TaskPlan
  readonly #rules: DialectRules
  readonly #params: CallToolRequestParams
  readonly #startedAt: number
  #inline: InlineCall | undefined
  #answer: Deferred<JSONObject> | undefined
  #outcome: Promise<JSONObject> | undefined
  #phase: Phase = 'running'
  #promoting: Promise<void> | undefined

  /** The call becomes a task after `waitMs`; with `Infinity` only the handler decides. */
  constructor(
    setting: PromotionSetting,
    plan: TaskPlan,
    rules: DialectRules,
    request: ServerRequestContext,
    params: CallToolRequestParams,
    waitMs: number,
  ) {
    super(request)
    this.#setting = setting
    this.#plan = plan
    this.#rules = rules
    this.#params = params
    this.#startedAt = serverOfRequest(request).clock.monotonic()
    this.dueAt = this.#startedAt + waitMs
  }

  /** The answer: what the handler returns or, where that takes too long, a task. */
  run(next: (request: ServerRequestContext) => MaybePromise<JSONObject>): MaybePromise<JSONObject> {
    const outcome = next(this.context)
    if (!(outcome instanceof Promise)) {
      this.#phase = 'ended'
      return this.pass(outcome)
    }
    const answer = createDeferred<JSONObject>()
    this.#answer = answer
    this.#outcome = outcome
    if (this.dueAt === Infinity) this.#keepWaiting()
    else this.#setting.deadlines.add(this)
    outcome.then(
      (result) => this.#end(() => answer.resolve(this.pass(result))),
      (error: unknown) => this.#end(() => answer.reject(error)),
    )
    return answer.promise
  }

  onDue(): void {
    void this.background(undefined)
  }

  #end(answer: () => void): void {
    if (this.#phase === 'task' || this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#setting.deadlines.delete(this)
    this.#inline?.end()
    answer()
  }

  background(message: string | undefined): Promise<void> {
    this.#promoting ??= this.#promote(message)
    return this.#promoting
  }

  /** Never rejects: a call that can't become a task goes on as it is. */
  async #promote(message: string | undefined): Promise<void> {
    if (this.#phase !== 'running') return
    this.#phase = 'creating'
    this.#setting.deadlines.delete(this)
    const created = await this.#create()
    if (created?.claim === undefined) {
      if (this.#isCreating()) this.#goOnInline()
      return
    }
    if (!this.#isCreating() || this.request.signal.aborted) await this.#takeBack(created)
    else this.#becomeTask(created, message)
  }

  #isCreating(): boolean {
    return this.#phase === 'creating'
  }

  async #create(): Promise<CreatedTask | undefined> {
    const { runtime } = this.#setting
    const { request } = this
    const plan = this.#plan
    try {
      const history = await this.conversation?.history()
      if (!this.#isCreating() || request.signal.aborted) return undefined
      return await runtime.creation.create(request, this.#params.name, {
        dialect: this.#rules.name,
        plan,
        ttlMs: this.#rules.ttlMs(plan, this.#params),
        isRunning: true,
        ...(history !== undefined && { journal: journalOf(history, request) }),
      })
    } catch (error) {
      const message = 'A call that takes long could not become a task, and goes on inside its request'
      // A limit is no fault of the author, and clients reach it at will.
      const isAway = error instanceof MCPError && isEngineAway(error.cause)
      const kind = isAway ? 'transport' : error instanceof MCPError ? 'overflow' : 'handler-failed'
      serverOfRequest(request).faults.report({ kind, message, method: request.method, error })
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
    const { request } = this
    const stop = (result: JSONObject, reason: unknown) => {
      this.#end(() => this.#answer?.resolve(result))
      this.abort(reason)
    }
    const { clock } = serverOfRequest(request)
    this.#inline = new InlineCall(request, clock, this.#setting.deadlines, { startedAt: this.#startedAt, stop })
    this.#inline.begin()
  }

  async #takeBack({ claim }: CreatedTask): Promise<void> {
    const { request } = this
    try {
      if (claim !== undefined) await this.#setting.runtime.store.discard(claim)
    } catch (error) {
      const message = 'A task whose call had ended could not be taken back'
      serverOfRequest(request).faults.report({ kind: 'handler-failed', message, method: request.method, error })
    }
  }

  /** The handler notices nothing but `ctx.task`. Of the request only the facts are kept that every run of the task has. */
  #becomeTask({ claim, task }: CreatedTask, message: string | undefined): void {
    const { runtime } = this.#setting
    const outcome = this.#outcome
    if (claim === undefined || outcome === undefined) return
    this.#phase = 'task'
    this.#inline?.end()
    const { context } = this
    const run = runtime.runs.adopt(claim, this.#plan)
    this.detach(run, readInput(this.#params.name, claim.input).facts)
    if (message !== undefined) run.task.setStatus(String(message))
    void runtime.runs.follow(run, () =>
      outcome.then((result) => respond(serverOfRequest(context), context, result, insideOf(context).plain)),
    )
    this.#answer?.resolve(
      this.#rules.toHandle(message === undefined ? task : { ...task, statusMessage: message }, runtime.now),
    )
  }
}
