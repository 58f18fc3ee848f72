// Logs as rows: one for the log, one for each entry.
import { BackendError } from '../../backend/backend-error.ts'
import type { AppendOptions, LogEntry, LogPage, Logs, PostOptions, ReadOptions } from '../../backend/logs.ts'
import { checkCount, checkName, checkTtl, checkValue, MAX_PAGE_BYTES, utf8Length } from '../../backend/rules.ts'
import { fromColumn, toColumn } from '../../backend/stored-text.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Engine } from '../engine/engine.ts'
import { removeLog } from '../engine/sweeper.ts'
import { LogFollowers } from './log-followers.ts'

interface LogRow {
  readonly n: number
  readonly first_seq: number
  readonly last_seq: number
  /** Of the entries that are there. */
  readonly bytes: number
  readonly is_ended: 0 | 1
  readonly expires_at: number
}

interface SizeRow {
  readonly seq: number
  readonly bytes: number
}

/** Entries that had to go are known so long, without their text, so that a late repeat is recognised. */
const TRIMMED_KNOWN = 64

const FIND = 'SELECT n, first_seq, last_seq, bytes, is_ended, expires_at FROM mcpwire_log WHERE ns = ? AND name = ?'
const CREATE = `INSERT INTO mcpwire_log (ns, name, first_seq, last_seq, bytes, is_ended, expires_at)
  VALUES (?, ?, 1, 0, 0, 0, ?) RETURNING n, first_seq, last_seq, bytes, is_ended, expires_at`
const GROW = 'UPDATE mcpwire_log SET last_seq = ?, bytes = ?, is_ended = ?, expires_at = ? WHERE n = ?'
const TRIM = 'UPDATE mcpwire_log SET first_seq = ?, bytes = ? WHERE n = ?'
const ADD = 'INSERT INTO mcpwire_entry (log, seq, writer, nth, bytes, data) VALUES (?, ?, ?, ?, ?, ?)'
const WRITER = 'SELECT writer FROM mcpwire_entry WHERE log = ? AND seq = ?'
const POSTED = 'SELECT seq FROM mcpwire_entry WHERE log = ? AND writer = ? AND nth = ? AND nth > 0'
const SIZES = 'SELECT seq, bytes FROM mcpwire_entry WHERE log = ? AND seq >= ? ORDER BY seq'
const ENTRIES = 'SELECT seq, data FROM mcpwire_entry WHERE log = ? AND seq BETWEEN ? AND ? ORDER BY seq'
const EMPTY = "UPDATE mcpwire_entry SET data = '', bytes = 0 WHERE log = ? AND seq BETWEEN ? AND ?"
const FORGET = 'DELETE FROM mcpwire_entry WHERE log = ? AND seq <= ?'

export class SQLiteLogs implements Logs {
  readonly #engine: Engine
  readonly #maxValueBytes: number
  readonly #followers: LogFollowers

  constructor(engine: Engine, maxValueBytes: number) {
    this.#engine = engine
    this.#maxValueBytes = maxValueBytes
    this.#followers = new LogFollowers(engine)
  }

  append(log: string, { seq, data }: LogEntry, options: AppendOptions): MaybePromise<'kept' | 'already' | 'conflict'> {
    this.#check('logs.append', log, data, options)
    checkCount('logs.append', 'seq', seq)
    return this.#engine.write('logs.append', () => {
      const known = this.#find(log)
      const next = (known?.last_seq ?? 0) + 1
      if (known !== undefined && seq < next) return this.#isWriter(known, seq, options.writer) ? 'already' : 'conflict'
      if (seq > next || known?.is_ended === 1) return 'conflict'
      this.#add(log, known, data, { ...options, nth: 0 })
      return 'kept'
    })
  }

  post(log: string, data: string, options: PostOptions): MaybePromise<number> {
    const { writer, nth, maxEntries, maxBytes } = options
    this.#check('logs.post', log, data, options)
    checkCount('logs.post', 'nth', nth)
    checkCount('logs.post', 'maxEntries', maxEntries)
    checkCount('logs.post', 'maxBytes', maxBytes)
    return this.#engine.write('logs.post', () => {
      const known = this.#find(log)
      if (known !== undefined) {
        const before = this.#engine.sql.get(POSTED, known.n, writer, nth) as { seq: number } | undefined
        if (before !== undefined) return before.seq
        if (known.is_ended === 1) {
          throw new BackendError('logs.post was called for a log that has ended.', {
            kind: 'refused',
            operation: 'logs.post',
          })
        }
      }
      const grown = this.#add(log, known, data, options)
      this.#trim(grown, maxEntries, maxBytes)
      return grown.last_seq
    })
  }

  read(
    log: string,
    afterSeq: number,
    { maxBytes = MAX_PAGE_BYTES, fromOldest = false }: ReadOptions = {},
  ): MaybePromise<LogPage | undefined> {
    checkName('logs.read', log)
    checkCount('logs.read', 'afterSeq', afterSeq, 0)
    checkCount('logs.read', 'maxBytes', maxBytes)
    return this.#engine.readTogether('logs.read', () => {
      const known = this.#find(log)
      if (known === undefined || afterSeq > known.last_seq) return undefined
      if (afterSeq + 1 < known.first_seq && !fromOldest) return undefined
      const first = Math.max(afterSeq + 1, known.first_seq)
      const last = this.#lastWithin(known, first, maxBytes)
      const rows = first > last ? [] : (this.#engine.sql.all(ENTRIES, known.n, first, last) as LogEntry[])
      const entries = rows.map(({ seq, data }) => ({ seq, data: fromColumn(data) }))
      return { entries, lastSeq: known.last_seq, isEnded: known.is_ended === 1 }
    })
  }

  follow(log: string, onMore: (entry?: LogEntry) => void): () => void {
    checkName('logs.follow', log)
    return this.#followers.add(log, onMore)
  }

  drop(log: string): MaybePromise<void> {
    checkName('logs.drop', log)
    return this.#engine.write('logs.drop', () => {
      const { sql, namespace } = this.#engine
      const known = sql.get(FIND, namespace, log) as LogRow | undefined
      if (known !== undefined) removeLog(sql, known.n)
    })
  }

  #check(operation: string, log: string, data: string, { writer, ttlMs }: { writer: string; ttlMs: number }): void {
    checkName(operation, log)
    checkName(operation, writer)
    checkTtl(operation, ttlMs)
    checkValue(operation, data, this.#maxValueBytes)
  }

  #find(log: string): LogRow | undefined {
    const { sql, namespace, now } = this.#engine
    const row = sql.get(FIND, namespace, log) as LogRow | undefined
    return row === undefined || row.expires_at <= now() ? undefined : row
  }

  #isWriter({ n }: LogRow, seq: number, writer: string): boolean {
    return (this.#engine.sql.get(WRITER, n, seq) as { writer: string } | undefined)?.writer === writer
  }

  #add(name: string, known: LogRow | undefined, data: string, entry: AppendOptions & { nth: number }): LogRow {
    const { sql, now } = this.#engine
    const expiresAt = now() + entry.ttlMs
    const log = known ?? this.#create(name, expiresAt)
    const size = utf8Length(data)
    const seq = log.last_seq + 1
    const isEnded = entry.isLast === true ? 1 : 0
    sql.run(ADD, log.n, seq, entry.writer, entry.nth, size, toColumn(data))
    sql.run(GROW, seq, log.bytes + size, isEnded, expiresAt, log.n)
    return { ...log, last_seq: seq, bytes: log.bytes + size, is_ended: isEnded }
  }

  #create(name: string, expiresAt: number): LogRow {
    const { sql, namespace } = this.#engine
    // One that has expired and was not swept yet.
    const old = sql.get(FIND, namespace, name) as LogRow | undefined
    if (old !== undefined) removeLog(sql, old.n)
    const [row] = sql.all(CREATE, namespace, name, expiresAt)
    return row as LogRow
  }

  /** The newest entry stays, however large it is. */
  #trim({ n, first_seq: oldFirst, last_seq: last, bytes: before }: LogRow, maxEntries: number, maxBytes: number): void {
    let first = oldFirst
    let bytes = before
    if (last - first + 1 <= maxEntries && bytes <= maxBytes) return
    const { sql } = this.#engine
    for (const { seq, bytes: size } of sql.all(SIZES, n, first) as SizeRow[]) {
      if (seq === last || (last - first + 1 <= maxEntries && bytes <= maxBytes)) break
      first = seq + 1
      bytes -= size
    }
    sql.run(EMPTY, n, oldFirst, first - 1)
    sql.run(FORGET, n, first - 1 - TRIMMED_KNOWN)
    sql.run(TRIM, first, bytes, n)
  }

  /** The last entry of a page. */
  #lastWithin({ n, last_seq: last, bytes: all }: LogRow, first: number, maxBytes: number): number {
    if (all <= maxBytes) return last
    let bytes = 0
    let fits = first
    for (const { seq, bytes: size } of this.#engine.sql.all(SIZES, n, first) as SizeRow[]) {
      bytes += size
      if (bytes > maxBytes) break
      fits = seq
    }
    return Math.min(Math.max(fits, first), last)
  }
}
