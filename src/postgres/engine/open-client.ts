// Opens connections with the library that is installed, or takes the pool of the user.

import { BackendError } from '../../backend/backend-error.ts'
import { typeError, withHelp } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import { type PgPool, PgSqlClient } from './pg-client.ts'
import { PostgresJsClient, type PostgresSql } from './postgres-js-client.ts'
import type { SqlClient } from './sql-client.ts'
import type { PostgresPlace } from './url.ts'

/** A `Pool` of the package `pg`, or an `sql` of the package `postgres`. */
export type PostgresPoolLike = PgPool | PostgresSql

/** By a variable, so that bundlers do not look for packages that are not installed. */
export type LoadLibrary = (name: string) => Promise<unknown>

export const loadInstalled: LoadLibrary = (name) => import(name)

export interface OpenOptions {
  readonly timeoutMs: number
  readonly maxConnections: number
  readonly load: LoadLibrary
}

const IDLE_MS = 30_000
const NAME = 'mcpwire'

type OwnPool = PgPool & { on(event: 'error', listener: () => void): unknown; end(): Promise<void> }
type PoolClass = new (options: object) => OwnPool

export function wrapPool(pool: unknown, timeoutMs: number): SqlClient {
  const { connect, unsafe, listen } = (pool ?? {}) as Partial<PgPool & PostgresSql>
  if (typeof unsafe === 'function' && typeof listen === 'function')
    return new PostgresJsClient(pool as PostgresSql, timeoutMs)
  if (typeof connect === 'function') return new PgSqlClient(pool as PgPool, async () => {})
  throw typeError(
    'bad-backend',
    `postgres() takes a URL, a Pool of pg or an sql of postgres, not ${describeKind(pool)}.`,
  )
}

export async function openUrl(place: PostgresPlace, options: OpenOptions): Promise<SqlClient> {
  const pg = await loadOptional(options.load, 'pg')
  if (pg !== undefined) return openPg(pg as { Pool?: PoolClass; default?: { Pool: PoolClass } }, place, options)
  const library = await loadOptional(options.load, 'postgres')
  if (library !== undefined)
    return openPostgresJs(library as { default: (options: object) => PostgresSql }, place, options)
  const message = 'No client of Postgres is installed. Run npm install pg@8, or npm install postgres@3.'
  throw withHelp('package-missing', new BackendError(message, { kind: 'unavailable', operation: 'open' }))
}

function openPg(
  library: { Pool?: PoolClass; default?: { Pool: PoolClass } },
  { shown: _shown, isLocal: _isLocal, ...place }: PostgresPlace,
  { timeoutMs, maxConnections }: OpenOptions,
): SqlClient {
  const Pool = library.Pool ?? (library.default?.Pool as PoolClass)
  const pool = new Pool({
    ...place,
    max: maxConnections,
    connectionTimeoutMillis: timeoutMs,
    // A statement whose caller has given up must not run on.
    statement_timeout: timeoutMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: NAME,
  })
  pool.on('error', () => {})
  return new PgSqlClient(pool, () => pool.end(), timeoutMs)
}

function openPostgresJs(
  { default: connect }: { default: (options: object) => PostgresSql },
  { shown: _shown, isLocal: _isLocal, ...place }: PostgresPlace,
  { timeoutMs, maxConnections }: OpenOptions,
): SqlClient {
  const make = () =>
    connect({
      ...place,
      max: maxConnections,
      connect_timeout: Math.ceil(timeoutMs / 1_000),
      idle_timeout: IDLE_MS / 1_000,
      fetch_types: false,
      onnotice: () => {},
      connection: { statement_timeout: timeoutMs, application_name: NAME },
    })
  return new PostgresJsClient(make(), timeoutMs, make)
}

/** As in package.json. */
const VERSIONS = { pg: 8, postgres: 3 }

async function loadOptional(load: LoadLibrary, name: keyof typeof VERSIONS): Promise<unknown> {
  try {
    return await load(name)
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${name}'`)) return undefined
    const text = `The package ${name} does not load. Install it again with npm install ${name}@${VERSIONS[name]}.`
    throw withHelp('package-missing', new BackendError(text, { kind: 'unavailable', operation: 'open', cause: error }))
  }
}
