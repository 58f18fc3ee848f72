// The rows of tasks: reads, writes, and the ends that come by time alone. All of it inside a transaction.
import type { Journal, NewTask } from '../../backend/task-store.ts'
import type { Engine } from '../engine/engine.ts'
import { fromColumn, toColumn } from '../engine/text.ts'
import { dueAt, keepAlive, PART, PLACE, queueAt, type TaskRow, type Texts, touch } from './task-row.ts'

/** All but the input, which only claims need. */
export const TASK_COLUMNS = `n, ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at, created_at, updated_at,
  ttl_ms, poll_interval_ms, place, status, status_message, attempt, tries, revision, lease_ends_at, cancelled_at,
  was_answered, has_parts, due_at, outcome`
const INSERT = `INSERT INTO mcpwire_task (ns, id, owner, kind, dialect, given_ttl_ms, keep_ms, max_attempts, claimable_at,
  created_at, updated_at, ttl_ms, poll_interval_ms, place, status, attempt, tries, revision, lease_ends_at,
  was_answered, has_parts, queue_at, due_at, input)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'working', ?, ?, 1, ?, 0, ?, ?, ?, ?) ON CONFLICT (ns, id) DO NOTHING`
const FIND = `SELECT ${TASK_COLUMNS} FROM mcpwire_task WHERE ns = ? AND id = ?`
const INPUT = 'SELECT input FROM mcpwire_task WHERE n = ?'
const FACTS = `UPDATE mcpwire_task SET updated_at = ?, ttl_ms = ?, poll_interval_ms = ?, status = ?, status_message = ?,
  revision = ?, was_answered = ?, has_parts = ? WHERE n = ?`
const MOVE = `UPDATE mcpwire_task SET place = ?, attempt = ?, tries = ?, lease_ends_at = ?, cancelled_at = ?, queue_at = ?,
  due_at = ? WHERE n = ?`
const END = `UPDATE mcpwire_task SET place = ${PLACE.ended}, status = ?, status_message = ?, updated_at = ?, ttl_ms = ?,
  attempt = ?, revision = ?, queue_at = NULL, due_at = ?, input = '', has_parts = 0, outcome = ? WHERE n = ?`
const DELETE = 'DELETE FROM mcpwire_task WHERE n = ?'
const DUE = `SELECT ${TASK_COLUMNS} FROM mcpwire_task WHERE due_at <= ? ORDER BY due_at LIMIT ?`
const COUNT = `INSERT INTO mcpwire_task_count (ns, owner, open) VALUES (?, ?, ?)
  ON CONFLICT (ns, owner) DO UPDATE SET open = open + excluded.open`
const FORGET_COUNT = 'DELETE FROM mcpwire_task_count WHERE ns = ? AND owner = ? AND open = 0'
const OPEN = 'SELECT open FROM mcpwire_task_count WHERE ns = ? AND owner = ?'
/** One row per kind that somebody waits for, and of these the one that waits longest. */
const NEXT = `SELECT ${TASK_COLUMNS}, input FROM mcpwire_task WHERE n = (
  SELECT first FROM (SELECT (SELECT n FROM mcpwire_task WHERE ns = ?1 AND kind = value AND queue_at <= ?2
    ORDER BY queue_at, n LIMIT 1) AS first FROM json_each(?3)) JOIN mcpwire_task ON n = first ORDER BY queue_at, n LIMIT 1)`
const PARTS = 'SELECT name, value FROM mcpwire_task_part WHERE task = ? AND type = ?'
const KEEP_PART = 'INSERT OR IGNORE INTO mcpwire_task_part (task, type, name, value) VALUES (?, ?, ?, ?)'
const TAKE_PART = 'DELETE FROM mcpwire_task_part WHERE task = ? AND type = ? AND name = ?'
const HAS_PART = 'SELECT 1 FROM mcpwire_task_part WHERE task = ? AND type = ? LIMIT 1'
const WAS_ASKED = `SELECT 1 FROM mcpwire_task_part WHERE task = ? AND type IN (${PART.answer}, ${PART.question}) AND name = ?`
const DELETE_PARTS = 'DELETE FROM mcpwire_task_part WHERE task = ?'

/** The count of all open tasks of a namespace stands beside those of its owners. */
const EVERYBODY = '\u0001'

export interface TaskNews {
  changed(ns: string, id: string): void
  work(ns: string): void
}

export class TaskRows {
  readonly #engine: Engine
  readonly #news: TaskNews

  constructor(engine: Engine, news: TaskNews) {
    this.#engine = engine
    this.#news = news
  }

  /** False: the id is taken. */
  insert(task: NewTask & Partial<Journal>, leaseMs: number | undefined, now: number): boolean {
    const { sql, namespace: ns } = this.#engine
    const { id, owner, kind, dialect, ttlMs, keepMs, maxAttempts, notBeforeMs = 0, pollIntervalMs } = task
    const isClaimed = leaseMs !== undefined
    const leaseEndsAt = isClaimed ? now + leaseMs : null
    const place = isClaimed ? PLACE.leased : PLACE.ready
    const times = { created_at: now, updated_at: now, ttl_ms: ttlMs, keep_ms: keepMs, claimable_at: now + notBeforeMs }
    const row = { ...times, place, lease_ends_at: leaseEndsAt, cancelled_at: null } as TaskRow
    const runs = isClaimed ? 1 : 0
    const hasParts = task.steps !== undefined || task.answers !== undefined ? 1 : 0
    // biome-ignore format: in the order of the columns
    const inserted = sql.run(INSERT, ns, id, owner, kind, dialect, ttlMs, keepMs, maxAttempts, row.claimable_at,
      now, now, ttlMs, pollIntervalMs, place, runs, runs, leaseEndsAt,
      hasParts, queueAt(row), dueAt(row), toColumn(task.input))
    if (inserted === 0) return false
    this.#count(ns, owner, 1)
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

  /** The next one to claim, with its input. */
  next(kinds: string, now: number): (TaskRow & { input: string }) | undefined {
    return this.#engine.sql.get(NEXT, this.#engine.namespace, now, kinds) as (TaskRow & { input: string }) | undefined
  }

  countOpen(owner: string = EVERYBODY): number {
    const { sql, namespace } = this.#engine
    return (sql.get(OPEN, namespace, owner) as { open: number } | undefined)?.open ?? 0
  }

  /** Writes what a reader sees. */
  saveFacts(row: TaskRow): void {
    const { updated_at: updated, ttl_ms: ttl, poll_interval_ms: poll, status, status_message: message } = row
    const { revision, was_answered: answered, has_parts: parts, n } = row
    this.#engine.sql.run(FACTS, updated, ttl, poll, status, message, revision, answered, parts, n)
  }

  /** Writes where the task is. */
  saveMove(row: TaskRow): void {
    row.due_at = dueAt(row)
    const { place, attempt, tries, lease_ends_at: lease, cancelled_at: cancelled, due_at: due, n } = row
    this.#engine.sql.run(MOVE, place, attempt, tries, lease, cancelled, queueAt(row), due, n)
  }

  /** Back to the queue. */
  offer(row: TaskRow): void {
    row.place = PLACE.ready
    this.saveMove(row)
    this.#news.work(row.ns)
  }

  /** There is a new one in the queue. */
  offered(): void {
    this.#news.work(this.#engine.namespace)
  }

  changed({ ns, id }: TaskRow): void {
    this.#news.changed(ns, id)
  }

  end(row: TaskRow, status: 'completed' | 'failed' | 'cancelled', now: number, outcome?: string): void {
    row.place = PLACE.ended
    row.status = status
    keepAlive(row, now)
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
      n,
    )
    if (row.has_parts === 1) sql.run(DELETE_PARTS, n)
    row.has_parts = 0
    this.#count(row.ns, row.owner, -1)
    this.changed(row)
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
    if (row.place !== PLACE.ended) this.#count(row.ns, row.owner, -1)
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
      else if (row.tries >= row.max_attempts) this.endItself(row, 'failed', now, 'The worker was lost.')
      else this.#lose(row)
    } else if (row.place === PLACE.parked) this.endItself(row, 'failed', now, 'Nobody answered the question in time.')
    else this.endItself(row, 'failed', now, 'The task was not run in time.')
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
    for (const row of this.#engine.sql.all(DUE, now, limit) as TaskRow[]) this.settle(row, now)
  }

  parts(row: TaskRow, type: number): Texts {
    const parts: Record<string, string> = Object.create(null)
    if (row.has_parts === 0) return parts
    for (const part of this.#engine.sql.all(PARTS, row.n, type)) {
      const { name, value } = part as { name: string; value: string }
      parts[fromColumn(name)] = fromColumn(value)
    }
    return parts
  }

  journal(row: TaskRow): Journal {
    return { steps: this.parts(row, PART.step), answers: this.parts(row, PART.answer) }
  }

  /** The first value stays. */
  keepPart(n: number, type: number, name: string, value: string): void {
    this.#engine.sql.run(KEEP_PART, n, type, toColumn(name), toColumn(value))
  }

  takePart(n: number, type: number, name: string): boolean {
    return this.#engine.sql.run(TAKE_PART, n, type, toColumn(name)) > 0
  }

  hasPart(n: number, type: number): boolean {
    return this.#engine.sql.get(HAS_PART, n, type) !== undefined
  }

  wasAsked(n: number, name: string): boolean {
    return this.#engine.sql.get(WAS_ASKED, n, toColumn(name)) !== undefined
  }

  #lose(row: TaskRow): void {
    row.place = PLACE.lost
    this.saveMove(row)
    this.#news.work(row.ns)
  }

  #count(ns: string, owner: string, change: 1 | -1): void {
    const { sql } = this.#engine
    sql.run(COUNT, ns, owner, change)
    sql.run(COUNT, ns, EVERYBODY, change)
    if (change === -1) sql.run(FORGET_COUNT, ns, owner)
  }
}
