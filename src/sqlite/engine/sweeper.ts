// Removes what has expired, in small steps beside the writes: where nothing is written, nothing grows.
import type { Connection } from './connection.ts'

/** A step comes after so many writes, or with the first write after so long. */
const WRITES_BETWEEN = 256
const LONGEST_PAUSE_MS = 1_000
/** For each write since the last step, so that what expires is removed faster than it comes. */
const ROWS_PER_WRITE = 3
/** A process that looks less often has missed what was said meanwhile. */
const MESSAGES_KEPT_MS = 10_000

const REMOVE_RECORDS =
  'DELETE FROM mcpwire_record WHERE n IN (SELECT n FROM mcpwire_record WHERE expires_at <= ? LIMIT ?)'
const ENDED_LOGS = 'SELECT n FROM mcpwire_log WHERE expires_at <= ? LIMIT ?'
const REMOVE_ENTRIES = 'DELETE FROM mcpwire_entry WHERE log = ?'
const REMOVE_LOG = 'DELETE FROM mcpwire_log WHERE n = ?'
const REMOVE_BUCKETS =
  'DELETE FROM mcpwire_bucket WHERE (ns, key) IN (SELECT ns, key FROM mcpwire_bucket WHERE full_at <= ? LIMIT ?)'
const REMOVE_PLACES = `DELETE FROM mcpwire_place WHERE (ns, key, holder) IN
  (SELECT ns, key, holder FROM mcpwire_place WHERE expires_at <= ? LIMIT ?)`
const OLDEST_MESSAGE = 'SELECT sent_at FROM mcpwire_message ORDER BY n LIMIT 1'
/** The newest stays, because the next one is numbered after it. Of a clock that was set back, the future is past too. */
const REMOVE_MESSAGES = `DELETE FROM mcpwire_message WHERE n IN (SELECT n FROM mcpwire_message ORDER BY n LIMIT ?)
  AND sent_at NOT BETWEEN ? AND ? AND n < (SELECT max(n) FROM mcpwire_message)`

export class Sweeper {
  readonly #now: () => number
  #writes = 0
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.#now = now
  }

  /** Inside a transaction with so many writes. */
  step(sql: Connection, writes: number): void {
    const now = this.#now()
    this.#writes += writes
    if (this.#writes < WRITES_BETWEEN && Math.abs(now - this.#sweptAt) < LONGEST_PAUSE_MS) return
    const rows = ROWS_PER_WRITE * Math.max(this.#writes, WRITES_BETWEEN)
    this.#writes = 0
    this.#sweptAt = now
    for (const remove of [REMOVE_RECORDS, REMOVE_BUCKETS, REMOVE_PLACES]) sql.run(remove, now, rows)
    for (const row of sql.all(ENDED_LOGS, now, rows)) removeLog(sql, (row as { n: number }).n)
    const oldest = sql.get(OLDEST_MESSAGE) as { sent_at: number } | undefined
    if (oldest === undefined || Math.abs(now - oldest.sent_at) <= MESSAGES_KEPT_MS) return
    sql.run(REMOVE_MESSAGES, rows, now - MESSAGES_KEPT_MS, now + MESSAGES_KEPT_MS)
  }
}

export function removeLog(sql: Connection, log: number): void {
  sql.run(REMOVE_ENTRIES, log)
  sql.run(REMOVE_LOG, log)
}
