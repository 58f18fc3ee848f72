// One run of a task: its context for the handler, what stops it, and its lease.

import type { Claim, Task, TaskStore } from '../../../../backend/task-store.ts'
import type { Progress } from '../../../../dispatcher/dispatcher.ts'
import { createProgress } from '../../../../dispatcher/progress.ts'
import type { TaskPlan } from '../../../../mcpserver/extensions/task-plan.ts'
import type { Clock } from '../../../../primitives/async/clock.ts'
import { Countdown } from '../../../../primitives/async/countdown.ts'
import type { MaybePromise } from '../../../../primitives/async/promises.ts'
import { type Timer, unref } from '../../../../primitives/async/timer.ts'
import type { ServerCore } from '../../../../server/core.ts'
import type { TaskContext, TaskRun } from '../../../../server/task-run.ts'
import { isFinal } from '../../../../types/extensions/task-status.ts'
import type { InputRequests } from '../../../../types/features/input-required.ts'
import type { JSONObject } from '../../../../types/protocol/json.ts'
import type { AllTaskLimits } from '../../options/task-limits.ts'
import { repeatWhileAway } from '../values/repeat.ts'
import { isEngineAway, toLimitError } from '../values/store-errors.ts'
import type { TaskWatcher, WatchedTasks } from '../watched-tasks.ts'
import { HandlerWatch } from './handler-watch.ts'
import { HeldQuestions } from './held-questions.ts'
import { RunJournal } from './journal.ts'
import { type Attempt, type EarlyEnd, RunConclusion, type RunEnd } from './run-end.ts'
import { progressText, StatusWriter } from './status.ts'
import { createTaskContext } from './task-context.ts'
import type { WorkerSlot } from './worker-slots.ts'

/** How long a run that was cancelled may take to end by itself. */
export const CANCEL_GRACE_MS = 5_000

/** A lease is renewed after a third of its time, so that two renewals may fail. */
const SHARE = 3

/** A renewal that failed is repeated after so long at the latest. */
const RENEW_AGAIN_MS = 2_000

const NOTHING_ASKED: ReadonlySet<string> = new Set()

/** What all runs of a server share. */
export interface RunSetting {
  readonly server: ServerCore
  readonly store: TaskStore
  readonly watched: WatchedTasks
  readonly limits: AllTaskLimits
  readonly maxQuestions: number
  /** The engine of the store is away. */
  onStoreError(error: unknown): void
  /** Called with each progress report of a run, beside its status message. */
  onProgress?(taskId: string, progress: Progress): void
}

export class ClaimedRun implements TaskRun, TaskWatcher {
  readonly claim: Claim
  readonly plan: TaskPlan
  readonly journal: RunJournal
  readonly task: TaskContext
  readonly hold: TaskRun['hold']
  readonly handler: HandlerWatch
  /** When the lease is to be renewed, by the monotonic clock. */
  renewAt: number
  readonly #setting: RunSetting
  readonly #clock: Clock
  readonly #slot: WorkerSlot | undefined
  /** Made on first use, as the next ones: most runs need none of them. */
  #controller: AbortController | undefined
  #status: StatusWriter | undefined
  #held: HeldQuestions | undefined
  /** An object, because any value can be a reason. */
  #abortion: { readonly reason: unknown } | undefined
  #early: EarlyEnd | undefined
  #endEarly: ((ended: Attempt) => void) | undefined
  #runtime: Countdown | undefined
  #isCancelled = false
  #grace: Timer | undefined
  /** The end of the run is being written, so that what the store says of the task is no news. */
  #isEnding = false
  /** The time by the monotonic clock until which nobody else can have the task. */
  #heldUntil: number

  /** `slot` is that of the worker that runs it, if there is one. The claim has a lease of `leaseMs`. */
  constructor(setting: RunSetting, claim: Claim, plan: TaskPlan, leaseMs: number = plan.leaseMs, slot?: WorkerSlot) {
    this.claim = claim
    this.plan = plan
    this.#setting = setting
    this.#slot = slot
    this.#clock = setting.server.clock
    this.handler = new HandlerWatch(this.#clock)
    this.renewAt = this.#clock.monotonic() + leaseMs / SHARE
    this.#heldUntil = this.#clock.monotonic() + leaseMs
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

  get remainingMs(): number | undefined {
    return this.#runtime?.leftMs
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Whether nobody else can have the task, as far as this process can know. */
  get isHeld(): boolean {
    return this.#clock.monotonic() < this.#heldUntil
  }

  get asked(): ReadonlySet<string> {
    return this.#held?.asked ?? NOTHING_ASKED
  }

  reportProgress(progress: number, total?: number, message?: string): void {
    // A plain call drops such progress too.
    if (!Number.isFinite(progress)) return
    this.#setStatus(progressText(progress, total, message))
    if (!this.#isAborted) this.#setting.onProgress?.(this.claim.id, createProgress(progress, total, message))
  }

  /** Follows the work to its end. Never rejects. */
  async follow(work: () => MaybePromise<JSONObject>): Promise<RunEnd> {
    const { maxRuntimeMs } = this.plan
    if (maxRuntimeMs !== undefined) this.#runtime = new Countdown(maxRuntimeMs, () => this.#overrun(), this.#clock)
    try {
      const ended = await this.#attempt(work)
      this.#isEnding = true
      if (this.#status !== undefined && this.#early !== 'lost') await this.#status.flush()
      const { server, store, limits } = this.#setting
      const options = { server, store, clock: this.#clock, maxResultBytes: limits.maxResultBytes }
      return await new RunConclusion(options, this).conclude(ended)
    } catch (error) {
      this.#report('A task could not be written to its store', error)
      return 'lost'
    } finally {
      this.#runtime?.stop()
      this.#status?.take()
      this.#clock.clearTimer(this.#grace)
    }
  }

  /** Renews the lease, and hears whether the task is still this run's. Never rejects. */
  async renew(message: string | undefined = this.#status?.take()): Promise<void> {
    const { leaseMs } = this.plan
    const startedAt = this.#clock.monotonic()
    this.renewAt = startedAt + leaseMs / SHARE
    try {
      const held = await this.#setting.store.renew(this.claim, leaseMs, message)
      this.#heldUntil = startedAt + leaseMs
      if (held === 'lost') this.lose()
      else if (held === 'cancelling') this.cancel()
    } catch (error) {
      if (isEngineAway(error)) this.#setting.onStoreError(error)
      else this.#report('The lease of a task could not be renewed', toLimitError(error))
      // The run goes on as long as nobody else can have the task.
      if (!this.isHeld) this.lose()
      else this.renewAt = Math.min(this.renewAt, this.#clock.monotonic() + RENEW_AGAIN_MS, this.#heldUntil)
    }
  }

  /** The task has changed in the store, by this run or by others. */
  onTask(task: Task | undefined): void {
    if (this.#isEnding) return
    if (task === undefined || task.attempt > this.claim.attempt || isFinal(task)) this.lose()
    else if (task.isCancelling === true) this.cancel()
    this.#held?.wake()
  }

  /** Asks the handler to stop. If it does not, the store ends the task after the grace period. */
  cancel(): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#abort(new DOMException('The task was cancelled', 'AbortError'))
    this.#grace = this.#clock.setTimer(() => this.lose(), CANCEL_GRACE_MS)
    unref(this.#grace)
    this.#held?.wake()
  }

  /** The task is no longer this run's. */
  lose(): void {
    this.#end('lost', new DOMException('The task was taken from this process', 'AbortError'))
  }

  /** The server stops. With `mayBeReleased` another process may go on with the task. */
  stop(mayBeReleased: boolean): void {
    this.#end(mayBeReleased ? 'released' : 'stopped', new DOMException('The server stops', 'AbortError'))
  }

  #overrun(): void {
    this.#end('overtime', new DOMException('The time limit of the task is over', 'TimeoutError'))
  }

  #end(early: EarlyEnd, reason: unknown): void {
    this.#early ??= early
    this.#endEarly?.({ early: this.#early })
    this.#abort(reason)
  }

  get #isAborted(): boolean {
    return this.#abortion !== undefined
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

  #setStatus(message: string): void {
    this.#status ??= new StatusWriter(this.#clock, (text) => this.renew(text))
    this.#status.set(message)
  }

  async #hold(requests: InputRequests, onAnswer: (key: string, answer: unknown) => void): Promise<boolean> {
    if (this.#status !== undefined) await this.#status.flush()
    this.#held ??= this.#createHeld()
    const waiting = this.#held.ask(requests, onAnswer)
    return this.#runtime?.pausedWhile(waiting) ?? waiting
  }

  #createHeld(): HeldQuestions {
    const { limits } = this.#setting
    return new HeldQuestions({
      write: (change) => this.#write(change),
      clock: this.#clock,
      claim: this.claim,
      slot: this.#slot,
      parkAfterMs: limits.parkAfterMs,
      isAborted: () => this.#isAborted,
      lose: () => this.#pendForever(),
    })
  }

  async #keepStep(name: string, value: string): Promise<void> {
    if (!(await this.#write((store) => store.keepStep(this.claim, name, value)))) await this.#pendForever()
  }

  async #write<T>(change: (store: TaskStore) => Promise<T>): Promise<T> {
    const { store, onStoreError } = this.#setting
    try {
      return await repeatWhileAway(
        this.#clock,
        () => change(store),
        () => this.isHeld,
      )
    } catch (error) {
      if (!isEngineAway(error)) throw toLimitError(error)
      onStoreError(error)
      return this.#pendForever()
    }
  }

  /** What a run without its task waits for never comes. */
  #pendForever(): Promise<never> {
    this.lose()
    this.handler.end()
    return new Promise(() => {})
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
