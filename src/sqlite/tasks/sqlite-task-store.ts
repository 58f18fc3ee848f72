// Tasks as rows. Each method is one transaction, or a part of one that it shares with others of the same turn.
import { BackendError } from '../../backend/backend-error.ts'
import { FREE_OUTCOME_BYTES, TASK_BYTES } from '../../backend/byte-budget.ts'
import { watchTasks } from '../../backend/feed/feed.ts'
import { checkCount, checkName, checkValue } from '../../backend/rules.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import {
  type Claim,
  type CreateTaskOptions,
  type Journal,
  type NewTask,
  type Task,
  type TaskListener,
  type TaskOutcome,
  type TaskPage,
  type TaskStore,
  type TaskStoreLimits,
  TTL_STEP_MS,
} from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/feed.ts'
import { listTasks } from './list-tasks.ts'
import { checkLimits } from './task-limits.ts'
import { isHeldBy, keepAlive, PART, PLACE, type TaskRow, type Texts, toClaim, toTask, touch } from './task-row.ts'
import { sizeOf, TaskRows } from './task-rows.ts'

/** How much one call does for what others have left behind. */
const MAX_SETTLED = 64
const MAX_ID_LENGTH = 200
const NO_LIMITS: TaskStoreLimits = Object.freeze({})
const NONE: Texts = Object.freeze(Object.create(null) as Record<string, string>)

export class SQLiteTaskStore implements TaskStore {
  readonly #engine: Engine
  readonly #feed: Feed
  readonly #rows: TaskRows
  readonly #maxValueBytes: number

  constructor(engine: Engine, feed: Feed, maxValueBytes: number) {
    this.#engine = engine
    this.#feed = feed
    this.#rows = new TaskRows(engine)
    this.#maxValueBytes = maxValueBytes
  }

  async create(
    task: NewTask & Partial<Journal>,
    { claimFor, limits = NO_LIMITS }: CreateTaskOptions = {},
  ): Promise<Claim | undefined> {
    checkName('tasks.create', task.id)
    this.#checkTexts('tasks.create', { input: task.input }, task.steps, task.answers)
    return this.#engine.writeSoon('tasks.create', () => {
      const now = this.#engine.now()
      if (limits !== NO_LIMITS) {
        const known = this.#rows.findSettled(task.id, now)
        if (known !== undefined) return this.#createdBefore(known, task, claimFor !== undefined)
        this.#checkRoom(task, limits, now)
      }
      while (!this.#rows.insert(task, claimFor?.leaseMs, now)) {
        const known = this.#rows.findSettled(task.id, now)
        if (known !== undefined) return this.#createdBefore(known, task, claimFor !== undefined)
      }
      if (claimFor === undefined) return undefined
      return this.#claimOf(this.#rows.find(task.id) as TaskRow)
    })
  }

  async discard(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.discard', claim, (row) => this.#rows.delete(row))
  }

  async get(id: string): Promise<Task | undefined> {
    if (!isId(id)) return undefined
    const row = await this.#engine.read('tasks.get', () => this.#rows.find(id))
    if (row === undefined) return undefined
    if (row.due_at <= this.#engine.now()) return this.#engine.writeSoon('tasks.get', () => this.#settledTask(id))
    if (row.status !== 'input_required') return toTask(row, NONE)
    return this.#engine.readTogether('tasks.get', () => this.#toTask(this.#rows.find(id)))
  }

  async list(owner: string, page: TaskPage): Promise<readonly Task[]> {
    return this.#engine.writeSoon('tasks.list', () => {
      const rows = listTasks(this.#engine, this.#rows, owner, page)
      return rows.map((row) => this.#toTask(row) as Task)
    })
  }

  async countOpen(owner?: string): Promise<number> {
    return this.#engine.writeSoon('tasks.countOpen', () => {
      this.#rows.settleDue(this.#engine.now(), MAX_SETTLED)
      return this.#rows.count(owner).open
    })
  }

  async claim(
    _worker: string,
    { kinds, max, leaseMs }: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    checkCount('tasks.claim', 'max', max, 0)
    const wanted = JSON.stringify(kinds)
    return this.#engine.writeSoon('tasks.claim', () => {
      const now = this.#engine.now()
      this.#rows.settleDue(now, MAX_SETTLED)
      const claims: Claim[] = []
      let turn = 0
      while (claims.length < max) {
        const row = this.#rows.claimNext(wanted, leaseMs, now)
        if (row === undefined) break
        turn = Math.max(turn, row.turn ?? 0)
        claims.push(toClaim(row, row.input, this.#rows.journal(row)))
      }
      this.#rows.passTurn(turn)
      return claims
    })
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    const message = statusMessage === undefined ? undefined : toColumn(statusMessage)
    if (statusMessage !== undefined) this.#checkTexts('tasks.renew', { statusMessage })
    return this.#engine.writeSoon('tasks.renew', () => {
      const now = this.#engine.now()
      const row = this.#heldBy(claim, now)
      if (row === undefined) return 'lost'
      row.place = PLACE.leased
      row.lease_ends_at = now + leaseMs
      this.#rows.saveMove(row, now)
      const isNews = message !== undefined && message !== row.status_message
      if (keepAlive(row, now, Math.max(row.keep_ms, TTL_STEP_MS)) || isNews) {
        if (isNews) row.status_message = message
        touch(row, now)
        this.#rows.saveFacts(row)
      }
      return row.cancelled_at === null ? 'held' : 'cancelling'
    })
  }

  async extend(
    claim: Claim,
    { ttlMs, pollIntervalMs }: { ttlMs?: number | null; pollIntervalMs?: number },
  ): Promise<boolean> {
    return this.#withClaim('tasks.extend', claim, (row, now) => {
      if (ttlMs === null) row.ttl_ms = null
      else if (ttlMs !== undefined && row.ttl_ms !== null) row.ttl_ms = Math.max(row.ttl_ms, ttlMs)
      if (pollIntervalMs !== undefined) row.poll_interval_ms = pollIntervalMs
      touch(row, now)
      this.#rows.saveFacts(row)
    })
  }

  async keepStep(claim: Claim, name: string, value: string, limits = NO_LIMITS): Promise<boolean> {
    this.#checkTexts('tasks.keepStep', { [name]: value })
    return this.#withClaim('tasks.keepStep', claim, (row) => {
      // What is there already can be repeated, however full the file is.
      if (this.#rows.hasNamed(row.n, [PART.step], name)) return
      this.#checkBytes('tasks.keepStep', row, sizeOf(name) + sizeOf(value), limits)
      this.#rows.keepPart(row.n, PART.step, name, value)
      if (row.has_parts === 1) return
      row.has_parts = 1
      this.#rows.saveFacts(row)
    })
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    return this.#engine.writeSoon('tasks.journal', () => {
      const row = this.#heldBy(claim, this.#engine.now())
      return row === undefined ? undefined : this.#rows.journal(row)
    })
  }

  async ask(claim: Claim, questions: Texts, limits = NO_LIMITS): Promise<boolean> {
    this.#checkTexts('tasks.ask', questions)
    return this.#withClaim('tasks.ask', claim, (row, now) => {
      const fresh = Object.entries(questions).filter(
        ([key]) => !this.#rows.hasNamed(row.n, [PART.answer, PART.question], key),
      )
      this.#checkBytes('tasks.ask', row, sizeOfAll(fresh), limits)
      for (const [key, question] of fresh) this.#rows.keepPart(row.n, PART.question, key, question)
      row.was_answered = 0
      if (fresh.length > 0) {
        row.has_parts = 1
        row.status = 'input_required'
        touch(row, now)
      }
      this.#rows.saveFacts(row)
    })
  }

  async answer(id: string, answers: Texts, limits = NO_LIMITS): Promise<'taken' | 'ended' | 'unknown'> {
    if (!isId(id)) return 'unknown'
    this.#checkTexts('tasks.answer', answers)
    return this.#engine.writeSoon('tasks.answer', () => {
      const now = this.#engine.now()
      const row = this.#rows.findSettled(id, now)
      if (row === undefined) return 'unknown'
      if (row.place === PLACE.ended) return 'ended'
      const taken = Object.entries(answers).filter(([key]) => this.#rows.hasNamed(row.n, [PART.question], key))
      if (taken.length === 0) return 'taken'
      this.#checkBytes('tasks.answer', row, sizeOfAll(taken), limits)
      for (const [key] of taken) this.#rows.takePart(row.n, PART.question, key)
      for (const [key, answer] of taken) this.#rows.keepPart(row.n, PART.answer, key, answer)
      row.was_answered = 1
      if (!this.#rows.hasPart(row.n, PART.question)) row.status = 'working'
      touch(row, now)
      this.#rows.saveFacts(row)
      if (row.place === PLACE.parked) this.#rows.offer(row, now)
      return 'taken'
    })
  }

  async park(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.park', claim, (row, now) => {
      if (row.cancelled_at !== null) {
        this.#rows.endItself(row, 'cancelled', now)
        return
      }
      row.tries -= 1
      row.lease_ends_at = null
      if (row.was_answered === 1 || !this.#rows.hasPart(row.n, PART.question)) {
        this.#rows.offer(row, now)
        return
      }
      row.place = PLACE.parked
      this.#rows.saveMove(row, now)
    })
  }

  async release(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.release', claim, (row, now) => {
      if (row.cancelled_at !== null) {
        this.#rows.endItself(row, 'cancelled', now)
        return
      }
      row.tries -= 1
      row.lease_ends_at = null
      this.#rows.offer(row, now)
    })
  }

  async finish(
    claim: Claim,
    { status, text }: TaskOutcome,
    limits = NO_LIMITS,
  ): Promise<'finished' | 'already' | 'lost'> {
    this.#checkTexts('tasks.finish', { text })
    const bytes = sizeOf(text)
    return this.#engine.writeSoon('tasks.finish', () => {
      const now = this.#engine.now()
      const large = bytes > FREE_OUTCOME_BYTES ? this.#heldBy(claim, now) : undefined
      // What the task needs no more makes room for its outcome.
      if (large !== undefined) this.#checkBytes('tasks.finish', large, TASK_BYTES + bytes - large.bytes, limits)
      if (isId(claim.id) && this.#rows.finish(claim.id, claim.attempt, status, text, now)) return 'finished'
      const row = this.#heldBy(claim, now)
      if (row === undefined) return this.#rows.findSettled(claim.id, now)?.place === PLACE.ended ? 'already' : 'lost'
      this.#rows.end(row, status, now, text)
      return 'finished'
    })
  }

  async cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    if (!isId(id)) return 'unknown'
    return this.#engine.writeSoon('tasks.cancel', () => {
      const now = this.#engine.now()
      const row = this.#rows.findSettled(id, now)
      if (row === undefined) return 'unknown'
      if (row.place === PLACE.ended) return 'ended'
      if (row.place === PLACE.leased) {
        if (row.cancelled_at === null) {
          row.revision += 1
          this.#rows.saveFacts(row)
        }
        row.cancelled_at = Math.min(row.cancelled_at ?? Number.POSITIVE_INFINITY, now + graceMs)
        this.#rows.saveMove(row, now)
        return 'cancelling'
      }
      this.#rows.endItself(row, 'cancelled', now)
      return 'cancelled'
    })
  }

  watch(listener: TaskListener): () => void {
    this.#engine.checkOpen('tasks.watch')
    return watchTasks(this.#feed, listener)
  }

  #checkRoom(task: NewTask & Partial<Journal>, limits: TaskStoreLimits, now: number): void {
    const parts = [...Object.entries(task.steps ?? {}), ...Object.entries(task.answers ?? {})]
    const more = { tasks: 1, bytes: TASK_BYTES + sizeOf(task.input) + sizeOfAll(parts) }
    const check = () => checkLimits(this.#rows, 'tasks.create', task.owner, more, limits)
    try {
      check()
    } catch {
      // What is overdue counts no more.
      this.#rows.settleDue(now, MAX_SETTLED)
      check()
    }
  }

  #checkBytes(operation: string, { owner }: TaskRow, bytes: number, limits: TaskStoreLimits): void {
    if (limits !== NO_LIMITS) checkLimits(this.#rows, operation, owner, { tasks: 0, bytes }, limits)
  }

  #checkTexts(operation: string, ...all: (Texts | undefined)[]): void {
    for (const texts of all) for (const name in texts) checkValue(operation, texts[name] as string, this.#maxValueBytes)
  }

  #createdBefore(known: TaskRow, given: NewTask, wantsClaim: boolean): Claim | undefined {
    const hasEnded = known.place === PLACE.ended
    // One that has ended has no input to compare any more.
    if (!isSame(known, given) || (!hasEnded && fromColumn(this.#rows.inputOf(known)) !== given.input)) {
      throw new BackendError('Another task has this id already.', { kind: 'refused', operation: 'tasks.create' })
    }
    return wantsClaim && known.place === PLACE.leased && known.attempt === 1 ? this.#claimOf(known) : undefined
  }

  #claimOf(row: TaskRow): Claim {
    return toClaim(row, this.#rows.inputOf(row), this.#rows.journal(row))
  }

  /** Whoever comes with the claim has not lost it, however late it is, unless somebody else has claimed or ended the task. */
  #heldBy(claim: Claim, now: number): TaskRow | undefined {
    const row = isId(claim.id) ? this.#rows.find(claim.id) : undefined
    if (row === undefined || !isHeldBy(row, claim) || this.#rows.settleCancelled(row, now)) return undefined
    return row
  }

  /** False: the claim is lost. */
  #withClaim(operation: string, claim: Claim, work: (row: TaskRow, now: number) => void): Promise<boolean> {
    return this.#engine.writeSoon(operation, () => {
      const now = this.#engine.now()
      const row = this.#heldBy(claim, now)
      if (row !== undefined) work(row, now)
      return row !== undefined
    })
  }

  #settledTask(id: string): Task | undefined {
    return this.#toTask(this.#rows.findSettled(id, this.#engine.now()))
  }

  #toTask(row: TaskRow | undefined): Task | undefined {
    return row === undefined ? undefined : toTask(row, this.#rows.parts(row, PART.question))
  }
}

/** What is no id that a task can have is looked for nowhere. */
function isId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH
}

function isSame(row: TaskRow, given: NewTask): boolean {
  return (
    row.owner === given.owner &&
    row.kind === given.kind &&
    row.dialect === given.dialect &&
    row.given_ttl_ms === given.ttlMs &&
    row.keep_ms === given.keepMs &&
    row.max_attempts === given.maxAttempts
  )
}

function sizeOfAll(pairs: readonly (readonly [name: string, text: string])[]): number {
  return pairs.reduce((sum, [name, text]) => sum + sizeOf(name) + sizeOf(text), 0)
}
