// One run of a task: from its claim to its outcome, or to the question that it waits for.
import type { Claim, TaskOutcome, TaskStore } from '../../../backend/task-store.ts'
import type { Progress } from '../../../dispatcher/dispatcher.ts'
import { disclose } from '../../../dispatcher/error-policy.ts'
import { createProgress } from '../../../dispatcher/progress.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { Countdown } from '../../../primitives/async/countdown.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { type Timer, unref } from '../../../primitives/async/timer.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { ServerCore } from '../../../server/core.ts'
import type { TaskContext, TaskRun } from '../../../server/task-run.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import type { InputRequests } from '../../../types/features/input-required.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { ErrorData } from '../../../types/protocol/jsonrpc.ts'
import type { TaskPlan } from '../options/plan.ts'
import type { TaskLimits } from '../options/tasks-options.ts'
import { toLimitError } from './full-store.ts'
import { HandlerWatch } from './handler-watch.ts'
import { isCoreTask } from './input.ts'
import { RunJournal } from './journal.ts'
import { progressText, StatusWriter } from './status.ts'
import { createTaskContext } from './task-context.ts'
import type { WorkerSlot } from './worker-slots.ts'

/** How long a run that was cancelled may take to end by itself. */
export const CANCEL_GRACE_MS = 5_000

/** How often a run that holds looks for answers, where no hint comes. */
const LOOK_MS = 2_000
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 10_000

/** What all runs of a server share. */
export interface RunSetting {
  readonly server: ServerCore
  readonly store: TaskStore
  readonly limits: Required<TaskLimits>
  readonly maxQuestions: number
  /** Called with each progress report of a run, beside its status message. */
  onProgress?(taskId: string, progress: Progress): void
}

/** How a run ended: with an outcome that was kept, waiting for an answer, given back to the queue, or without its task. */
export type RunEnd = TaskOutcome['status'] | 'parked' | 'released' | 'lost'

/** Why a run is over before its handler is. */
type EarlyEnd = 'overtime' | 'stopped' | 'lost'

type Attempt = { readonly result: JSONObject } | { readonly error: unknown } | { readonly early: EarlyEnd }

export class ClaimedRun implements TaskRun {
  readonly claim: Claim
  readonly plan: TaskPlan
  readonly journal: RunJournal
  readonly task: TaskContext
  readonly hold: TaskRun['hold']
  /** When the lease was renewed last, by the monotonic clock. */
  renewedAt: number
  readonly #setting: RunSetting
  readonly #clock: Clock
  /** Made on first use, as the writer below: most runs need neither. */
  #controller: AbortController | undefined
  /** An object, because any value can be a reason. */
  #abortion: { readonly reason: unknown } | undefined
  #status: StatusWriter | undefined
  #early: EarlyEnd | undefined
  #endEarly: ((ended: Attempt) => void) | undefined
  readonly #asked = new Set<string>()
  #runtime: Countdown | undefined
  #isCancelled = false
  #mayBeReleased = false
  #grace: Timer | undefined
  #onHint: (() => void) | undefined
  #writes = 0
  readonly handler: HandlerWatch
  readonly #slot: WorkerSlot | undefined

  /** With the slot of a worker, where one runs it. */
  constructor(setting: RunSetting, claim: Claim, plan: TaskPlan, slot?: WorkerSlot) {
    this.claim = claim
    this.plan = plan
    this.#setting = setting
    this.#slot = slot
    this.#clock = setting.server.clock
    this.handler = new HandlerWatch(this.#clock)
    this.renewedAt = this.#clock.monotonic()
    this.journal = new RunJournal(claim, setting.maxQuestions, (name, value) => this.#keepStep(name, value))
    this.task = this.#createContext()
    this.hold = plan.holds ? (requests, onAnswer) => this.#hold(requests, onAnswer) : undefined
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortion !== undefined) this.#controller.abort(this.#abortion.reason)
    }
    return this.#controller.signal
  }

  get #isAborted(): boolean {
    return this.#abortion !== undefined
  }

  get remainingMs(): number | undefined {
    return this.#runtime?.leftMs
  }

  reportProgress(progress: number, total?: number, message?: string): void {
    this.#setStatus(progressText(progress, total, message))
    if (!this.#isAborted) this.#setting.onProgress?.(this.claim.id, createProgress(progress, total, message))
  }

  /** Follows the work to its end. Never rejects. */
  async follow(work: () => MaybePromise<JSONObject>): Promise<RunEnd> {
    const { maxRuntimeMs } = this.plan
    if (maxRuntimeMs !== undefined) this.#runtime = new Countdown(maxRuntimeMs, () => this.#overrun(), this.#clock)
    try {
      return await this.#conclude(await this.#attempt(work))
    } catch (error) {
      this.#report('A task could not be written to its store', error)
      return 'lost'
    } finally {
      this.#runtime?.stop()
      this.#status?.take()
      this.#clock.clearTimer(this.#grace)
    }
  }

  async #work(work: () => MaybePromise<JSONObject>): Promise<Attempt> {
    this.handler.begin()
    try {
      return { result: await work() }
    } catch (error) {
      return { error }
    } finally {
      this.handler.end()
    }
  }

  /** Renews the lease, and hears whether the task is still this run's. Never rejects. */
  async renew(message: string | undefined = this.#status?.take()): Promise<void> {
    try {
      this.renewedAt = this.#clock.monotonic()
      const held = await this.#write((store) => store.renew(this.claim, this.plan.leaseMs, message))
      if (held === 'lost') this.lose()
      else if (held === 'cancelling') this.cancel()
    } catch (error) {
      this.#report('The lease of a task could not be renewed', error)
    }
  }

  /** The task has changed in the store. What this run has changed itself is no news to it. */
  hint(): void {
    if (this.#onHint !== undefined) this.#onHint()
    else if (this.#writes === 0 && !this.#isCancelled) void this.renew()
  }

  /** Asks the handler to stop. If it does not, the store ends the task after the grace period. */
  cancel(): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#abort(new DOMException('The task was cancelled', 'AbortError'))
    this.#grace = this.#clock.setTimer(() => this.lose(), CANCEL_GRACE_MS)
    unref(this.#grace)
  }

  /** The task is no longer this run's. */
  lose(): void {
    this.#end('lost', new DOMException('The task was taken from this process', 'AbortError'))
  }

  /** The server stops. With `mayBeReleased` another process may go on with the task. */
  stop(mayBeReleased: boolean): void {
    this.#mayBeReleased = mayBeReleased
    this.#end('stopped', new DOMException('The server stops', 'AbortError'))
  }

  #overrun(): void {
    this.#end('overtime', new DOMException('The time limit of the task is over', 'TimeoutError'))
  }

  #end(early: EarlyEnd, reason: unknown): void {
    this.#early ??= early
    this.#endEarly?.({ early: this.#early })
    this.#abort(reason)
  }

  #abort(reason: unknown): void {
    this.#abortion ??= { reason }
    this.#controller?.abort(reason)
  }

  /** The outcome of the work, unless the run ends before it. */
  #attempt(work: () => MaybePromise<JSONObject>): Promise<Attempt> {
    return new Promise((resolve) => {
      this.#endEarly = resolve
      if (this.#early !== undefined) resolve({ early: this.#early })
      void this.#work(work).then(resolve)
    })
  }

  #setStatus(message: string): void {
    this.#status ??= new StatusWriter(this.#clock, (text) => this.renew(text))
    this.#status.set(message)
  }

  async #conclude(ended: Attempt): Promise<RunEnd> {
    try {
      return await this.#concludeWith(ended)
    } catch (error) {
      // The store is full. It has always room for that.
      if (!(error instanceof MCPError)) throw error
      const message = 'A task failed because the tasks that are kept take too much memory'
      this.#setting.server.faults.report({ kind: 'overflow', message, method: 'tools/call', error })
      return this.#fail(error.toErrorData())
    }
  }

  async #concludeWith(ended: Attempt): Promise<RunEnd> {
    if ('early' in ended) return this.#concludeEarly(ended.early)
    if ('error' in ended)
      return this.#isCancelled ? this.#finish('cancelled', '') : this.#fail(this.#discloseError(ended.error))
    const { result } = ended
    if (result['resultType'] === 'input_required')
      return this.#isCancelled ? this.#finish('cancelled', '') : this.#park(result)
    // A handler that stopped as it was asked to; one that has succeeded nevertheless keeps its result.
    if (this.#isCancelled && result['isError'] === true) return this.#finish('cancelled', '')
    return this.#complete(result)
  }

  #concludeEarly(early: EarlyEnd): MaybePromise<RunEnd> {
    if (early === 'lost') return 'lost'
    if (early === 'overtime') {
      return this.#fail(internalError(`The task ran longer than ${this.plan.maxRuntimeMs} ms and was stopped.`))
    }
    if (this.#mayBeReleased)
      return this.#setting.store.release(this.claim).then((isHeld) => (isHeld ? 'released' : 'lost'))
    return this.#fail(internalError('The server was stopped before the task had ended.'))
  }

  #complete(result: JSONObject): Promise<RunEnd> {
    const text = JSON.stringify(result)
    const { maxResultBytes } = this.#setting.limits
    // Most results are small; only large ones are encoded to be measured.
    if (text.length * 3 <= maxResultBytes || new TextEncoder().encode(text).length <= maxResultBytes) {
      // Spec 2025-11-25, Tasks: there a tool that failed makes its task fail, and its result is kept all the same.
      const isFailure = result['isError'] === true && isCoreTask(this.claim)
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
  #discloseError(error: unknown): ErrorData {
    const { data, hidden } = disclose(error)
    if (hidden) this.#report("The handler of 'tools/call' failed", error)
    return data
  }

  async #finish(status: TaskOutcome['status'], text: string): Promise<RunEnd> {
    if (this.#status !== undefined) await this.#status.flush()
    for (let waitMs = FIRST_RETRY_MS; ; waitMs *= 4) {
      try {
        const finished = await this.#write((store) => store.finish(this.claim, { status, text }))
        return finished === 'finished' ? status : 'lost'
      } catch (error) {
        if (waitMs > LAST_RETRY_MS || error instanceof MCPError) throw error
        await this.#pause(waitMs)
      }
    }
  }

  /** Opens the questions, and gives the run up until one of them is answered. */
  async #park(result: JSONObject): Promise<RunEnd> {
    if (this.#status !== undefined) await this.#status.flush()
    const round = this.journal.planRound(result)
    if (round !== undefined) {
      const isKept = await this.#write((store) => store.keepStep(this.claim, round.step, round.value))
      if (!isKept) return 'lost'
    }
    const questions = round?.questions ?? (isPlainObject(result['inputRequests']) ? result['inputRequests'] : {})
    const fresh = Object.entries(questions).filter(([key]) => !this.#asked.has(key))
    if (fresh.length > 0 && !(await this.#ask(fresh))) return 'lost'
    return (await this.#write((store) => store.park(this.claim))) ? 'parked' : 'lost'
  }

  async #hold(requests: InputRequests, onAnswer: (key: string, answer: unknown) => void): Promise<boolean> {
    const waiting = this.#waitFor(requests, onAnswer)
    return this.#runtime?.pausedWhile(waiting) ?? waiting
  }

  async #waitFor(requests: InputRequests, onAnswer: (key: string, answer: unknown) => void): Promise<boolean> {
    const { store, limits } = this.#setting
    if (this.#status !== undefined) await this.#status.flush()
    if (!(await this.#ask(Object.entries(requests)))) return this.#pendForever()
    const open = new Set(Object.keys(requests))
    for (const key of open) this.#asked.add(key)
    const endsAt = this.#clock.monotonic() + limits.parkAfterMs
    // What waits for an answer takes no place of a worker.
    this.#slot?.leave()
    for (;;) {
      const journal = await store.journal(this.claim)
      if (journal === undefined) return this.#pendForever()
      const answered = [...open].filter((key) => journal.answers[key] !== undefined)
      if (answered.length > 0) {
        await this.#slot?.enter()
        for (const key of answered) if (open.delete(key)) onAnswer(key, JSON.parse(journal.answers[key] as string))
        if (open.size === 0) return true
        this.#slot?.leave()
      }
      const leftMs = endsAt - this.#clock.monotonic()
      if (leftMs <= 0 || this.#isAborted) return false
      await this.#hintWithin(Math.min(LOOK_MS, leftMs))
    }
  }

  #ask(questions: readonly (readonly [string, unknown])[]): Promise<boolean> {
    const texts = Object.fromEntries(questions.map(([key, request]) => [key, JSON.stringify(request)]))
    return this.#write((store) => store.ask(this.claim, texts))
  }

  #hintWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(() => this.#onHint?.(), ms)
      unref(timer)
      this.#onHint = () => {
        this.#onHint = undefined
        this.#clock.clearTimer(timer)
        resolve()
      }
    })
  }

  async #keepStep(name: string, value: string): Promise<void> {
    if (!(await this.#write((store) => store.keepStep(this.claim, name, value)))) await this.#pendForever()
  }

  async #write<T>(change: (store: TaskStore) => Promise<T>): Promise<T> {
    this.#writes += 1
    try {
      return await change(this.#setting.store)
    } catch (error) {
      throw toLimitError(error)
    } finally {
      this.#writes -= 1
    }
  }

  /** What a run without its task waits for never comes. */
  #pendForever(): Promise<never> {
    this.lose()
    this.handler.end()
    return new Promise(() => {})
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimer(resolve, ms))
  }

  #createContext(): TaskContext {
    const { claim } = this
    return createTaskContext({
      claim,
      isResumed: !this.journal.isEmpty,
      maxTtlMs: this.#setting.limits.maxTtlMs,
      setStatus: (message) => this.#setStatus(message),
      extend: async (change) => {
        if (!(await this.#write((store) => store.extend(claim, change)))) this.lose()
      },
    })
  }

  #report(message: string, error: unknown): void {
    this.#setting.server.faults.report({ kind: 'handler-failed', message, method: 'tools/call', error })
  }
}

export function internalError(message: string): ErrorData {
  return { code: ErrorCode.InternalError, message }
}
