// The life of a backend on SQLite: opened by the first operation or by `open`, closed, opened again.
import { createHash } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { BackendUse } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { ChangeWatch } from './change-watch.ts'
import { Connection } from './connection.ts'
import { findDatabaseClass, type SQLiteDatabase } from './database.ts'
import { isBusy, toBackendError, tooSlow } from './failures.ts'
import { migrateDatabase, requireMigrated } from './schema.ts'
import { Sweeper } from './sweeper.ts'

export interface EngineOptions {
  readonly namespace: string | undefined
  readonly timeoutMs: number
  readonly synchronous: 'normal' | 'full'
  readonly migrate: boolean
  /** The clock, in milliseconds. */
  readonly now: () => number
}

/** SQLite waits so long itself, which stops the event loop; the rest of the wait is ours. */
const OWN_WAIT_MS = 5
const RETRY_MS = 10
/** Pages that are written again and again are copied to the file less often than by default. */
const CHECKPOINT_PAGES = 4_000
/** The part of the log of writes that stays on disk after it was large. */
const WAL_BYTES = 64 * 1024 * 1024
/** Its key is none that a caller can give. */
const PROBE = "INSERT INTO mcpwire_record (ns, key, value, revision, expires_at) VALUES (?, '~space', ?, '', 0)"
const END_PROBE = "DELETE FROM mcpwire_record WHERE ns = ? AND key = '~space'"
const PROBE_BYTES = 64 * 1024
const PLAIN_NAMESPACE = /^[\w.-]{1,64}$/

interface Opened {
  readonly database: SQLiteDatabase
  readonly sql: Connection
  readonly watch: ChangeWatch
}

export class Engine {
  readonly now: () => number
  readonly #target: string | SQLiteDatabase
  readonly #options: EngineOptions
  readonly #sweeper: Sweeper
  #namespace: string | undefined
  #opened: Opened | undefined
  #opening: Promise<Opened> | undefined
  #isClosed = false
  readonly #onClose = new Set<() => void>()

  constructor(target: string | SQLiteDatabase, options: EngineOptions) {
    this.#target = target
    this.#options = options
    this.now = options.now
    this.#sweeper = new Sweeper(options.now)
    if (options.namespace !== undefined) this.#namespace = toNamespace(options.namespace)
  }

  /** Of every row that this backend reads and writes. */
  get namespace(): string {
    return this.#namespace ?? 'mcpwire'
  }

  /** For the work inside an operation: it is open then. */
  get sql(): Connection {
    return (this.#opened as Opened).sql
  }

  async open(use?: BackendUse): Promise<void> {
    this.#isClosed = false
    if (use?.namespace !== undefined) this.#namespace ??= toNamespace(use.namespace)
    const { database } = await this.#whenOpen('open')
    if (use?.report !== undefined && typeof this.#target !== 'string') reportSettings(database, use)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opening?.catch(() => {})
    const opened = this.#opened
    if (opened === undefined) return
    this.#opened = undefined
    for (const end of this.#onClose) end()
    opened.watch.end()
    opened.sql.end()
    if (typeof this.#target === 'string') closeOwn(opened.database)
  }

  /** Called with each `close`. */
  onClose(end: () => void): void {
    this.#onClose.add(end)
  }

  read<T>(operation: string, work: () => T): MaybePromise<T> {
    if (this.#opened !== undefined) return this.#opened.sql.read(operation, work)
    return this.#whenOpen(operation).then(({ sql }) => sql.read(operation, work))
  }

  readTogether<T>(operation: string, work: () => T): MaybePromise<T> {
    if (this.#opened !== undefined) return this.#opened.sql.readTogether(operation, work)
    return this.#whenOpen(operation).then(({ sql }) => sql.readTogether(operation, work))
  }

  write<T>(operation: string, work: () => T): MaybePromise<T> {
    if (this.#opened !== undefined) return this.#opened.sql.write(operation, work)
    return this.#whenOpen(operation).then(({ sql }) => sql.write(operation, work))
  }

  writeSoon<T>(operation: string, work: () => T): Promise<T> {
    if (this.#opened !== undefined) return this.#opened.sql.writeSoon(operation, work)
    return this.#whenOpen(operation).then(({ sql }) => sql.writeSoon(operation, work))
  }

  /** Reads, and writes too where the last write failed. */
  async probe(): Promise<void> {
    const { sql } = await this.#whenOpen('health')
    if (sql.lastFailure === undefined) await sql.read('health', () => sql.get('SELECT version FROM mcpwire_schema'))
    else await sql.write('health', () => this.#writeAndRemove(sql))
  }

  /** A small write may find a place in a page that is there already. */
  #writeAndRemove(sql: Connection): void {
    sql.run(PROBE, this.namespace, 'x'.repeat(PROBE_BYTES))
    sql.run(END_PROBE, this.namespace)
  }

  /** Calls `look` after every write of any process. Only where the backend is open. */
  watch(look: () => void): () => void {
    return (this.#opened as Opened).watch.add(look)
  }

  /** Runs at once where the backend is open. */
  whenOpen<T>(operation: string, next: () => T): MaybePromise<T> {
    return this.#opened === undefined ? this.#whenOpen(operation).then(next) : next()
  }

  /** Throws after `close`. */
  checkOpen(operation: string): void {
    if (!this.#isClosed) return
    const message = `${operation} was called on a backend that is closed. Open it again first.`
    throw new BackendError(message, { kind: 'unavailable', operation })
  }

  async #whenOpen(operation: string): Promise<Opened> {
    this.checkOpen(operation)
    if (this.#opened !== undefined) return this.#opened
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<Opened> {
    const isOwn = typeof this.#target === 'string'
    let database: SQLiteDatabase | undefined
    try {
      database = typeof this.#target === 'string' ? await openOwn(this.#target, this.#options.migrate) : this.#target
      await this.#prepare(database, isOwn)
      const { timeoutMs } = this.#options
      const watch = new ChangeWatch(database)
      const beforeCommit = (writes: number) => this.#sweeper.step(sql, writes)
      const sql = new Connection(database, { timeoutMs, beforeCommit, afterCommit: () => watch.wrote() })
      this.#opened = { database, sql, watch }
      return this.#opened
    } catch (error) {
      if (isOwn) database?.close()
      throw toBackendError('open', error)
    }
  }

  /** Several processes that open a new file at once are in each other's way for a moment. */
  async #prepare(database: SQLiteDatabase, isOwn: boolean): Promise<void> {
    const { timeoutMs, migrate, synchronous } = this.#options
    const endsAt = performance.now() + timeoutMs
    for (;;) {
      try {
        if (isOwn) setUp(database, synchronous)
        if (migrate) migrateDatabase(database)
        else requireMigrated(database)
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() >= endsAt) throw tooSlow('open', timeoutMs, error)
        await pause(RETRY_MS)
      }
    }
  }
}

/** Where SQLite may not write, it opens the file for reading and says nothing. */
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS']

async function openOwn(path: string, mayCreate: boolean): Promise<SQLiteDatabase> {
  // First of all, so that no empty file is left where none is installed.
  const Database = await findDatabaseClass()
  if (path !== ':memory:') await touch(path, mayCreate)
  return new Database(path)
}

/** A new file is for its owner alone. Where this fails for another reason, SQLite fails next and says why. */
async function touch(path: string, mayCreate: boolean): Promise<void> {
  try {
    const file = await openFile(path, mayCreate ? 'a' : 'r+', 0o600)
    await file.close()
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (NOT_WRITABLE.includes(code as string))
      throw refused(
        'The SQLite file cannot be written. Check the owner and the mode of the file and of its folder.',
        cause,
      )
    if (!mayCreate && code === 'ENOENT')
      throw refused('The SQLite file does not exist. Call migrate() first, or leave out migrate: false.', cause)
  }
}

function refused(message: string, cause: unknown): BackendError {
  return new BackendError(message, { kind: 'refused', operation: 'open', cause })
}

function closeOwn(database: SQLiteDatabase): void {
  try {
    // libsql closes the file only when its statements are collected. The file is whole without its log before that.
    database.exec('PRAGMA wal_checkpoint')
  } catch {
    // The log stays beside the file, and whoever opens it next reads both.
  }
  database.close()
}

function setUp(database: SQLiteDatabase, synchronous: 'normal' | 'full'): void {
  database.exec(`PRAGMA busy_timeout = ${OWN_WAIT_MS}`)
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string }
  if (mode !== 'wal' && mode !== 'memory') {
    const message = `SQLite keeps no write-ahead log here (journal_mode is ${mode}), so that processes cannot share the file. Use a local disk.`
    throw new BackendError(message, { kind: 'refused', operation: 'open' })
  }
  database.exec(
    `PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${WAL_BYTES}`,
  )
}

/** What the user has set on a connection of the user's stays; what is at risk by it is said. */
function reportSettings(database: SQLiteDatabase, use: BackendUse): void {
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  if (mode === 'wal' || mode === 'memory') return
  use.report?.(
    `The SQLite database of the backend has journal_mode ${mode}, so that readers and writers block each other. Run PRAGMA journal_mode = WAL.`,
  )
}

function toNamespace(name: string): string {
  return PLAIN_NAMESPACE.test(name) ? name : createHash('sha256').update(name).digest('base64url')
}
