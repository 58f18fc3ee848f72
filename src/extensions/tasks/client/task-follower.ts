// Follows one task to its end: polls at its pace, answers its questions, and tells whoever waits what changed.

import type { Clock } from '../../../primitives/async/clock.ts'
import { TaskGoneError } from '../../../types/extensions/task-errors.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { InputRequest, InputResponse } from '../../../types/features/input-required.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { isRetryable, isUnknownTask, Pace } from './pace.ts'
import { pauseFor } from './pause.ts'
import type { TaskPort, TaskResultSource } from './port.ts'
import { StuckDetector } from './stuck-detector.ts'
import { TaskQuestions } from './task-questions.ts'
import { isOlderState, isSameState } from './task-state.ts'
import type { TaskWatcher } from './task-watcher.ts'

/** How following a task ended. */
export type TaskEnd =
  | { readonly kind: 'final'; readonly state: TaskState }
  /** The server does not know it any more. */
  | { readonly kind: 'gone'; readonly error: TaskGoneError }
  /** The task may go on, and can be followed again. */
  | { readonly kind: 'given-up'; readonly error: unknown; readonly mustCancel: boolean }

/** Somebody who waits for a task. */
export interface TaskWaiter {
  changed?(state: TaskState): void
  /** A request was sent that the server has not answered yet. */
  silent?(): void
  /** The server gave a sign of life. */
  heard?(): void
  /** A poll failed, and is repeated. */
  failed?(error: unknown): void
  ended(end: TaskEnd): void
}

export interface FollowerOptions {
  readonly taskId: string
  readonly port: TaskPort
  readonly clock: Clock
  /** The newest state, once one is known. */
  readonly state?: TaskState | undefined
  /** When the server stops keeping the task, by the clock; `Infinity` for never. */
  readonly keptUntil: number
  readonly watcher?: TaskWatcher | undefined
  /** The task is watched after this many answered polls. */
  readonly watchAfterPolls?: number
  answer(key: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
}

const WATCH_AFTER_POLLS = 2
/** How long polls may fail where the server keeps the task without limit. */
const MAX_FAILING_MS = 300_000

/** Polls only while somebody waits. */
export class TaskFollower {
  readonly #options: FollowerOptions
  readonly #waiters = new Set<TaskWaiter>()
  readonly #pace = new Pace()
  #questions: TaskQuestions | undefined
  readonly #stuck: StuckDetector
  readonly #result: TaskResultSource | undefined
  #state: TaskState | undefined
  #keptUntil: number
  #lastPollAt: number
  #end: TaskEnd | undefined
  #run: AbortController | undefined
  #wake: (() => void) | undefined
  /** The server said once that it does not know the task. */
  #hasDoubt = false
  #failingSince = 0
  /** A poll was answered since the subscription opened, so that nothing was missed before it. */
  #isConfirmed = false

  constructor(options: FollowerOptions) {
    const { clock, port, taskId, state } = options
    this.#options = options
    this.#state = state
    this.#keptUntil = options.keptUntil
    // The state of a handle is new. It is asked for again at once where it says that there is more to know.
    const isNews = state !== undefined && !isFinal(state) && state.status !== 'input_required'
    this.#lastPollAt = isNews ? clock.monotonic() : -Infinity
    this.#stuck = new StuckDetector(clock)
    this.#result = port.createResultSource?.(taskId, (result) => this.#fetchedEarly(result))
  }

  /** Most tasks ask nothing. */
  get #allQuestions(): TaskQuestions {
    const { clock, port, taskId, answer } = this.#options
    this.#questions ??= new TaskQuestions({
      clock,
      answer,
      send: (key, response, signal) => port.update?.(taskId, { [key]: response }, { signal }) ?? Promise.resolve(),
      failed: (error) => this.#giveUp(error, true),
    })
    return this.#questions
  }

  get state(): TaskState | undefined {
    return this.#state
  }

  /** How long the server still keeps the task, in milliseconds. `Infinity` where it names no limit. */
  get keptMs(): number {
    return this.#keptUntil - this.#options.clock.monotonic()
  }

  /** How the task ended, once it has. */
  get end(): TaskEnd | undefined {
    return this.#end
  }

  /** Starts to wait. Returns how to stop; with the last waiter the polls stop, and open questions are withdrawn. */
  join(waiter: TaskWaiter): () => void {
    if (this.#end !== undefined) {
      waiter.ended(this.#end)
      return () => {}
    }
    this.#waiters.add(waiter)
    if (this.#run === undefined) this.#start()
    return () => {
      if (this.#waiters.delete(waiter) && this.#waiters.size === 0) this.#stop()
    }
  }

  /** Whether somebody waits. */
  get isFollowed(): boolean {
    return this.#waiters.size > 0
  }

  /** Ends all waiting, because the connection has ended. */
  abandon(reason: unknown): void {
    if (this.#run !== undefined) this.#giveUp(reason, false)
  }

  #start(): void {
    const run = new AbortController()
    this.#run = run
    // Whoever waits anew gives the server the whole time again.
    this.#failingSince = this.#options.clock.monotonic()
    // An error here would be one of this package: whoever waits must hear of it.
    this.#follow(run.signal).catch((error: unknown) => {
      if (!run.signal.aborted) this.#giveUp(error, false)
    })
  }

  #stop(): void {
    const run = this.#run
    this.#run = undefined
    this.#options.watcher?.remove(this.#options.taskId)
    run?.abort(new Error('Nobody waits for the task any more.'))
  }

  async #follow(signal: AbortSignal): Promise<void> {
    // A task that was followed before may ask a question that was withdrawn.
    if (this.#state !== undefined) this.#askQuestions(this.#state, signal)
    while (!signal.aborted) {
      this.#watch()
      await this.#untilDue(signal)
      if (this.#state === undefined || !isFinal(this.#state) || !this.#isComplete(this.#state)) await this.#poll(signal)
      if (signal.aborted) return
      if (this.#state !== undefined && isFinal(this.#state)) await this.#finish(this.#state, signal)
    }
  }

  /** Waits as long as the pace demands. What is heard meanwhile may change that. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    for (;;) {
      if (this.#state !== undefined && isFinal(this.#state) && this.#isComplete(this.#state)) return
      const leftMs = this.#lastPollAt + this.#delayMs() - clock.monotonic()
      if (leftMs <= 0) return
      await pauseFor(clock, leftMs, signal, (wake) => {
        this.#wake = wake
      })
    }
  }

  #delayMs(): number {
    const { watcher, taskId } = this.#options
    return this.#pace.delayMs(this.#state, this.#isConfirmed && watcher?.isWatching(taskId) === true)
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { port, taskId, clock, watcher } = this.#options
    const wasWatched = watcher?.isWatching(taskId) === true
    const before = this.#state
    for (const waiter of this.#waiters) waiter.silent?.()
    try {
      const state = await port.get(taskId, { signal })
      if (signal.aborted) return
      this.#lastPollAt = clock.monotonic()
      this.#pace.answered()
      this.#hasDoubt = false
      this.#isConfirmed = wasWatched
      // What was heard while the request was under way may be newer than its answer.
      if (this.#state === before || !this.#isOutdated(state)) this.#accept(state, signal)
      if (!signal.aborted && this.#stuck.isStuck(state, this.#allQuestions, port.update !== undefined)) {
        this.#giveUp(this.#stuck.error(), true)
      }
    } catch (error) {
      if (signal.aborted) return
      this.#lastPollAt = clock.monotonic()
      const hasEnded = this.#state !== before && this.#state !== undefined && isFinal(this.#state)
      if (!hasEnded) this.#pollFailed(error)
    }
  }

  #pollFailed(error: unknown): void {
    const { taskId, clock } = this.#options
    if (this.#pace.failures === 0) this.#failingSince = clock.monotonic()
    // After a failure another node may answer, which learns of the task a moment later.
    const isDoubtful = isUnknownTask(error) && this.#pace.failures > 0 && !this.#hasDoubt
    if (isDoubtful) this.#hasDoubt = true
    if (isDoubtful || (isRetryable(error) && this.#mayRetry())) {
      this.#pace.failed(error)
      for (const waiter of [...this.#waiters]) waiter.failed?.(error)
    } else if (isUnknownTask(error)) this.#endWith({ kind: 'gone', error: new TaskGoneError(taskId, { cause: error }) })
    else this.#giveUp(error, false)
  }

  #mayRetry(): boolean {
    const { port, clock } = this.#options
    if (port.endSignal.aborted) return false
    const until = this.#keptUntil === Infinity ? this.#failingSince + MAX_FAILING_MS : this.#keptUntil
    return clock.monotonic() < until
  }

  #accept(state: TaskState, signal: AbortSignal): void {
    const before = this.#state
    this.#state = state
    this.#keepLonger(before, state)
    for (const waiter of [...this.#waiters]) {
      waiter.heard?.()
      if (before === undefined || !isSameState(before, state)) waiter.changed?.(state)
    }
    if (!signal.aborted) this.#askQuestions(state, signal)
  }

  #keepLonger(before: TaskState | undefined, { ttlMs }: TaskState): void {
    if (before !== undefined && before.ttlMs === ttlMs) return
    if (ttlMs === null) this.#keptUntil = Infinity
    else if (before?.ttlMs != null) this.#keptUntil += ttlMs - before.ttlMs
  }

  #askQuestions(state: TaskState, signal: AbortSignal): void {
    if (state.status !== 'input_required') return
    this.#result?.fetchEarly(signal)
    if (this.#options.port.update !== undefined) this.#allQuestions.ask(state.inputRequests ?? {}, signal)
  }

  /** A notification may say that a task has ended without saying how. */
  #isComplete({ status, result, error }: TaskState): boolean {
    if (this.#result !== undefined || status === 'cancelled') return true
    return status === 'completed' ? result !== undefined : error !== undefined
  }

  async #finish(state: TaskState, signal: AbortSignal): Promise<void> {
    for (const waiter of this.#waiters) waiter.silent?.()
    try {
      const complete = (await this.#result?.complete(state, signal)) ?? state
      if (signal.aborted) return
      this.#state = complete
      this.#endWith({ kind: 'final', state: complete })
    } catch (error) {
      if (signal.aborted) return
      this.#lastPollAt = this.#options.clock.monotonic()
      this.#pollFailed(error)
      if (!signal.aborted) await pauseFor(this.#options.clock, this.#delayMs(), signal)
    }
  }

  #watch(): void {
    const { watcher, taskId, watchAfterPolls = WATCH_AFTER_POLLS } = this.#options
    if (watcher === undefined || this.#pace.polls < watchAfterPolls) return
    watcher.watch(taskId, {
      changed: (state) => this.#notified(state),
      pollSoon: () => {
        this.#isConfirmed = false
        this.#wake?.()
      },
    })
  }

  #notified(state: TaskState): void {
    const { signal } = this.#run ?? {}
    if (signal === undefined || this.#end !== undefined) return
    if (this.#isOutdated(state)) return
    if (isFinal(state) && !this.#isComplete(state)) {
      this.#pollNow()
      return
    }
    // It tells what a poll would tell, so that the next poll can wait.
    this.#lastPollAt = this.#options.clock.monotonic()
    this.#accept(state, signal)
    this.#wake?.()
  }

  /** Whether the state is older than the one that is known. Nothing follows a final state. */
  #isOutdated(state: TaskState): boolean {
    if (this.#state === undefined) return false
    return isFinal(this.#state) || (!isFinal(state) && isOlderState(state, this.#state))
  }

  /** Polls as if there were no subscription: at once, or as soon as the pace allows. */
  #pollNow(): void {
    this.#isConfirmed = false
    this.#wake?.()
  }

  /** A task that has a result has ended. What an error means, the state says. */
  #fetchedEarly(result: CallToolResult | undefined): void {
    const { signal } = this.#run ?? {}
    if (signal === undefined || this.#state === undefined || isFinal(this.#state)) return
    if (result === undefined) this.#pollNow()
    else {
      this.#accept({ ...this.#state, status: result.isError === true ? 'failed' : 'completed' }, signal)
      this.#wake?.()
    }
  }

  #giveUp(error: unknown, mustCancel: boolean): void {
    this.#endWith({ kind: 'given-up', error, mustCancel })
  }

  #endWith(end: TaskEnd): void {
    if (end.kind !== 'given-up') this.#end = end
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    this.#stop()
    for (const waiter of waiters) waiter.ended(end)
  }
}
