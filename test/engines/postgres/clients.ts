// Backends on a test Postgres, by each of the libraries that `postgres()` takes.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import postgresJs from 'postgres'
import type { Backend } from '../../../src/backend/backend.ts'
import { PostgresBackend, type PostgresOptions, postgres } from '../../../src/postgres/postgres.ts'
import { sharedPostgres } from '../shared.ts'

/** Far above what anything takes on a busy machine. */
export const PATIENT = { timeoutMs: 20_000 }

export function freshNamespace(): string {
  return randomBytes(8).toString('hex')
}

/** The name that clients look for in the folder that is their host. */
export const SOCKET = '.s.PGSQL.5432'

export function socketOf(host: string): string {
  return join(host, SOCKET)
}

/** A database of the shared Postgres that nobody else uses. */
export interface TestDatabase {
  readonly host: string
  readonly user: string
  readonly database: string
  readonly url: string
  query(text: string): Promise<pg.QueryResult>
  close(): Promise<void>
}

export async function freshDatabase(): Promise<TestDatabase> {
  const { host, user, database } = await sharedPostgres()
  const admin = new pg.Client({ host, user, database: 'postgres' })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${database}`)
  await admin.end()
  const pool = new pg.Pool({ host, user, database, max: 2 })
  pool.on('error', () => {})
  const url = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
  return { host, user, database, url, query: (text) => pool.query(text), close: () => pool.end() }
}

/** By a URL, where `postgres` alone is installed. */
export function withoutPg(url: string, options: PostgresOptions = {}): Backend {
  return new PostgresBackend(url, { ...PATIENT, ...options }, async (name) => {
    if (name === 'postgres') return import('postgres')
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  })
}

export interface UserPool {
  backend(options?: PostgresOptions): Backend
  query(text: string): Promise<unknown>
  /** Ends the user's own pool. */
  close(): Promise<void>
}

export async function pgPool(place: { host: string; user: string; database: string }): Promise<UserPool> {
  const pool = new pg.Pool({ host: place.host, user: place.user, database: place.database, max: 12 })
  pool.on('error', () => {})
  return {
    backend: (options) => postgres(pool, { ...PATIENT, ...options }),
    query: (text) => pool.query(text),
    close: () => pool.end(),
  }
}

export async function postgresJsPool(place: { host: string; user: string; database: string }): Promise<UserPool> {
  const sql = postgresJs({ host: place.host, user: place.user, database: place.database, max: 12, onnotice: () => {} })
  return {
    backend: (options) => postgres(sql, { ...PATIENT, ...options }),
    query: (text) => sql.unsafe(text),
    close: () => sql.end(),
  }
}
