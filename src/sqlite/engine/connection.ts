// One connection to SQLite: atomic steps, the wait for other processes, prepared statements, and what is done beside the writes.
import { BackendError } from '../../backend/backend-error.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { prepare, type SQLiteDatabase, type SQLiteStatement, type SQLiteValue } from './database.ts'
import { isBusy, toBackendError, tooSlow } from './failures.ts'
import { rollBack } from './schema.ts'

interface Job {
  readonly operation: string
  readonly work: () => unknown
  readonly endsAt: number
  resolve(value: never): void
  reject(error: BackendError): void
}

/** The outcome of a job that ran in a transaction which is not committed yet. */
interface Ran {
  readonly job: Job
  readonly value: unknown
}

const FIRST_RETRY_MS = 2
const LONGEST_RETRY_MS = 25

export interface ConnectionOptions {
  readonly timeoutMs: number
  /** Runs inside each transaction that writes, before it is committed, with the number of writes. */
  readonly beforeCommit: (writes: number) => void
  /** Runs after each. */
  readonly afterCommit: () => void
}

/**
 * A transaction takes microseconds, so it runs at once, without a promise. Where another process is in the way, it waits in a line
 * and is tried again by a timer: SQLite's own wait would stop the event loop.
 */
export class Connection {
  readonly #database: SQLiteDatabase
  readonly #options: ConnectionOptions
  readonly #statements = new Map<string, SQLiteStatement>()
  #line: Job[] = []
  #isFlushDue = false
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = FIRST_RETRY_MS
  #lastFailure: BackendError | undefined

  constructor(database: SQLiteDatabase, options: ConnectionOptions) {
    this.#database = database
    this.#options = options
  }

  /** Why the last write failed, where it did. */
  get lastFailure(): BackendError | undefined {
    return this.#lastFailure
  }

  /** Each text of a statement must be a constant: it is kept for good. */
  get(sql: string, ...values: SQLiteValue[]): unknown {
    // `null` is how better-sqlite3 and libsql say that there is none, in some versions.
    return this.#statement(sql).get(...values) ?? undefined
  }

  all(sql: string, ...values: SQLiteValue[]): unknown[] {
    return this.#statement(sql).all(...values)
  }

  /** How many rows it has changed. */
  run(sql: string, ...values: SQLiteValue[]): number {
    return Number((this.#statement(sql).run(...values) as { changes: number | bigint }).changes)
  }

  /** A read of one statement. */
  read<T>(operation: string, work: () => T): MaybePromise<T> {
    try {
      return work()
    } catch (error) {
      if (isBusy(error)) return this.#wait(operation, work)
      throw toBackendError(operation, error)
    }
  }

  /** A read of several statements, all of the same moment. */
  readTogether<T>(operation: string, work: () => T): MaybePromise<T> {
    try {
      return this.#inTransaction('BEGIN', work)
    } catch (error) {
      // Whoever waits has a transaction of its own.
      if (isBusy(error)) return this.#wait(operation, work)
      throw toBackendError(operation, error)
    }
  }

  /** An atomic write, at once where nothing is in the way. */
  write<T>(operation: string, work: () => T): MaybePromise<T> {
    // Whoever waits was first.
    if (this.#retry !== undefined) return this.#wait(operation, work)
    try {
      return this.#commit(work)
    } catch (error) {
      if (isBusy(error)) return this.#wait(operation, work)
      throw this.#failed(operation, error)
    }
  }

  /** An atomic write, in one transaction with the others of this turn of the event loop. */
  writeSoon<T>(operation: string, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const endsAt = performance.now() + this.#options.timeoutMs
      this.#line.push({ operation, work, endsAt, resolve, reject })
      if (this.#isFlushDue || this.#retry !== undefined) return
      this.#isFlushDue = true
      queueMicrotask(() => {
        this.#isFlushDue = false
        if (this.#retry === undefined) this.#flush()
      })
    })
  }

  /** Rejects whoever waits. */
  end(): void {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const left = this.#line
    this.#line = []
    for (const { operation, reject } of left) {
      reject(new BackendError(`${operation} failed. The backend was closed.`, { kind: 'unavailable', operation }))
    }
    this.#statements.clear()
  }

  #wait<T>(operation: string, work: () => T): Promise<T> {
    const done = this.writeSoon(operation, work)
    this.#retryLater()
    return done
  }

  #flush(): void {
    const jobs = this.#line
    if (jobs.length === 0) return
    this.#line = []
    try {
      const ran = this.#commit(() => jobs.map((job): Ran => ({ job, value: job.work() })), jobs.length)
      for (const { job, value } of ran) job.resolve(value as never)
    } catch (error) {
      if (isBusy(error)) {
        this.#line = [...jobs, ...this.#line]
        // After a try: while a handler blocks the event loop nobody tries, and the lock may be free.
        this.#rejectLate()
        if (this.#line.length > 0) this.#retryLater()
        return
      }
      // One of them was refused, which must not cost the others anything.
      for (const job of jobs) this.#runAlone(job)
    }
    this.#retryMs = FIRST_RETRY_MS
  }

  #runAlone(job: Job): void {
    try {
      job.resolve(this.#commit(job.work) as never)
    } catch (error) {
      if (isBusy(error)) {
        this.#line.push(job)
        this.#retryLater()
      } else job.reject(this.#failed(job.operation, error))
    }
  }

  #rejectLate(): void {
    const now = performance.now()
    if (this.#line.every(({ endsAt }) => endsAt > now)) return
    const late = this.#line.filter(({ endsAt }) => endsAt <= now)
    this.#line = this.#line.filter(({ endsAt }) => endsAt > now)
    for (const { operation, reject } of late) {
      this.#lastFailure = tooSlow(operation, this.#options.timeoutMs)
      reject(this.#lastFailure)
    }
  }

  #retryLater(): void {
    if (this.#retry !== undefined) return
    const first = Math.min(...this.#line.map(({ endsAt }) => endsAt)) - performance.now()
    const delay = Math.max(1, Math.min(this.#retryMs * (0.5 + Math.random() / 2), first))
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#flush()
    }, delay)
  }

  #commit<T>(work: () => T, writes = 1): T {
    const { beforeCommit, afterCommit } = this.#options
    const value = this.#inTransaction('BEGIN IMMEDIATE', () => {
      const value = work()
      beforeCommit(writes)
      return value
    })
    this.#lastFailure = undefined
    afterCommit()
    return value
  }

  #inTransaction<T>(begin: string, work: () => T): T {
    // Not prepared: a prepared statement of libsql that failed as busy stays open, and with it the snapshot that it reads.
    this.#database.exec(begin)
    try {
      const value = work()
      this.#database.exec('COMMIT')
      return value
    } catch (error) {
      rollBack(this.#database)
      throw error
    }
  }

  #failed(operation: string, error: unknown): BackendError {
    const failure = toBackendError(operation, error)
    if (failure !== error) this.#lastFailure = failure
    return failure
  }

  #statement(sql: string): SQLiteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = prepare(this.#database, sql)
    this.#statements.set(sql, prepared)
    return prepared
  }
}
