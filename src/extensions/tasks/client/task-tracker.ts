// The tasks of one client: one follower for each, references that are stored before the first poll, and calls that became tasks.

import { answerQuestion } from '../../../client/calls/answer-question.ts'
import type { ClaimOptions } from '../../../client/extensions/extension.ts'
import { internalsOf, type SessionInternals } from '../../../client/session/internals.ts'
import type { ClientSession } from '../../../client/session/session.ts'
import { listenForAbort, unlessAborted } from '../../../primitives/async/abort.ts'
import { callBack } from '../../../primitives/async/call-back.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { withHelp } from '../../../primitives/help.ts'
import { assertDuration, checkKind } from '../../../primitives/options.ts'
import { TaskPendingError } from '../../../types/extensions/task-errors.ts'
import type {
  JobWaitOptions,
  TaskReference,
  TaskReferences,
  TaskRequestOptions,
  TaskState,
  TasksClientOptions,
} from '../../../types/extensions/tasks.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import { type JobHost, TaskJob } from './job.ts'
import type { TaskPort } from './port.ts'
import { MAX_REFERENCES } from './references.ts'
import { TaskFollower } from './task-follower.ts'
import { resultOf } from './task-outcome.ts'
import { TaskWatcher } from './task-watcher.ts'
import { UNREACHABLE_MS, type WaitEnd, type WaitLimits, waitForEnd } from './waiting.ts'

export interface TrackerOptions {
  readonly session: ClientSession
  readonly port: TaskPort
  /** The name of the server in references. */
  readonly server: string
  readonly references: TaskReferences
  readonly watch: TasksClientOptions['watch']
  readonly clock: Clock
}

/** How long a call that was given up waits for the server to take its `tasks/cancel`. */
const CANCEL_MS = 1_000
/** Time without a sign of life, where neither the call nor the client names one. */
const CALL_TIMEOUT_MS = 300_000

export class TaskTracker implements JobHost {
  readonly #options: TrackerOptions
  readonly #internals: SessionInternals
  readonly #watcher: TaskWatcher | undefined
  /** The followers of the tasks that somebody waits for, by id. */
  readonly #followers = new Map<string, TaskFollower>()
  /** References that are stored, by task id, the newest ones. */
  readonly #stored = new Map<string, TaskReference>()

  constructor(options: TrackerOptions) {
    const { session, port, watch, clock } = options
    this.#options = options
    this.#internals = internalsOf(session)
    this.#watcher = watch === false || port.watch === undefined ? undefined : new TaskWatcher(port, clock)
    const { endSignal } = port
    if (!endSignal.aborted) listenForAbort(endSignal, () => this.close(endSignal.reason))
  }

  /** Finishes a call that became a task. What it rejects with is the outcome of the call. */
  async finishCall(state: TaskState, toolName: string, options: ClaimOptions): Promise<CallToolResult> {
    const { signal, leaveAfterMs, onStatus, onStop } = options
    const givenMs = options.timeoutMs ?? this.#internals.timeoutMs
    const timeoutMs = givenMs ?? CALL_TIMEOUT_MS
    const unreachableMs = givenMs ?? UNREACHABLE_MS
    const job = await this.adopt(state, toolName)
    if (onStatus !== undefined) this.#guarded(onStatus)(state)
    if (leaveAfterMs !== undefined && leaveAfterMs <= 0 && !signal.aborted) throw new TaskPendingError(job)
    const end = await this.wait(job, { signal, timeoutMs, unreachableMs, leaveAfterMs, onStatus })
    if (end.kind === 'final') return await resultOf(end.state, job.reference.dialect)
    if (end.kind === 'left') throw new TaskPendingError(job)
    const isGivenUp = end.kind === 'stopped' || (end.kind === 'given-up' && end.mustCancel)
    if (isGivenUp && onStop !== 'leave') await this.#cancelInTime(job.reference)
    throw end.error
  }

  /** A job for a task that a call of this client became. */
  async adopt(state: TaskState, tool: string): Promise<TaskJob> {
    const { port, server, clock } = this.#options
    const { taskId, ttlMs } = state
    const createdAt = state.createdAt || new Date(clock.now()).toISOString()
    const reference: TaskReference = { server, taskId, tool, createdAt, ttlMs, dialect: port.dialect }
    try {
      await this.#store(reference)
    } catch (error) {
      await this.#cancelInTime(reference)
      throw error
    }
    return this.createJob(reference, state)
  }

  /** A job for a task of this server. `state` is missing where it was not asked for yet. */
  createJob(reference: TaskReference, state?: TaskState): TaskJob {
    const follower = this.#followers.get(reference.taskId) ?? this.#createFollower(reference, state)
    return new TaskJob(this, reference, follower)
  }

  /** Somebody has seen the end of a task. Whoever still waits for it hears of that by its own poll. */
  async sawEnd(taskId: string): Promise<void> {
    const reference = this.#stored.get(taskId)
    if (reference !== undefined && this.#followers.get(taskId)?.isFollowed !== true) await this.#forget(reference)
  }

  async wait(job: TaskJob, limits: WaitLimits): Promise<WaitEnd> {
    const { onStatus, signal } = limits
    if (job.follower.end === undefined && !this.#stored.has(job.taskId)) {
      const storing = this.#store(job.reference)
      await (signal === undefined ? storing : unlessAborted(storing, signal))
    }
    const guarded = onStatus === undefined ? limits : { ...limits, onStatus: this.#guarded(onStatus) }
    const follower = this.#share(job)
    const end = await waitForEnd(follower, this.#options.clock, guarded)
    // A task that nobody waits for is not kept here, whatever its server has sent. Its reference finds it again.
    if (!follower.isFollowed && this.#followers.get(job.taskId) === follower) this.#followers.delete(job.taskId)
    if (end.kind === 'final' || (end.kind === 'gone' && this.#isOver(job))) await this.#forget(job.reference)
    else if (end.kind === 'gone') this.#followers.delete(job.taskId)
    return end.kind === 'unreachable' ? { ...end, error: new TaskPendingError(job, { cause: end.error }) } : end
  }

  /** Before its time is over a task may be found again, as when its tool is shown to the caller again. */
  #isOver({ state: { createdAt, ttlMs } }: TaskJob): boolean {
    const endsAt = ttlMs === null ? Number.NaN : Date.parse(createdAt) + ttlMs
    // Without an end there is no later moment to remove the reference at.
    return Number.isNaN(endsAt) || endsAt <= this.#options.clock.now()
  }

  async result(job: TaskJob, options: JobWaitOptions): Promise<CallToolResult> {
    const { clock } = this.#options
    const { signal, timeoutMs = Infinity, maxTotalMs = Infinity, onStatus } = options
    assertDuration('timeoutMs', timeoutMs)
    assertDuration('maxTotalMs', maxTotalMs)
    if (onStatus !== undefined) checkKind('The option onStatus of result()', onStatus, 'function')
    const startedAt = clock.monotonic()
    const end = await this.wait(job, options)
    if (end.kind !== 'final') throw 'error' in end ? end.error : undefined
    const result = await resultOf(end.state, job.reference.dialect)
    const limits = { signal, timeoutMs, maxTotalMs: maxTotalMs - (clock.monotonic() - startedAt) }
    await this.#internals.checkToolResult(job.reference.tool, result, limits)
    return result
  }

  async cancel({ reference, follower }: TaskJob, options?: TaskRequestOptions): Promise<void> {
    if (follower.end?.kind === 'final') return
    await this.#options.port.cancel(reference.taskId, options)
    // Whoever waits sees the task to its end. Otherwise nothing is left to do about it.
    if (!this.#followers.has(reference.taskId)) await this.#forget(reference)
  }

  /** Ends all waiting. References stay. */
  close(reason: unknown): void {
    this.#watcher?.close()
    for (const follower of this.#followers.values()) follower.abandon(reason)
    this.#followers.clear()
  }

  /** The follower that all jobs of the task use from now on. */
  #share(job: TaskJob): TaskFollower {
    if (job.follower.end !== undefined) return job.follower
    const shared = this.#followers.get(job.taskId)
    if (shared === undefined) this.#followers.set(job.taskId, job.follower)
    else job.follower = shared
    return job.follower
  }

  #createFollower({ taskId, createdAt, ttlMs }: TaskReference, state: TaskState | undefined): TaskFollower {
    const { port, clock, watch, session } = this.#options
    const passedMs = state === undefined ? clock.now() - Date.parse(createdAt) : 0
    const leftMs = ttlMs === null || Number.isNaN(passedMs) ? Infinity : ttlMs - passedMs
    return new TaskFollower({
      taskId,
      port,
      clock,
      state,
      keptUntil: clock.monotonic() + leftMs,
      watcher: this.#watcher,
      ...(watch === true && { watchAfterPolls: 0 }),
      answer: (key, request, signal) => answerQuestion(session, key, request, signal),
    })
  }

  async #store(reference: TaskReference): Promise<void> {
    if (this.#stored.has(reference.taskId)) return
    try {
      await this.#options.references.add(reference)
    } catch (cause) {
      throw withHelp(
        'wrong-option',
        new Error('The reference of a task could not be stored. Check the option references of tasks().', { cause }),
      )
    }
    this.#stored.set(reference.taskId, reference)
    // Stores of references let the oldest go as well.
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= MAX_REFERENCES) break
      this.#stored.delete(oldest)
    }
  }

  /** The task needs no attention any more. */
  async #forget(reference: TaskReference): Promise<void> {
    if (!this.#stored.delete(reference.taskId)) return
    try {
      await this.#options.references.remove(reference)
    } catch (error) {
      this.#report('The reference of a task that has ended could not be removed.', error)
    }
  }

  async #cancelInTime(reference: TaskReference): Promise<void> {
    try {
      await this.#options.port.cancel(reference.taskId, { timeoutMs: CANCEL_MS })
    } catch {
      // The caller gets the reason for which it gave up. The reference stays, since the task may go on.
      return
    }
    await this.#forget(reference)
  }

  #report(message: string, error: unknown): void {
    this.#internals.faults.report({ kind: 'callback-failed', message, method: 'tools/call', error })
  }

  #guarded(onStatus: (state: TaskState) => void): (state: TaskState) => void {
    const message = 'onStatus of a call threw an error.'
    const failed = (error: unknown) =>
      this.#internals.faults.reportCallback({ kind: 'callback-failed', message, method: 'tools/call', error })
    return (state) => callBack(onStatus, state, failed)
  }
}
