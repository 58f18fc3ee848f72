// The rows of tasks: reads, writes, and the ends that come by time alone. All of it inside a transaction.

import { TASK_BYTES } from '../../backend/byte-budget.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import { TaskEnding } from '../../backend/task-endings.ts'
import type { Journal, NewTask } from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import { dueAt, keepAlive, LONGEST_MS, PART, PLACE, queueAt, type TaskRow, type Texts, touch } from './task-row.ts'

/** All but the input, which only claims need. */
export const TASK_COLUMNS = `n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at,
  ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at,
  was_answered, has_parts, due_at, outcome, bytes`
const INSERT = `INSERT INTO mcpwire_task (ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at,
  created_at, updated_at, ttl_ms, poll_interval_ms, place, status, attempt, tries, revision, lease_ends_at,
  moved_at, was_answered, has_parts, queue_at, due_at, input, bytes, turn)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?6, ?11, ?12, 'working', ?12, ?12, 1, ?13,
  ?10, 0, ?14, iif(?12 = ${PLACE.ready}, ?9, NULL), ?15, ?16, ?17,
  iif(?12 = ${PLACE.ready}, ${nextTurn('?1', '?3')}, 0)) ON CONFLICT (ns, id) DO NOTHING`
const FIND = `SELECT ${TASK_COLUMNS} FROM mcpwire_task WHERE ns = ? AND id = ?`
const INPUT = 'SELECT input FROM mcpwire_task WHERE n = ?'
const FACTS = `UPDATE mcpwire_task SET updated_at = ?, ttl_ms = ?, poll_interval_ms = ?, status = ?, status_message = ?,
  revision = ?, was_answered = ?, has_parts = ? WHERE n = ?`
const MOVE = `UPDATE mcpwire_task SET place = ?, attempt = ?, tries = ?, lease_ends_at = ?, cancelled_at = ?, queue_at = ?,
  due_at = ?, moved_at = ? WHERE n = ?`
/** Behind the other tasks of its owner, or before all where its worker was lost. */
const TURN = `UPDATE mcpwire_task SET turn = iif(place = ${PLACE.lost}, queue_at, ${nextTurn('ns', 'owner')}) WHERE n = ?`
const END = `UPDATE mcpwire_task SET place = ${PLACE.ended}, status = ?, status_message = ?, updated_at = ?, ttl_ms = ?,
  attempt = ?, revision = ?, queue_at = NULL, due_at = ?, input = '', has_parts = 0, outcome = ?, bytes = ? WHERE n = ?`
const DELETE = 'DELETE FROM mcpwire_task WHERE n = ?'
const DUE = `SELECT ${TASK_COLUMNS} FROM mcpwire_task WHERE due_at <= ? AND place <> ${PLACE.ended} ORDER BY due_at LIMIT ?`
const REMOVE_GONE = `DELETE FROM mcpwire_task WHERE n IN
  (SELECT n FROM mcpwire_task WHERE due_at <= ? AND place = ${PLACE.ended} ORDER BY due_at LIMIT ?)`
const COUNT = 'SELECT open, bytes FROM mcpwire_task_count WHERE ns = ? AND owner = ?'
const PASS_TURN = `UPDATE mcpwire_task_count SET turn = ?2 WHERE ns = ?1 AND owner = char(1) AND turn < ?2`
/** Of each kind the one whose turn is next, and of these the one whose turn is next. */
const CLAIM = `UPDATE mcpwire_task SET place = ${PLACE.leased}, attempt = attempt + 1, tries = tries + 1, lease_ends_at = ?3,
  queue_at = NULL, due_at = ?3, moved_at = ?2 WHERE n = (
    SELECT first FROM (SELECT (SELECT n FROM mcpwire_task WHERE ns = ?1 AND kind = value AND queue_at <= ?2 AND due_at > ?2
      AND queue_at IS NOT NULL ORDER BY turn, n LIMIT 1) AS first FROM json_each(?4)) JOIN mcpwire_task ON n = first
      ORDER BY turn, n LIMIT 1)
  RETURNING n, id, kind, attempt, has_parts, input, turn`
/** The usual end in one statement: \`end\` with a claim that is held, of a task without parts. */
const FINISH = `UPDATE mcpwire_task SET place = ${PLACE.ended}, status = ?4, outcome = ?5, updated_at = max(updated_at, ?6),
  revision = revision + 1, ttl_ms = max(ttl_ms, ?6 - created_at + keep_ms), queue_at = NULL, input = '',
  bytes = ?7, due_at = max(created_at + coalesce(max(ttl_ms, ?6 - created_at + keep_ms), ${LONGEST_MS}), max(updated_at, ?6) + keep_ms)
  WHERE ns = ?1 AND id = ?2 AND attempt = ?3 AND place IN (${PLACE.leased}, ${PLACE.lost}) AND has_parts = 0
  AND (cancelled_at IS NULL OR cancelled_at > ?6)`
const PARTS = 'SELECT name, value FROM mcpwire_task_part WHERE task = ? AND type = ?'
const KEEP_PART = 'INSERT OR IGNORE INTO mcpwire_task_part (task, type, name, value) VALUES (?, ?, ?, ?)'
const TAKE_PART = 'DELETE FROM mcpwire_task_part WHERE task = ? AND type = ? AND name = ?'
const HAS_PART = 'SELECT 1 FROM mcpwire_task_part WHERE task = ? AND type = ? LIMIT 1'
const HAS_NAMED = 'SELECT 1 FROM mcpwire_task_part WHERE task = ? AND type IN (?, ?) AND name = ?'
const DELETE_PARTS = 'DELETE FROM mcpwire_task_part WHERE task = ?'

/** The count of all open tasks of a namespace stands beside those of its owners. The triggers of the schema count. */
const EVERYBODY = '\u0001'
const NONE = Object.freeze({ open: 0, bytes: 0 })

export type ClaimedRow = Pick<TaskRow, 'n' | 'id' | 'kind' | 'attempt' | 'has_parts'> & {
  readonly input: string
  readonly turn: number | null
}

/**
 * Fair queueing by start times: the turn that is claimed now, or the one after the last of the owner's tasks. So the tasks of one owner
 * stand one turn apart, and those of another do not wait behind all of them.
 */
function nextTurn(ns: string, owner: string): string {
  return `max(coalesce((SELECT c.turn FROM mcpwire_task_count c WHERE c.ns = ${ns} AND c.owner = char(1)), 0),
    coalesce((SELECT max(w.turn) + 1 FROM mcpwire_task w WHERE w.ns = ${ns} AND w.owner = ${owner} AND w.queue_at IS NOT NULL), 0))`
}

export class TaskRows {
  readonly #engine: Engine
  /** Nothing was due at this time any more. */
  #settledAt = Number.NaN

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False: the id is taken. */
  insert(task: NewTask & Partial<Journal>, leaseMs: number | undefined, now: number): boolean {
    const { sql, namespace: ns } = this.#engine
    const { id, owner, kind, dialect, ttlMs, keepMs, maxAttempts, notBeforeMs = 0, pollIntervalMs } = task
    const isClaimed = leaseMs !== undefined
    const lease = isClaimed ? now + leaseMs : null
    const place = isClaimed ? PLACE.leased : PLACE.ready
    const due = dueAt({ created_at: now, ttl_ms: ttlMs, place, lease_ends_at: lease, cancelled_at: null } as TaskRow)
    const hasParts = task.steps !== undefined || task.answers !== undefined ? 1 : 0
    // biome-ignore format: in the order of the columns
    const inserted = sql.run(INSERT, ns, id, owner, kind, dialect, ttlMs, keepMs, maxAttempts, now + notBeforeMs,
      now, pollIntervalMs, place, lease, hasParts, due, toColumn(task.input), TASK_BYTES + sizeOf(task.input))
    if (inserted === 0) return false
    if (hasParts === 0) return true
    const { n } = sql.get(FIND, ns, id) as TaskRow
    for (const [name, value] of Object.entries(task.steps ?? {})) this.keepPart(n, PART.step, name, value)
    for (const [name, value] of Object.entries(task.answers ?? {})) this.keepPart(n, PART.answer, name, value)
    return true
  }

  /** As it stands, whatever is due. */
  find(id: string): TaskRow | undefined {
    return this.#engine.sql.get(FIND, this.#engine.namespace, id) as TaskRow | undefined
  }

  /** What is overdue is ended, and what is gone is not found. */
  findSettled(id: string, now: number): TaskRow | undefined {
    const row = this.find(id)
    return row !== undefined && this.settle(row, now) ? row : undefined
  }

  inputOf({ n }: TaskRow): string {
    return (this.#engine.sql.get(INPUT, n) as { input: string }).input
  }

  /** Claims the next one of these kinds, which are JSON. */
  claimNext(kinds: string, leaseMs: number, now: number): ClaimedRow | undefined {
    return this.#engine.sql.get(CLAIM, this.#engine.namespace, now, now + leaseMs, kinds) as ClaimedRow | undefined
  }

  /** What becomes ready from now on does not come before this turn. */
  passTurn(turn: number): void {
    if (turn > 0) this.#engine.sql.run(PASS_TURN, this.#engine.namespace, turn)
  }

  /** False: nobody holds the task by this attempt, or it has parts to be removed. */
  finish(id: string, attempt: number, status: string, outcome: string, now: number): boolean {
    const { sql, namespace } = this.#engine
    return sql.run(FINISH, namespace, id, attempt, status, toColumn(outcome), now, TASK_BYTES + sizeOf(outcome)) > 0
  }

  /** Of one owner, or of all. */
  count(owner: string = EVERYBODY): { readonly open: number; readonly bytes: number } {
    const { sql, namespace } = this.#engine
    return (sql.get(COUNT, namespace, owner) as { open: number; bytes: number } | undefined) ?? NONE
  }

  /** Writes what a reader sees. */
  saveFacts(row: TaskRow): void {
    const { updated_at: updated, ttl_ms: ttl, poll_interval_ms: poll, status, status_message: message } = row
    const { revision, was_answered: answered, has_parts: parts, n } = row
    this.#engine.sql.run(FACTS, updated, ttl, poll, status, message, revision, answered, parts, n)
  }

  /** Writes where the task is. */
  saveMove(row: TaskRow, now: number): void {
    row.due_at = dueAt(row)
    const { place, attempt, tries, lease_ends_at: lease, cancelled_at: cancelled, due_at: due, n } = row
    this.#engine.sql.run(MOVE, place, attempt, tries, lease, cancelled, queueAt(row), due, now, n)
  }

  /** Back to the queue. */
  offer(row: TaskRow, now: number): void {
    row.place = PLACE.ready
    this.saveMove(row, now)
    this.#engine.sql.run(TURN, row.n)
  }

  end(row: TaskRow, status: 'completed' | 'failed' | 'cancelled', now: number, outcome?: string): void {
    row.place = PLACE.ended
    row.status = status
    keepAlive(row, now, 0)
    touch(row, now)
    row.due_at = dueAt(row)
    const { updated_at: updated, ttl_ms: ttl, attempt, revision, due_at: due, status_message: message, n } = row
    const { sql } = this.#engine
    sql.run(
      END,
      status,
      message,
      updated,
      ttl,
      attempt,
      revision,
      due,
      outcome === undefined ? null : toColumn(outcome),
      TASK_BYTES + sizeOf(outcome ?? ''),
      n,
    )
    if (row.has_parts === 1) sql.run(DELETE_PARTS, n)
    row.has_parts = 0
  }

  /** The store's own end: no outcome, and whoever runs it has lost it. */
  endItself(row: TaskRow, status: 'failed' | 'cancelled', now: number, message?: string): void {
    row.attempt += 1
    if (message !== undefined) row.status_message = message
    this.end(row, status, now)
  }

  delete(row: TaskRow): void {
    const { sql } = this.#engine
    sql.run(DELETE, row.n)
    if (row.has_parts === 1) sql.run(DELETE_PARTS, row.n)
  }

  /** Ends what is overdue, and puts what was lost back into the queue. False: the task is gone. */
  settle(row: TaskRow, now: number): boolean {
    if (row.due_at > now) return true
    if (row.place === PLACE.ended) {
      this.delete(row)
      return false
    }
    if (row.place === PLACE.leased) {
      if (row.cancelled_at !== null) this.endItself(row, 'cancelled', now)
      else if (row.tries >= row.max_attempts) this.endItself(row, 'failed', now, TaskEnding.WorkerLost)
      else this.#lose(row, now)
    } else if (row.place === PLACE.parked) this.endItself(row, 'failed', now, TaskEnding.NotAnswered)
    else this.endItself(row, 'failed', now, TaskEnding.NotRun)
    return this.settle(row, now)
  }

  /** Ends what was cancelled so long ago that its worker had time to stop. */
  settleCancelled(row: TaskRow, now: number): boolean {
    if (row.cancelled_at === null || row.cancelled_at > now) return false
    this.endItself(row, 'cancelled', now)
    return true
  }

  /** Settles what is due, of any owner, at most so many. */
  settleDue(now: number, limit: number): void {
    // What becomes due later than now cannot be due now.
    if (now === this.#settledAt) return
    // Most of what is due has ended, and needs no more than to be removed.
    const gone = this.#engine.sql.run(REMOVE_GONE, now, limit)
    const rows = this.#engine.sql.all(DUE, now, limit) as TaskRow[]
    for (const row of rows) this.settle(row, now)
    if (gone < limit && rows.length < limit) this.#settledAt = now
  }

  parts(row: Pick<TaskRow, 'n' | 'has_parts'>, type: number): Texts {
    const parts: Record<string, string> = Object.create(null)
    if (row.has_parts === 0) return parts
    for (const part of this.#engine.sql.all(PARTS, row.n, type)) {
      const { name, value } = part as { name: string; value: string }
      parts[fromColumn(name)] = fromColumn(value)
    }
    return parts
  }

  journal(row: Pick<TaskRow, 'n' | 'has_parts'>): Journal {
    return { steps: this.parts(row, PART.step), answers: this.parts(row, PART.answer) }
  }

  /** The first value stays. */
  keepPart(n: number, type: number, name: string, value: string): void {
    this.#engine.sql.run(KEEP_PART, n, type, toColumn(name), toColumn(value))
  }

  takePart(n: number, type: number, name: string): void {
    this.#engine.sql.run(TAKE_PART, n, type, toColumn(name))
  }

  hasPart(n: number, type: number): boolean {
    return this.#engine.sql.get(HAS_PART, n, type) !== undefined
  }

  hasNamed(n: number, [type, other = type]: readonly [number, number?], name: string): boolean {
    return this.#engine.sql.get(HAS_NAMED, n, type, other, toColumn(name)) !== undefined
  }

  #lose(row: TaskRow, now: number): void {
    row.place = PLACE.lost
    this.saveMove(row, now)
    this.#engine.sql.run(TURN, row.n)
  }
}

/** What a text takes in the file. */
export function sizeOf(text: string): number {
  return Buffer.byteLength(toColumn(text))
}
