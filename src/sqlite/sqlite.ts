// A backend on SQLite: one machine, any number of processes.

import type { Backend, BackendHealth, BackendUse } from '../backend/backend.ts'
import { BackendError } from '../backend/backend-error.ts'
import type { Limits } from '../backend/limits.ts'
import type { Logs } from '../backend/logs.ts'
import { registerBackend } from '../backend/parts.ts'
import type { Records } from '../backend/records.ts'
import { checkGiven, MAX_VALUE_BYTES, TIMEOUT_MS } from '../backend/rules.ts'
import { sealedBy } from '../backend/sealed/sealed.ts'
import type { TaskStore } from '../backend/task-store.ts'
import type { Topics } from '../backend/topics.ts'
import { typeError } from '../primitives/help.ts'
import { assertPositive, checkKeys, checkLimit, describeKind, type KnownKeys } from '../primitives/options.ts'
import type { Secret } from '../primitives/sealing/secrets.ts'
import type { SQLiteDatabase } from './engine/database.ts'
import { Engine } from './engine/engine.ts'
import { Feed } from './engine/feed.ts'
import { compareFingerprint } from './parts/sqlite-fingerprint.ts'
import { SQLiteLimits } from './parts/sqlite-limits.ts'
import { SQLiteLogs } from './parts/sqlite-logs.ts'
import { SQLiteRecords } from './parts/sqlite-records.ts'
import { SQLiteTopics } from './parts/sqlite-topics.ts'
import { SQLiteTaskStore } from './tasks/sqlite-task-store.ts'

/** Options of `sqlite()`. */
export interface SQLiteOptions {
  /** Keeps what several servers store in one file apart (default: the name of the server). */
  namespace?: string | undefined
  /** Secrets that encrypt every value, as `sealed()` does: the first seals, all of them open (default: nothing is encrypted). */
  seal?: readonly Secret[] | undefined
  /**
   * When SQLite waits for the disk. `normal`: what is stored survives the end of any process, and the end of the machine but for
   * the last moments. `full`: that too, at the cost of a wait for the disk with every write (default: `normal`).
   */
  synchronous?: 'normal' | 'full' | undefined
  /** The longest wait for other processes, in milliseconds (default: 2,000). */
  timeoutMs?: number | undefined
  /** What one value may take in UTF-8, a third more where it is sealed (default: 1 MiB). */
  maxValueBytes?: number | undefined
  /** `false`: the tables are not made or updated by `open`, but by `migrate()` (default: `true`). */
  migrate?: boolean | undefined
}

export const SQLITE_KEYS: KnownKeys<SQLiteOptions> = {
  namespace: 'string',
  seal: 'array',
  synchronous: true,
  timeoutMs: 'number',
  maxValueBytes: 'number',
  migrate: 'boolean',
}

/**
 * State in an SQLite file that the processes of one machine share. Takes a path, `:memory:` for tests, or a database of
 * `node:sqlite`, `libsql` or `better-sqlite3`, which stays open and keeps its settings.
 */
export function sqlite(pathOrDatabase: string | SQLiteDatabase, options: SQLiteOptions = {}): Backend {
  checkKeys('sqlite()', options, SQLITE_KEYS)
  const backend = registerBackend(new SQLiteBackend(pathOrDatabase, options))
  return sealedBy('sqlite()', backend, options)
}

/** Makes or updates the tables, for backends with `migrate: false`. */
export async function migrate(pathOrDatabase: string | SQLiteDatabase): Promise<void> {
  const backend = new SQLiteBackend(pathOrDatabase, {})
  await backend.open()
  await backend.close()
}

export class SQLiteBackend implements Backend {
  readonly records: Records
  readonly logs: Logs
  readonly topics: Topics
  readonly limits: Limits
  readonly tasks: TaskStore
  readonly #engine: Engine
  /** Whether the server that uses it was compared with the one before. */
  #isCompared = false

  constructor(target: string | SQLiteDatabase, options: SQLiteOptions, now: () => number = Date.now) {
    const { namespace, synchronous = 'normal', timeoutMs = TIMEOUT_MS, maxValueBytes = MAX_VALUE_BYTES } = options
    checkGiven('sqlite() takes a path or a database of node:sqlite, libsql or better-sqlite3', target)
    checkTarget(target)
    assertPositive('timeoutMs', timeoutMs)
    checkLimit('maxValueBytes', maxValueBytes)
    if (synchronous !== 'normal' && synchronous !== 'full') {
      throw typeError('wrong-option', `synchronous is ${JSON.stringify(synchronous)}. Use "normal" or "full".`)
    }
    if (namespace === '')
      throw typeError('wrong-option', 'namespace is empty. Use the name of the server, or leave it out.')
    this.#engine = new Engine(target, { namespace, synchronous, timeoutMs, migrate: options.migrate ?? true, now })
    const feed = new Feed(this.#engine)
    this.records = new SQLiteRecords(this.#engine, maxValueBytes)
    this.logs = new SQLiteLogs(this.#engine, maxValueBytes)
    this.topics = new SQLiteTopics(this.#engine, feed, maxValueBytes)
    this.limits = new SQLiteLimits(this.#engine)
    this.tasks = new SQLiteTaskStore(this.#engine, feed, maxValueBytes)
  }

  async open(use: BackendUse = {}): Promise<void> {
    await this.#engine.open(use)
    const { namespace, report } = use
    if (namespace === undefined || this.#isCompared) return
    this.#isCompared = true
    await compareFingerprint(this.#engine, namespace, report)
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  async health(): Promise<BackendHealth> {
    const startedAt = performance.now()
    try {
      await this.#engine.probe()
      return { isReady: true, latencyMs: performance.now() - startedAt }
    } catch (error) {
      return { isReady: false, detail: error instanceof BackendError ? error.message : String(error) }
    }
  }
}

function checkTarget(target: unknown): void {
  if (typeof target === 'string') {
    if (!/^(?:file:|\w+:\/\/)/.test(target)) return
    throw typeError('bad-backend', `sqlite() takes the path of a file or ":memory:", not ${JSON.stringify(target)}.`)
  }
  const { prepare, exec } = (target ?? {}) as Partial<SQLiteDatabase>
  if (typeof prepare === 'function' && typeof exec === 'function') return
  throw typeError(
    'bad-backend',
    `sqlite() takes a path or a database of node:sqlite, libsql or better-sqlite3, not ${describeKind(target)}.`,
  )
}
