// What a release has stored is read by every later one. SNAPSHOT_WRITE=<release> writes the snapshot of the present code.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, onTestFinished, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { sealed } from '../../src/backend/sealed/sealed.ts'
import { Clock } from '../../src/nats/engine/clock.ts'
import { NatsBackend, nats } from '../../src/nats/nats.ts'
import { postgres } from '../../src/postgres/postgres.ts'
import { redis } from '../../src/redis/redis.ts'
import { SQLiteBackend, sqlite } from '../../src/sqlite/sqlite.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { startNats } from '../engines/nats.ts'
import { freshDatabase } from '../engines/postgres/clients.ts'
import { findPostgresProgram } from '../engines/programs.ts'
import { shiftedRedis } from '../engines/redis/shifted-clock.ts'
import { startRedis } from '../engines/redis.ts'
import { expectFound } from './expect-found.ts'
import { type Facts, fill } from './fill.ts'
import { dumpNats, type KeptStream, loadNats } from './nats-streams.ts'
import { dumpRedis, type KeptKey, loadRedis } from './redis-keys.ts'
import { dumpSqlite, loadSqlite } from './sqlite-file.ts'

const DATA = fileURLToPath(new URL('data/', import.meta.url))
const PATIENT = { timeoutMs: 20_000 }
/** How long after it began to be written a snapshot is read: longer than writing it took, shorter than its leases. */
const READ_AFTER_MS = 60_000
/** Of the sealed snapshots. */
const SECRET = 'the secret of all snapshots that are sealed'
const STREAMS = ['mcpwire_snapshot_v1', 'mcpwire_snapshot_v1_logs']
const toWrite = process.env['SNAPSHOT_WRITE']
const releases = toWrite === undefined ? readdirSync(DATA) : [toWrite]

const behindOf = ({ writtenAt }: Facts) => Date.now() - writtenAt - READ_AFTER_MS
const asText = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'state.db')
}

class ShiftedClock extends Clock {
  readonly #behindMs: number

  constructor(behindMs: number) {
    super()
    this.#behindMs = behindMs
  }

  override now(): number {
    return super.now() - this.#behindMs
  }
}

const kinds = [
  { suffix: '', sealing: (backend: Backend) => backend },
  { suffix: '-sealed', sealing: (backend: Backend) => sealed(backend, [SECRET]) },
]

describe.each(releases)('what %s has stored', (release) => {
  describe.each(kinds)('of the kind "$suffix"', ({ suffix, sealing }) => {
    const nameOf = (engine: string) => `${engine}${suffix}`
    const factsOf = (engine: string) =>
      JSON.parse(readFileSync(join(DATA, release, `${nameOf(engine)}.facts.json`), 'utf8')) as Facts
    const dataOf = (engine: string, extension: string) =>
      readFileSync(join(DATA, release, `${nameOf(engine)}.${extension}`), 'utf8')
    const write = (engine: string, extension: string, facts: Facts, data: string) => {
      mkdirSync(join(DATA, release), { recursive: true })
      writeFileSync(join(DATA, release, `${nameOf(engine)}.facts.json`), asText(facts))
      writeFileSync(join(DATA, release, `${nameOf(engine)}.${extension}`), data)
    }

    test.runIf(toWrite !== undefined)(`is written (sqlite${suffix})`, async () => {
      const file = makeFile()
      const backend = sealing(sqlite(file))
      const facts = await fill(backend)
      await backend.close()
      write('sqlite', 'sql', facts, dumpSqlite(file))
    })

    test(`is found, and goes on (sqlite${suffix})`, async () => {
      const file = makeFile()
      const facts = factsOf('sqlite')
      loadSqlite(file, dataOf('sqlite', 'sql'))
      const behindMs = behindOf(facts)
      const backend = sealing(new SQLiteBackend(file, {}, () => Date.now() - behindMs))
      onTestFinished(() => backend.close())
      await expectFound(backend, facts)
    })

    describeEngine('Redis', 'on Redis', () => {
      const engine = useEngine(() => startRedis())

      test.runIf(toWrite !== undefined)(`is written (redis${suffix})`, async () => {
        const facts = await fill(sealing(redis(engine().url, PATIENT)))
        const client = new Redis(engine().socket)
        const keys = await dumpRedis(client)
        await client.flushall()
        client.disconnect()
        write('redis', 'json', facts, asText(keys))
      })

      test(`is found, and goes on (redis${suffix})`, async () => {
        const facts = factsOf('redis')
        const shifted = shiftedRedis(engine().socket)
        await shifted.client.flushall()
        await loadRedis(shifted.client, JSON.parse(dataOf('redis', 'json')) as KeptKey[])
        shifted.aheadSeconds = -Math.round(behindOf(facts) / 1_000)
        const backend = sealing(redis(shifted.client, PATIENT))
        onTestFinished(async () => {
          await backend.close()
          shifted.client.disconnect()
        })
        await expectFound(backend, facts)
      })
    })

    describeEngine('NATS', 'on NATS', () => {
      const engine = useEngine(() => startNats())

      test.runIf(toWrite !== undefined)(`is written (nats${suffix})`, async () => {
        const facts = await fill(sealing(nats(engine().url, PATIENT)))
        write('nats', 'json', facts, asText(await dumpNats(engine().url, STREAMS)))
      })

      test(`is found, and goes on (nats${suffix})`, async () => {
        const facts = factsOf('nats')
        await loadNats(engine().url, JSON.parse(dataOf('nats', 'json')) as KeptStream[])
        const clock = new ShiftedClock(behindOf(facts))
        const backend = sealing(new NatsBackend(engine().url, PATIENT, { clock }))
        onTestFinished(() => backend.close())
        await expectFound(backend, facts)
      })
    })

    describeEngine('Postgres', 'on Postgres', () => {
      const database = useEngine(freshDatabase)

      test.runIf(toWrite !== undefined)(`is written (postgres${suffix})`, async () => {
        const facts = await fill(sealing(postgres(database().url, PATIENT)))
        const { host, user, database: name } = database()
        const flags = ['-h', host, '-U', user, '--inserts', '--no-owner', '--schema', 'mcpwire', name]
        const dump = execFileSync(findPostgresProgram('pg_dump') ?? 'pg_dump', flags, { encoding: 'utf8' })
        // Commands of psql itself, comments and empty lines.
        const lines = dump.split('\n').filter((line) => !/^(\\|--|$)/.test(line))
        write('postgres', 'sql', facts, `${lines.join('\n')}\n`)
        await database().query('DROP SCHEMA mcpwire CASCADE')
      })

      test(`is found, and goes on (postgres${suffix})`, async () => {
        const facts = factsOf('postgres')
        const { host, user, database: name } = database()
        const client = new pg.Client({ host, user, database: name })
        await client.connect()
        await client.query(dataOf('postgres', 'sql'))
        await client.query(`CREATE OR REPLACE FUNCTION mcpwire.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
          'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 - ${behindOf(facts)}'`)
        await client.end()
        const backend = sealing(postgres(database().url, PATIENT))
        onTestFinished(() => backend.close())
        await expectFound(backend, facts)
      })
    })
  })
})
