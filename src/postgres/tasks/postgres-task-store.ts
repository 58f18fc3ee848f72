// Tasks as rows. Each method is one call of a function of the schema, which is one transaction.
import { BackendError } from '../../backend/backend-error.ts'
import { FREE_OUTCOME_BYTES, limitReached } from '../../backend/byte-budget.ts'
import { CHANGED, WORK, watchTasks } from '../../backend/feed/feed.ts'
import { checkCount, checkName, checkValue } from '../../backend/rules.ts'
import { toColumn } from '../../backend/stored-text.ts'
import type {
  Claim,
  CreateTaskOptions,
  Journal,
  NewTask,
  Task,
  TaskListener,
  TaskOutcome,
  TaskPage,
  TaskStore,
  TaskStoreLimits,
} from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import type { Feed } from '../engine/feed.ts'
import type { Outbox } from '../engine/outbox.ts'
import type { Row, SqlValue } from '../engine/sql-client.ts'
import { pairsOf, TASK_COLUMNS, type Texts, toClaim, toJournal, toTask } from './task-shapes.ts'

const CREATE = `SELECT mcpwire.create_task_within($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
  AS outcome`
const MAKE_ROOM = 'SELECT mcpwire.make_room() AS outcome'
const GET = `SELECT ${TASK_COLUMNS}, t.due_at <= mcpwire.now_ms() AS is_due FROM mcpwire.task t WHERE ns = $1 AND id = $2`
const GET_SETTLED = `SELECT ${TASK_COLUMNS} FROM mcpwire.find_task($1, $2) t WHERE t.n IS NOT NULL`
const LIST = `SELECT ${TASK_COLUMNS} FROM mcpwire.list_tasks($1, $2, $3, $4, $5, $6) t`
const COUNT = 'SELECT mcpwire.count_open($1, $2) AS outcome'
const CLAIM = 'SELECT * FROM mcpwire.claim_tasks($1, $2, $3, $4)'
const JOURNAL = 'SELECT steps, answers FROM mcpwire.read_journal($1, $2, $3)'
const DISCARD = 'SELECT mcpwire.discard_task($1, $2, $3) AS outcome'
const RENEW = 'SELECT mcpwire.renew_task($1, $2, $3, $4, $5) AS outcome'
const EXTEND = 'SELECT mcpwire.extend_task($1, $2, $3, $4, $5) AS outcome'
const KEEP_STEP = within(1, 4, 'mcpwire.keep_step($1, $2, $3, $4)', 5)
const ASK = within(3, 4, 'mcpwire.ask($1, $2, $3, $4)', 5)
const ANSWER = within(2, 3, 'mcpwire.answer($1, $2, $3)', 4)
const GIVE_BACK = 'SELECT mcpwire.give_back($1, $2, $3, $4) AS outcome'
const FINISH = within(4, 5, 'mcpwire.finish_task($1, $2, $3, $4, $5)', 6)
const CANCEL = 'SELECT mcpwire.cancel_task($1, $2, $3) AS outcome'

const NO_LIMITS: TaskStoreLimits = Object.freeze({})
const MAX_ID_LENGTH = 200
const NO_LIMIT = -1

/** The name of the limit that texts of a type (1 step, 2 answer, 3 question, 4 outcome) pass, or else what the call returns. */
function within(type: number, texts: number, call: string, limits: number): string {
  const passed = `mcpwire.part_passes($1, $2, ${type}, $${texts}, $${limits}, $${limits + 1})`
  return `SELECT coalesce(${passed}, ${call}::text) AS outcome`
}

export class PostgresTaskStore implements TaskStore {
  readonly #engine: Engine
  readonly #feed: Feed
  readonly #outbox: Outbox
  readonly #maxValueBytes: number

  constructor(engine: Engine, feed: Feed, outbox: Outbox, maxValueBytes: number) {
    this.#engine = engine
    this.#feed = feed
    this.#outbox = outbox
    this.#maxValueBytes = maxValueBytes
  }

  async create(
    task: NewTask & Partial<Journal>,
    { claimFor, limits = NO_LIMITS }: CreateTaskOptions = {},
  ): Promise<Claim | undefined> {
    const { id, owner, kind, dialect, input, ttlMs, keepMs, maxAttempts, notBeforeMs = 0, pollIntervalMs } = task
    checkName('tasks.create', id)
    this.#checkTexts('tasks.create', { input }, task.steps, task.answers)
    const steps = task.steps === undefined ? null : pairsOf(task.steps)
    const answers = task.answers === undefined ? null : pairsOf(task.answers)
    const times = [ttlMs, keepMs, maxAttempts, notBeforeMs, pollIntervalMs, claimFor?.leaseMs ?? null]
    const { perOwner = null, total = null, maxBytesPerOwner = null, maxBytes = null } = limits
    const within = [perOwner, total, maxBytesPerOwner, maxBytes]
    const values = [id, owner, kind, dialect, ...times, toColumn(input), steps, answers, ...within]
    let outcome = await this.#outcome('tasks.create', CREATE, values)
    // What is overdue counts until somebody has looked.
    if (isLimit(outcome) && (await this.#makeRoom())) outcome = await this.#outcome('tasks.create', CREATE, values)
    if (isLimit(outcome)) throw limitReached('tasks.create', outcome, limits)
    if (outcome === 'other') {
      throw new BackendError('Another task has this id already.', { kind: 'refused', operation: 'tasks.create' })
    }
    if (claimFor === undefined) {
      if (outcome === 'made') this.#outbox.hint(WORK, '')
      return undefined
    }
    if (outcome === 'same') return undefined
    const claim = { id, kind, input, attempt: 1, steps: { ...task.steps }, answers: { ...task.answers } }
    if (outcome === 'made') return claim
    // Created before: its run may have kept more than was given.
    const journal = await this.journal(claim)
    return journal === undefined ? undefined : { ...claim, ...journal }
  }

  async discard(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.discard', DISCARD, claim)
  }

  async get(id: string): Promise<Task | undefined> {
    if (!isId(id)) return undefined
    const key = [this.#engine.namespace, id]
    const [row] = await this.#engine.read('tasks.get', GET, key)
    if (row?.['is_due'] !== true) return row === undefined ? undefined : toTask(row)
    const [settled] = await this.#engine.write('tasks.get', GET_SETTLED, key)
    return settled === undefined ? undefined : toTask(settled)
  }

  async list(owner: string, { dialect, limit, after, createdFrom }: TaskPage): Promise<readonly Task[]> {
    const values = [this.#engine.namespace, owner, dialect, after ?? null, createdFrom ?? null, limit]
    const rows = await this.#engine.write('tasks.list', LIST, values)
    return rows.map(toTask)
  }

  async countOpen(owner?: string): Promise<number> {
    return Number(await this.#outcome('tasks.countOpen', COUNT, [owner ?? null]))
  }

  async claim(
    _worker: string,
    { kinds, max, leaseMs }: { kinds: readonly string[]; max: number; leaseMs: number },
  ): Promise<readonly Claim[]> {
    checkCount('tasks.claim', 'max', max, 0)
    const values = [this.#engine.namespace, JSON.stringify(kinds), max, leaseMs]
    const rows = await this.#engine.write('tasks.claim', CLAIM, values)
    return rows.map(toClaim)
  }

  async renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'> {
    if (statusMessage !== undefined) this.#checkTexts('tasks.renew', { statusMessage })
    if (!isId(claim.id)) return 'lost'
    const message = statusMessage === undefined ? null : toColumn(statusMessage)
    const outcome = await this.#outcome('tasks.renew', RENEW, [claim.id, claim.attempt, leaseMs, message])
    if (outcome !== 'changed') return outcome as 'held' | 'cancelling' | 'lost'
    this.#outbox.hint(CHANGED, claim.id)
    return 'held'
  }

  async extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean> {
    const ttlMs = change.ttlMs === null ? NO_LIMIT : (change.ttlMs ?? null)
    return this.#withClaim('tasks.extend', EXTEND, claim, [ttlMs, change.pollIntervalMs ?? null])
  }

  async keepStep(claim: Claim, name: string, value: string, limits = NO_LIMITS): Promise<boolean> {
    this.#checkTexts('tasks.keepStep', { [name]: value })
    return this.#withClaim('tasks.keepStep', KEEP_STEP, claim, [pairsOf({ [name]: value })], limits)
  }

  async journal(claim: Claim): Promise<Journal | undefined> {
    if (!isId(claim.id)) return undefined
    const [row] = await this.#engine.write('tasks.journal', JOURNAL, [this.#engine.namespace, claim.id, claim.attempt])
    return row === undefined ? undefined : toJournal(row as never)
  }

  async ask(claim: Claim, questions: Texts, limits = NO_LIMITS): Promise<boolean> {
    this.#checkTexts('tasks.ask', questions)
    return this.#withClaim('tasks.ask', ASK, claim, [pairsOf(questions)], limits)
  }

  async answer(id: string, answers: Texts, limits = NO_LIMITS): Promise<'taken' | 'ended' | 'unknown'> {
    if (!isId(id)) return 'unknown'
    this.#checkTexts('tasks.answer', answers)
    const outcome = await this.#within('tasks.answer', ANSWER, [id, pairsOf(answers)], limits)
    if (outcome === 'taken') this.#hintChange(id)
    return outcome as 'taken' | 'ended' | 'unknown'
  }

  async park(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.park', GIVE_BACK, claim, [true])
  }

  async release(claim: Claim): Promise<boolean> {
    return this.#withClaim('tasks.release', GIVE_BACK, claim, [false])
  }

  async finish(
    claim: Claim,
    { status, text }: TaskOutcome,
    limits = NO_LIMITS,
  ): Promise<'finished' | 'already' | 'lost'> {
    this.#checkTexts('tasks.finish', { text })
    if (!isId(claim.id)) return 'lost'
    const counting = Buffer.byteLength(text) > FREE_OUTCOME_BYTES ? limits : NO_LIMITS
    const values = [claim.id, claim.attempt, status, toColumn(text)]
    const outcome = await this.#within('tasks.finish', FINISH, values, counting)
    if (outcome === 'finished') this.#outbox.hint(CHANGED, claim.id)
    return outcome as 'finished' | 'already' | 'lost'
  }

  async cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'> {
    if (!isId(id)) return 'unknown'
    const outcome = await this.#outcome('tasks.cancel', CANCEL, [id, graceMs])
    if (outcome === 'cancelled' || outcome === 'cancelling') this.#outbox.hint(CHANGED, id)
    return outcome as 'cancelled' | 'cancelling' | 'ended' | 'unknown'
  }

  watch(listener: TaskListener): () => void {
    this.#engine.checkOpen('tasks.watch')
    return watchTasks(this.#feed, listener)
  }

  /** What others store at the same moment is not seen, so that bytes may pass their limits by that much. */
  async #within(
    operation: string,
    text: string,
    values: readonly SqlValue[],
    limits: TaskStoreLimits,
  ): Promise<unknown> {
    const { maxBytesPerOwner = null, maxBytes = null } = limits
    const outcome = await this.#outcome(operation, text, [...values, maxBytesPerOwner, maxBytes])
    if (isLimit(outcome)) throw limitReached(operation, outcome, limits)
    return outcome
  }

  async #makeRoom(): Promise<boolean> {
    const [row] = await this.#engine.write('tasks.create', MAKE_ROOM, [])
    return row?.['outcome'] === true
  }

  #checkTexts(operation: string, ...all: (Texts | undefined)[]): void {
    for (const texts of all) for (const name in texts) checkValue(operation, texts[name] as string, this.#maxValueBytes)
  }

  async #outcome(operation: string, text: string, values: readonly SqlValue[]): Promise<unknown> {
    const [row] = await this.#engine.write(operation, text, [this.#engine.namespace, ...values])
    return (row as Row)['outcome']
  }

  /** False: the claim is lost. */
  async #withClaim(
    operation: string,
    text: string,
    claim: Claim,
    values: readonly SqlValue[] = [],
    limits?: TaskStoreLimits,
  ): Promise<boolean> {
    if (!isId(claim.id)) return false
    const all = [claim.id, claim.attempt, ...values]
    const outcome =
      limits === undefined ? this.#outcome(operation, text, all) : this.#within(operation, text, all, limits)
    const isHeld = String(await outcome) === 'true'
    if (isHeld) this.#hintChange(claim.id)
    return isHeld
  }

  /** The task may be ready again. */
  #hintChange(id: string): void {
    this.#outbox.hint(CHANGED, id)
    this.#outbox.hint(WORK, '')
  }
}

/** What is no id that a task can have is looked for nowhere; no text of Postgres has a NUL character. */
function isId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH && !id.includes('\0')
}

function isLimit(outcome: unknown): outcome is keyof TaskStoreLimits {
  return outcome === 'perOwner' || outcome === 'total' || outcome === 'maxBytesPerOwner' || outcome === 'maxBytes'
}
