// The life of a backend on Postgres, and the one way in which its parts make a trip.

import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { BackendUse } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import { startDeadline } from '../../backend/engine/deadline.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { withHelpOf } from '../../primitives/help.ts'
import { isOutOfSpace, isWorthRepeating, toBackendError } from './failures.ts'
import { prepareSchema } from './migrations.ts'
import type { Row, SqlClient, SqlValue, Statement, Trip } from './sql-client.ts'

export interface EngineOptions {
  readonly namespace: string | undefined
  readonly schema: string
  readonly timeoutMs: number
  readonly migrate: boolean
  /** Where it is, for errors. */
  readonly where: string
  /** What to check where the first connection breaks. */
  readonly advice: string
  connect(): Promise<SqlClient>
}

/** The first wait before another try; each further one may be twice as long. */
const FIRST_RETRY_MS = 5
const MAX_TRIES = 8
/** Expired rows are removed beside the writes: where nothing is written, nothing grows. */
const WRITES_BETWEEN_SWEEPS = 256
const LONGEST_PAUSE_MS = 1_000
/** For each write since the last step, so that what expires is removed faster than it comes. */
const ROWS_PER_WRITE = 3
/** A process that looks less often has missed what was said meanwhile. */
const MESSAGES_KEPT_MS = 10_000
const PLAIN_NAMESPACE = /^[\w.-]{1,64}$/

const PROBE = 'UPDATE mcpwire.schema_version SET version = version RETURNING version'
/** Its key is none that a caller can give. Random, since Postgres compresses what it can. */
const SPACE_PROBE = `INSERT INTO mcpwire.record VALUES ($1, '~space', $2, '', mcpwire.now_ms())
  ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value`
const SPACE_PROBE_BYTES = 64 * 1024
const SWEEP = 'SELECT mcpwire.sweep($1, $2)'

export class Engine {
  readonly #options: EngineOptions
  readonly #statements = new Map<string, Statement>()
  readonly #onClose = new Set<() => void>()
  #namespace: string | undefined
  #client: SqlClient | undefined
  #opening: Promise<SqlClient> | undefined
  #isClosed = false
  #writes = 0
  #sweptAt = performance.now()
  #sweeping: Promise<void> | undefined
  #isFull = false

  constructor(options: EngineOptions) {
    this.#options = options
    if (options.namespace !== undefined) this.#namespace = toNamespace(options.namespace)
  }

  /** Of every row that this backend reads and writes. */
  get namespace(): string {
    return this.#namespace ?? 'mcpwire'
  }

  /** What nodes with the same tables listen to. */
  get channel(): string {
    return `mcpwire:${this.#options.schema}`.slice(0, 63)
  }

  /** Whether a write has found no space since the last probe. */
  get isFull(): boolean {
    return this.#isFull
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  async open(use?: BackendUse): Promise<void> {
    this.#isClosed = false
    if (use?.namespace !== undefined) this.#namespace ??= toNamespace(use.namespace)
    await this.client('open')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opening?.catch(() => {})
    const client = this.#client
    if (client === undefined) return
    this.#client = undefined
    for (const end of this.#onClose) end()
    await this.#sweeping
    await client.close()
  }

  /** Called with each `close`. */
  onClose(end: () => void): void {
    this.#onClose.add(end)
  }

  /** Throws after `close`. */
  checkOpen(operation: string): void {
    if (!this.#isClosed) return
    const message = `${operation} was called on a backend that is closed. Open it again first.`
    throw new BackendError(message, { kind: 'unavailable', operation })
  }

  /** A write, since an engine that is full or read-only still answers reads. */
  async probe(): Promise<void> {
    if (!this.#isFull) return void (await this.#run('health', PROBE, []))
    // A small write may find a place in a page that is there already.
    await this.#run('health', SPACE_PROBE, [this.namespace, randomBytes(SPACE_PROBE_BYTES).toString('base64')])
    this.#isFull = false
  }

  /** `signal` gives it up before its deadline, with its connection. */
  read(operation: string, text: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<readonly Row[]> {
    return this.#run(operation, text, values, signal)
  }

  async write(operation: string, text: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const rows = await this.#run(operation, text, values)
    this.#writes += 1
    const now = performance.now()
    if (this.#writes >= WRITES_BETWEEN_SWEEPS || now - this.#sweptAt >= LONGEST_PAUSE_MS) this.#sweep(now)
    return rows
  }

  async client(operation: string): Promise<SqlClient> {
    this.checkOpen(operation)
    if (this.#client !== undefined) return this.#client
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    try {
      return await this.#opening
    } catch (error) {
      const { message, kind, cause } = error as BackendError
      throw withHelpOf(error, 'backend-failed', new BackendError(message, { kind, operation, cause }))
    }
  }

  async #run(
    operation: string,
    text: string,
    values: readonly SqlValue[],
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    const endsAt = performance.now() + this.#options.timeoutMs
    const client = this.#client ?? (await this.client(operation))
    const statement = this.#statement(text)
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#inTime(operation, endsAt - performance.now(), client.query(statement, values), signal)
      } catch (error) {
        const waitMs = FIRST_RETRY_MS * 2 ** tries * Math.random()
        const isInTime = tries < MAX_TRIES && performance.now() + waitMs < endsAt
        if (!isWorthRepeating(error) || !isInTime || this.#client !== client) {
          this.#isFull ||= isOutOfSpace(error)
          throw toBackendError(operation, error, this.#options.where)
        }
        await pause(waitMs)
      }
    }
  }

  async #inTime(operation: string, timeoutMs: number, trip: Trip, signal?: AbortSignal): Promise<readonly Row[]> {
    const { promise, resolve, reject } = createDeferred<readonly Row[]>()
    const giveUp = () => {
      trip.giveUp()
      const message = `${operation} took longer than ${this.#options.timeoutMs} ms. Postgres is overloaded or out of reach.`
      reject(new BackendError(message, { kind: 'timeout', operation, outcome: 'unknown' }))
    }
    const stop = startDeadline(timeoutMs, giveUp)
    if (signal?.aborted === true) giveUp()
    else if (signal !== undefined) listenForAbort(signal, giveUp)
    trip.rows.then(resolve, reject)
    try {
      return await promise
    } finally {
      stop()
      if (signal !== undefined) forgetAbort(signal, giveUp)
    }
  }

  #sweep(now: number): void {
    const rows = ROWS_PER_WRITE * Math.max(this.#writes, WRITES_BETWEEN_SWEEPS)
    this.#writes = 0
    this.#sweptAt = now
    if (this.#sweeping !== undefined) return
    const swept = this.#run('sweep', SWEEP, [rows, MESSAGES_KEPT_MS])
    const end = () => {
      this.#sweeping = undefined
    }
    // What is left now is removed by a later step.
    this.#sweeping = swept.then(end, end)
  }

  async #connect(): Promise<SqlClient> {
    const { connect, schema, timeoutMs, migrate, where, advice } = this.#options
    let client: SqlClient | undefined
    try {
      client = await connect()
      const opened = client
      await prepareSchema({
        schema,
        mayMigrate: migrate,
        query: (text) => this.#inTime('open', timeoutMs, opened.script(this.#inSchema(text))),
        script: (text, ms) => this.#inTime('open', ms, opened.script(this.#inSchema(text))),
      })
      this.#client = client
      return client
    } catch (error) {
      await client?.close().catch(() => {})
      throw toBackendError('open', error, where, advice)
    }
  }

  /** Each text must be a constant: it is kept for good. */
  #statement(text: string): Statement {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const own = this.#inSchema(text)
    const name = `mcpwire_${createHash('sha256').update(own).digest('base64url').slice(0, 16)}`
    const statement = { name, text: own }
    this.#statements.set(text, statement)
    return statement
  }

  #inSchema(text: string): string {
    return text.replaceAll('mcpwire.', `"${this.#options.schema}".`)
  }
}

function toNamespace(name: string): string {
  return PLAIN_NAMESPACE.test(name) ? name : createHash('sha256').update(name).digest('base64url')
}
