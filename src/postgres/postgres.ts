// A backend on Postgres: tables in a schema of their own, which any number of nodes share.

import { createHash } from 'node:crypto'
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
import { Once } from '../primitives/once.ts'
import { assertCount, assertPositive, checkKeys, checkLimit, type KnownKeys } from '../primitives/options.ts'
import type { Secret } from '../primitives/sealing/secrets.ts'
import { Engine } from './engine/engine.ts'
import { Feed } from './engine/feed.ts'
import { type LoadLibrary, loadInstalled, openUrl, type PostgresPoolLike, wrapPool } from './engine/open-client.ts'
import { Outbox } from './engine/outbox.ts'
import { type PostgresPlace, readUrl } from './engine/url.ts'
import { PostgresLimits } from './parts/postgres-limits.ts'
import { PostgresLogs } from './parts/postgres-logs.ts'
import { PostgresRecords } from './parts/postgres-records.ts'
import { PostgresTopics } from './parts/postgres-topics.ts'
import { PostgresTaskStore } from './tasks/postgres-task-store.ts'

/** Options of `postgres()`. */
export interface PostgresOptions {
  /** Keeps what several servers store in one schema apart (default: the name of the server). */
  namespace?: string | undefined
  /** The SQL schema of the tables and functions: lower-case letters, digits and `_` (default: `mcpwire`). */
  schema?: string | undefined
  /** Secrets that encrypt every value, as `sealed()` does: the first seals, all of them open (default: nothing is encrypted). */
  seal?: readonly Secret[] | undefined
  /** How long an operation may take (default: 2,000 ms). */
  timeoutMs?: number | undefined
  /** What one value may take in UTF-8, a third more where it is sealed (default: 1 MiB). */
  maxValueBytes?: number | undefined
  /** The most connections that a URL is opened with (default: 10). */
  maxConnections?: number | undefined
  /** `false`: the tables are not made or updated by `open`, but by `migrate()` (default: `true`). */
  migrate?: boolean | undefined
}

export const POSTGRES_KEYS: KnownKeys<PostgresOptions> = {
  namespace: 'string',
  schema: 'string',
  seal: 'array',
  timeoutMs: 'number',
  maxValueBytes: 'number',
  maxConnections: 'number',
  migrate: 'boolean',
}

const MAX_CONNECTIONS = 10
const TLS_ADVICE =
  ' With sslmode in the URL it must speak TLS, with a certificate that this process trusts (sslrootcert).'
const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/
const FINGERPRINT = `INSERT INTO mcpwire.record AS r VALUES ($1, '~server', $2, '', mcpwire.now_ms() + 30 * 86400000.0)
  ON CONFLICT (ns, key) DO UPDATE SET expires_at = excluded.expires_at,
  value = CASE WHEN r.expires_at > mcpwire.now_ms() THEN r.value ELSE excluded.value END RETURNING value`

/**
 * State in a Postgres database, version 12 or later, that any number of nodes share. Takes a URL, which is opened with `pg` or else
 * `postgres`, or a `Pool` of the one or an `sql` of the other, which stays yours.
 */
export function postgres(urlOrPool: string | URL | PostgresPoolLike, options: PostgresOptions = {}): Backend {
  checkKeys('postgres()', options, POSTGRES_KEYS)
  const backend = registerBackend(new PostgresBackend(urlOrPool, options))
  return sealedBy('postgres()', backend, options)
}

/** Makes or updates the tables, for backends with `migrate: false`. */
export async function migrate(
  urlOrPool: string | URL | PostgresPoolLike,
  { schema, timeoutMs }: Pick<PostgresOptions, 'schema' | 'timeoutMs'> = {},
): Promise<void> {
  const backend = new PostgresBackend(urlOrPool, {
    ...(schema !== undefined && { schema }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  await backend.open()
  await backend.close()
}

export class PostgresBackend implements Backend {
  readonly records: Records
  readonly logs: Logs
  readonly topics: Topics
  readonly limits: Limits
  readonly tasks: TaskStore
  readonly #engine: Engine
  readonly #place: PostgresPlace | undefined
  readonly #isSealed: boolean
  readonly #once = new Once()

  constructor(urlOrPool: string | URL | PostgresPoolLike, options: PostgresOptions, load: LoadLibrary = loadInstalled) {
    const { namespace, schema = 'mcpwire', timeoutMs = TIMEOUT_MS, maxValueBytes = MAX_VALUE_BYTES } = options
    const { maxConnections = MAX_CONNECTIONS } = options
    if (namespace === '')
      throw typeError('wrong-option', 'namespace is empty. Use the name of the server, or leave it out.')
    if (!SCHEMA.test(schema)) {
      throw typeError(
        'wrong-option',
        `schema is ${JSON.stringify(schema)}. Use 1 to 48 lower-case letters, digits and _.`,
      )
    }
    assertPositive('timeoutMs', timeoutMs)
    checkLimit('maxValueBytes', maxValueBytes)
    // One of them may listen.
    assertCount('maxConnections', maxConnections, 2)
    checkGiven('postgres() takes a URL, a Pool of pg or an sql of postgres', urlOrPool)
    const isUrl = typeof urlOrPool === 'string' || urlOrPool instanceof URL
    const place = isUrl ? readUrl(String(urlOrPool)) : undefined
    const given = isUrl ? undefined : wrapPool(urlOrPool, timeoutMs)
    this.#place = place
    this.#isSealed = options.seal !== undefined
    this.#engine = new Engine({
      namespace,
      schema,
      timeoutMs,
      migrate: options.migrate ?? true,
      where: place === undefined ? '' : ` at ${place.shown}`,
      advice: place?.ssl === undefined ? '' : TLS_ADVICE,
      connect: async () => given ?? openUrl(place as PostgresPlace, { timeoutMs, maxConnections, load }),
    })
    const feed = new Feed(this.#engine)
    const outbox = new Outbox(this.#engine)
    this.records = new PostgresRecords(this.#engine, maxValueBytes)
    this.logs = new PostgresLogs(this.#engine, feed, outbox, maxValueBytes)
    this.topics = new PostgresTopics(this.#engine, feed, outbox, maxValueBytes)
    this.limits = new PostgresLimits(this.#engine)
    this.tasks = new PostgresTaskStore(this.#engine, feed, outbox, maxValueBytes)
  }

  async open(use: BackendUse = {}): Promise<void> {
    await this.#engine.open(use)
    if (this.#place?.isLocal === false && !this.#isSealed) {
      const text = `What is stored at ${this.#place.shown} is not encrypted: whoever can write there can speak for any session. Set seal.`
      this.#report(use, text)
    }
    if (use.namespace !== undefined) await this.#compareFingerprint(use.namespace, use)
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
      return { isReady: false, detail: error instanceof BackendError ? error.message : 'Postgres cannot be used.' }
    }
  }

  /** Two servers in one namespace would serve each other's sessions and tasks. */
  async #compareFingerprint(server: string, use: BackendUse): Promise<void> {
    const { namespace } = this.#engine
    const own = createHash('sha256').update(`server ${server}`).digest('base64url').slice(0, 12)
    const [row] = await this.#engine.write('open', FINGERPRINT, [namespace, own])
    if (row?.['value'] === own) return
    const text = `Another server uses the namespace "${namespace}" on this Postgres. Give each server a namespace of its own.`
    this.#report(use, text)
  }

  #report(use: BackendUse, warning: string): void {
    if (use.report !== undefined && this.#once.isNew(warning)) use.report(warning)
  }
}
