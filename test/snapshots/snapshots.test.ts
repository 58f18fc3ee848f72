// What a release has stored is read by every later one. SNAPSHOT_WRITE=<release> writes the snapshot of the present code.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, onTestFinished, test } from 'vitest'
import { postgres } from '../../src/postgres/postgres.ts'
import { redis } from '../../src/redis/redis.ts'
import { SQLiteBackend, sqlite } from '../../src/sqlite/sqlite.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { freshDatabase } from '../engines/postgres/clients.ts'
import { findPostgresProgram } from '../engines/programs.ts'
import { shiftedRedis } from '../engines/redis/shifted-clock.ts'
import { startRedis } from '../engines/redis.ts'
import { expectFound } from './expect-found.ts'
import { type Facts, fill } from './fill.ts'
import { dumpRedis, type KeptKey, loadRedis } from './redis-keys.ts'
import { dumpSqlite, loadSqlite } from './sqlite-file.ts'

const DATA = fileURLToPath(new URL('data/', import.meta.url))
const PATIENT = { timeoutMs: 20_000 }
/** How long after it began to be written a snapshot is read: longer than writing it took, shorter than its leases. */
const READ_AFTER_MS = 60_000
const toWrite = process.env['SNAPSHOT_WRITE']
const releases = toWrite === undefined ? readdirSync(DATA) : [toWrite]

const factsOf = (release: string, engine: string) =>
  JSON.parse(readFileSync(join(DATA, release, `${engine}.facts.json`), 'utf8')) as Facts
const behindOf = ({ writtenAt }: Facts) => Date.now() - writtenAt - READ_AFTER_MS
const dataOf = (release: string, name: string) => readFileSync(join(DATA, release, name), 'utf8')

function write(release: string, engine: string, name: string, facts: Facts, data: string): void {
  mkdirSync(join(DATA, release), { recursive: true })
  writeFileSync(join(DATA, release, `${engine}.facts.json`), `${JSON.stringify(facts, undefined, 2)}\n`)
  writeFileSync(join(DATA, release, name), data)
}

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.db')
}

describe.each(releases)('what %s has stored', (release) => {
  test.runIf(toWrite !== undefined)('is written (sqlite)', async () => {
    const file = makeFile()
    const backend = sqlite(file)
    const facts = await fill(backend)
    await backend.close()
    write(release, 'sqlite', 'sqlite.sql', facts, dumpSqlite(file))
  })

  test('is found, and goes on (sqlite)', async () => {
    const file = makeFile()
    const facts = factsOf(release, 'sqlite')
    loadSqlite(file, dataOf(release, 'sqlite.sql'))
    const behindMs = behindOf(facts)
    const backend = new SQLiteBackend(file, {}, () => Date.now() - behindMs)
    onTestFinished(() => backend.close())
    await expectFound(backend, facts)
  })

  describeEngine('Redis', 'on Redis', () => {
    const engine = useEngine(() => startRedis())

    test.runIf(toWrite !== undefined)('is written (redis)', async () => {
      const facts = await fill(redis(engine().url, PATIENT))
      const client = new Redis(engine().socket)
      const keys = await dumpRedis(client)
      await client.flushall()
      client.disconnect()
      write(release, 'redis', 'redis.json', facts, `${JSON.stringify(keys, undefined, 2)}\n`)
    })

    test('is found, and goes on (redis)', async () => {
      const facts = factsOf(release, 'redis')
      const shifted = shiftedRedis(engine().socket)
      await shifted.client.flushall()
      await loadRedis(shifted.client, JSON.parse(dataOf(release, 'redis.json')) as KeptKey[])
      shifted.aheadSeconds = -Math.round(behindOf(facts) / 1_000)
      const backend = redis(shifted.client, PATIENT)
      onTestFinished(async () => {
        await backend.close()
        shifted.client.disconnect()
      })
      await expectFound(backend, facts)
    })
  })

  describeEngine('Postgres', 'on Postgres', () => {
    const database = useEngine(freshDatabase)

    test.runIf(toWrite !== undefined)('is written (postgres)', async () => {
      const facts = await fill(postgres(database().url, PATIENT))
      const { host, user, database: name } = database()
      const flags = ['-h', host, '-U', user, '--inserts', '--no-owner', '--schema', 'mcpwire', name]
      const dump = execFileSync(findPostgresProgram('pg_dump') ?? 'pg_dump', flags, { encoding: 'utf8' })
      // Commands of psql itself, comments and empty lines.
      const lines = dump.split('\n').filter((line) => !/^(\\|--|$)/.test(line))
      write(release, 'postgres', 'postgres.sql', facts, `${lines.join('\n')}\n`)
      await database().query('DROP SCHEMA mcpwire CASCADE')
    })

    test('is found, and goes on (postgres)', async () => {
      const facts = factsOf(release, 'postgres')
      const { host, user, database: name } = database()
      const client = new pg.Client({ host, user, database: name })
      await client.connect()
      await client.query(dataOf(release, 'postgres.sql'))
      await client.query(`CREATE OR REPLACE FUNCTION mcpwire.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
        'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 - ${behindOf(facts)}'`)
      await client.end()
      const backend = postgres(database().url, PATIENT)
      onTestFinished(() => backend.close())
      await expectFound(backend, facts)
    })
  })
})
