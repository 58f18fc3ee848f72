// One task in memory: its data, and the transitions that concern it alone. Time comes in as a number.

import type { QueuePlace } from '../primitives/async/linked-queue.ts'
import { bytesOf, bytesOfAll, TASK_BYTES } from './byte-budget.ts'
import { TaskEnding } from './task-endings.ts'
import type { TaskPlace, TaskState } from './task-state.ts'
import {
  type Claim,
  type Journal,
  type NewTask,
  type Task,
  type TaskOutcome,
  type TaskStatus,
  TTL_STEP_MS,
} from './task-store.ts'

/** A task without a limit on the wire is kept so long. */
const LONGEST_MS = 400 * 86_400_000

const NOTHING: Readonly<Record<string, string>> = Object.freeze({})

export class MemoryTask {
  /** Without the input once the task has ended. */
  given: NewTask
  /** What it takes, about. */
  bytes: number
  /** What the store has counted of it. */
  countedBytes = 0
  readonly createdAt: number
  place: TaskPlace = 'ready'
  status: TaskStatus = 'working'
  statusMessage: string | undefined
  attempt = 0
  leaseEndsAt = 0
  /** Set by a cancel of a task that somebody runs; the task is cancelled then, at the latest. */
  cancelledAt = Number.POSITIVE_INFINITY
  revision = 1
  /** Where it stands among the tasks of its owner. */
  linePlace: QueuePlace<MemoryTask> | undefined
  #updatedAt: number
  #endedAt = 0
  #ttlMs: number | null
  #pollIntervalMs: number
  /** Runs that were begun and neither parked nor released. */
  #tries = 0
  #steps: Record<string, string> | undefined
  #answers: Record<string, string> | undefined
  #questions: Record<string, string> | undefined
  #wasAnswered = false
  #outcome: string | undefined

  constructor(given: NewTask & Partial<Journal>, now: number) {
    this.given = given
    this.bytes = TASK_BYTES + bytesOf(given.input) + bytesOfAll(given.steps) + bytesOfAll(given.answers)
    this.createdAt = now
    this.#updatedAt = now
    this.#ttlMs = given.ttlMs
    this.#pollIntervalMs = given.pollIntervalMs
    if (given.steps !== undefined) this.#steps = copy(given.steps)
    if (given.answers !== undefined) this.#answers = copy(given.answers)
  }

  /** Takes over what the constructor did not get. */
  restore(state: Omit<TaskState, 'given' | 'createdAt'>): void {
    this.place = state.place
    this.status = state.status
    this.statusMessage = state.statusMessage
    this.attempt = state.attempt
    this.leaseEndsAt = state.leaseEndsAt
    this.cancelledAt = state.cancelledAt ?? Number.POSITIVE_INFINITY
    this.revision = state.revision
    this.#updatedAt = state.updatedAt
    this.#endedAt = state.endedAt
    this.#ttlMs = state.ttlMs
    this.#pollIntervalMs = state.pollIntervalMs
    this.#tries = state.tries
    this.#questions = state.questions === undefined ? undefined : copy(state.questions)
    this.#wasAnswered = state.wasAnswered
    this.#outcome = state.outcome
  }

  /** For stores that keep the task elsewhere. */
  toState(): TaskState {
    const { steps: _, answers: __, ...given } = this.given as NewTask & Partial<Journal>
    return {
      given,
      createdAt: this.createdAt,
      place: this.place,
      status: this.status,
      ...(this.statusMessage !== undefined && { statusMessage: this.statusMessage }),
      attempt: this.attempt,
      leaseEndsAt: this.leaseEndsAt,
      cancelledAt: this.cancelledAt === Number.POSITIVE_INFINITY ? null : this.cancelledAt,
      revision: this.revision,
      updatedAt: this.#updatedAt,
      endedAt: this.#endedAt,
      ttlMs: this.#ttlMs,
      pollIntervalMs: this.#pollIntervalMs,
      tries: this.#tries,
      ...(this.#steps !== undefined && { steps: this.#steps }),
      ...(this.#answers !== undefined && { answers: this.#answers }),
      ...(this.#questions !== undefined && { questions: this.#questions }),
      wasAnswered: this.#wasAnswered,
      ...(this.#outcome !== undefined && { outcome: this.#outcome }),
    }
  }

  get hasEnded(): boolean {
    return this.place === 'ended'
  }

  /** Its worker has not renewed in time. Until somebody else claims it, that worker may still go on. */
  isLost(now: number): boolean {
    return this.place === 'leased' && this.leaseEndsAt <= now
  }

  isClaimable(now: number): boolean {
    if (this.place !== 'ready' && !this.isLost(now)) return false
    return this.beginsAt <= now
  }

  /** Not to be claimed before. A task that may run at once waits for no clock: that of another node may be behind. */
  get beginsAt(): number {
    const { notBeforeMs = 0 } = this.given
    return notBeforeMs > 0 ? this.createdAt + notBeforeMs : 0
  }

  isHeldBy(claim: Claim): boolean {
    return this.place === 'leased' && this.attempt === claim.attempt
  }

  /** Whether the task has outlived its time and its keeping. */
  isGone(now: number): boolean {
    return this.hasEnded && now >= this.goneAt
  }

  /** When a task that has ended is unknown. */
  get goneAt(): number {
    return Math.max(this.createdAt + (this.#ttlMs ?? LONGEST_MS), this.#endedAt + this.given.keepMs)
  }

  /** When `settleOverdue` ends the task, as things stand. */
  get overdueAt(): number {
    if (this.hasEnded) return Number.POSITIVE_INFINITY
    if (this.place !== 'leased') return Math.min(this.cancelledAt, this.createdAt + (this.#ttlMs ?? LONGEST_MS))
    if (this.cancelledAt !== Number.POSITIVE_INFINITY) return Math.min(this.cancelledAt, this.leaseEndsAt)
    return this.#tries >= this.given.maxAttempts ? this.leaseEndsAt : Number.POSITIVE_INFINITY
  }

  /** Ends what is overdue: cancelled long ago, its worker lost for good, or nobody running it when its time is over. */
  settleOverdue(now: number): boolean {
    if (this.hasEnded) return false
    if (this.settleCancelled(now)) return true
    if (this.isLost(now)) {
      if (this.cancelledAt !== Number.POSITIVE_INFINITY) return this.end('cancelled', now)
      if (this.#tries >= this.given.maxAttempts) return this.end('failed', now, TaskEnding.WorkerLost)
      return false
    }
    if (this.place === 'leased' || this.createdAt + (this.#ttlMs ?? LONGEST_MS) > now) return false
    const message = this.place === 'parked' ? TaskEnding.NotAnswered : TaskEnding.NotRun
    return this.end('failed', now, message)
  }

  /** Its worker is to stop, and has until then. */
  askToCancel(until: number): void {
    if (this.cancelledAt === Number.POSITIVE_INFINITY) this.revision += 1
    this.cancelledAt = Math.min(this.cancelledAt, until)
  }

  /** Ends what was cancelled so long ago that its worker had time to stop. */
  settleCancelled(now: number): boolean {
    return !this.hasEnded && this.cancelledAt <= now && this.end('cancelled', now)
  }

  /** The store's own end: no outcome, and whoever runs it has lost it. */
  end(status: 'failed' | 'cancelled', now: number, statusMessage?: string): true {
    this.attempt += 1
    this.#close(status, now)
    if (statusMessage !== undefined) this.statusMessage = statusMessage
    return true
  }

  claim(leaseMs: number, now: number): Claim {
    this.place = 'leased'
    this.attempt += 1
    this.#tries += 1
    this.leaseEndsAt = now + leaseMs
    return this.toClaim()
  }

  toClaim(): Claim {
    const { id, kind, input } = this.given
    return {
      id,
      kind,
      input,
      attempt: this.attempt,
      steps: copy(this.#steps),
      answers: copy(this.#answers),
    }
  }

  renew(leaseMs: number, now: number, statusMessage: string | undefined): boolean {
    this.leaseEndsAt = now + leaseMs
    const grew = this.#keepAlive(now, Math.max(this.given.keepMs, TTL_STEP_MS))
    const isNews = statusMessage !== undefined && statusMessage !== this.statusMessage
    if (isNews) this.statusMessage = statusMessage
    if (grew || isNews) this.#touch(now)
    return grew || isNews
  }

  extend({ ttlMs, pollIntervalMs }: { ttlMs?: number | null; pollIntervalMs?: number }, now: number): void {
    if (ttlMs === null) this.#ttlMs = null
    else if (ttlMs !== undefined && this.#ttlMs !== null) this.#ttlMs = Math.max(this.#ttlMs, ttlMs)
    if (pollIntervalMs !== undefined) this.#pollIntervalMs = pollIntervalMs
    this.#touch(now)
  }

  hasStep(name: string): boolean {
    return Object.hasOwn(this.#steps ?? NOTHING, name)
  }

  /** Those of the questions that were not asked before. */
  freshOf(questions: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(questions).filter(([key]) => !this.#wasAsked(key)))
  }

  /** Those of the answers whose question is open. */
  openOf(answers: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(answers).filter(([key]) => Object.hasOwn(this.#questions ?? NOTHING, key)))
  }

  keepStep(name: string, value: string): void {
    this.#steps ??= Object.create(null) as Record<string, string>
    if (Object.hasOwn(this.#steps, name)) return
    this.#steps[name] = value
    this.bytes += bytesOf(name) + bytesOf(value)
  }

  /** Whether anything new was asked. */
  ask(questions: Readonly<Record<string, string>>, now: number): boolean {
    const fresh = Object.entries(this.freshOf(questions))
    this.#wasAnswered = false
    if (fresh.length === 0) return false
    this.#questions = copy(this.#questions)
    for (const [key, question] of fresh) {
      this.#questions[key] = question
      this.bytes += bytesOf(key) + bytesOf(question)
    }
    this.status = 'input_required'
    this.#touch(now)
    return true
  }

  /** Whether any answer was taken. */
  answer(answers: Readonly<Record<string, string>>, now: number): boolean {
    const taken = Object.entries(this.openOf(answers))
    if (taken.length === 0) return false
    this.#answers ??= Object.create(null) as Record<string, string>
    const open = copy(this.#questions)
    for (const [key, answer] of taken) {
      this.#answers[key] = answer
      this.bytes += bytesOf(answer) - bytesOf(open[key] ?? '')
      delete open[key]
    }
    this.#questions = open
    this.#wasAnswered = true
    if (Object.keys(open).length === 0) this.status = 'working'
    if (this.place === 'parked') this.place = 'ready'
    this.#touch(now)
    return true
  }

  /** Whether the task is to be run again at once. */
  park(): boolean {
    this.#tries -= 1
    this.place = this.#wasAnswered || Object.keys(this.#questions ?? NOTHING).length === 0 ? 'ready' : 'parked'
    return this.place === 'ready'
  }

  release(): void {
    this.#tries -= 1
    this.place = 'ready'
  }

  finish({ status, text }: TaskOutcome, now: number): void {
    this.#close(status, now)
    this.#outcome = text
    this.bytes += bytesOf(text)
  }

  toTask(): Task {
    const { id, owner, kind, dialect } = this.given
    return {
      id,
      owner,
      kind,
      dialect,
      status: this.status,
      ...(this.statusMessage !== undefined && { statusMessage: this.statusMessage }),
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      ttlMs: this.#ttlMs,
      pollIntervalMs: this.#pollIntervalMs,
      attempt: this.attempt,
      revision: this.revision,
      ...(this.cancelledAt !== Number.POSITIVE_INFINITY && !this.hasEnded && { isCancelling: true as const }),
      questions: copy(this.#questions),
      ...(this.#outcome !== undefined && { outcome: this.#outcome }),
    }
  }

  #wasAsked(key: string): boolean {
    return Object.hasOwn(this.#questions ?? NOTHING, key) || Object.hasOwn(this.#answers ?? NOTHING, key)
  }

  #close(status: TaskStatus, now: number): void {
    this.place = 'ended'
    this.status = status
    this.#questions = undefined
    this.#steps = undefined
    this.#answers = undefined
    const { id, owner, kind, dialect, keepMs, ttlMs, pollIntervalMs, maxAttempts } = this.given
    this.given = { id, owner, kind, dialect, input: '', keepMs, ttlMs, pollIntervalMs, maxAttempts }
    this.bytes = TASK_BYTES
    this.#endedAt = now
    this.#keepAlive(now, 0)
    this.#touch(now)
  }

  /** The time on the wire grows, so that a result that is fresh is never dropped. */
  #keepAlive(now: number, step: number): boolean {
    const needed = now - this.createdAt + this.given.keepMs
    if (this.#ttlMs === null || this.#ttlMs >= needed) return false
    this.#ttlMs = needed + step
    return true
  }

  #touch(now: number): void {
    this.#updatedAt = Math.max(now, this.#updatedAt)
    this.revision += 1
  }
}

function journalOf({ steps, answers }: Partial<Journal>): Partial<Journal> {
  return { ...(steps !== undefined && { steps }), ...(answers !== undefined && { answers }) }
}

function copy(values: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, values)
}

/** The task as it was when its `toState` was called. */
export function restoreTask({ given, createdAt, ...state }: TaskState): MemoryTask {
  const task = new MemoryTask({ ...given, ...journalOf(state) }, createdAt)
  task.restore(state)
  return task
}

/** Whether the task was made of this. One that has ended has no input to compare any more. */
export function isSameTask({ given: a, hasEnded }: MemoryTask, b: NewTask): boolean {
  return (
    a.owner === b.owner &&
    a.kind === b.kind &&
    a.dialect === b.dialect &&
    (hasEnded || a.input === b.input) &&
    a.ttlMs === b.ttlMs &&
    a.keepMs === b.keepMs &&
    a.maxAttempts === b.maxAttempts
  )
}
