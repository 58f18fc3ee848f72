// The life of a backend on SQLite: libraries, files, settings, tables.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { combine, memory } from '../../../src/exports/backend.ts'
import { migrate, sqlite } from '../../../src/exports/sqlite.ts'
import { type DatabaseClass, findDatabaseClass, type SQLiteDatabase } from '../../../src/sqlite/engine/database.ts'
import { SQLiteBackend } from '../../../src/sqlite/sqlite.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  file = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const TTL = { ttlMs: 60_000 }

describe('a library for SQLite', () => {
  const notInstalled = (name: string) => {
    throw Object.assign(new Error(`Cannot find package '${name}' imported from here`), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  class Found {}
  const found = Found as unknown as DatabaseClass

  test('is the one of Node where Node has it', async () => {
    expect(await findDatabaseClass({ builtin: () => found, load: async (name) => notInstalled(name) })).toBe(found)
  })

  test.each([
    ['libsql', ['libsql']],
    ['better-sqlite3', ['libsql', 'better-sqlite3']],
  ])('is %s where that is the first that is installed', async (installed, expected) => {
    const asked: string[] = []
    const load = async (name: string) => {
      asked.push(name)
      return name === installed ? { default: found } : notInstalled(name)
    }
    expect(await findDatabaseClass({ builtin: () => undefined, load })).toBe(found)
    expect(asked).toEqual(expected)
  })

  test('that is missing is an error with both ways to get one', async () => {
    const opening = findDatabaseClass({ builtin: () => undefined, load: async (name) => notInstalled(name) })
    await expect(opening).rejects.toMatchObject({ kind: 'unavailable', operation: 'open' })
    await expect(opening).rejects.toThrow(/npm install libsql@0\.5, or use Node 22\.13 or later/)
  })

  test('that is installed and does not load is an error with its cause', async () => {
    const cause = new Error('no binary for this platform')
    const load = async (name: string) => {
      if (name === 'libsql') throw cause
      return notInstalled(name)
    }
    await expect(findDatabaseClass({ builtin: () => undefined, load })).rejects.toMatchObject({ cause })
  })
})

/** Takes `?1` for a name, as better-sqlite3 does, whose contract was run by hand: it is no dependency here. */
function namingNumbers(path: string): SQLiteDatabase {
  const database: SQLiteDatabase = new Database(path)
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    if (!/\?\d/.test(sql)) return statement
    const values = (given: unknown[]) => {
      const [named] = given
      if (given.length !== 1 || typeof named !== 'object')
        throw new RangeError('Too many parameter values were provided')
      return Object.values(named as Record<string, string>)
    }
    return {
      run: (...given: unknown[]) => statement.run(...values(given)),
      get: (...given: unknown[]) => statement.get(...values(given)),
      all: (...given: unknown[]) => statement.all(...values(given)),
    }
  }
  return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() }
}

test('a library that takes ?1 for a name keeps tasks as the others do', async () => {
  const backend = new SQLiteBackend(namingNumbers(file), {})
  const { tasks } = backend
  const names = { id: 't', owner: 'ada', kind: 'report', dialect: 'core', input: '{}' }
  await tasks.create({ ...names, ttlMs: 60_000, keepMs: 60_000, pollIntervalMs: 500, maxAttempts: 1 })
  const [claim] = await tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: 60_000 })
  expect(claim).toMatchObject({ id: 't', attempt: 1 })
  expect(await tasks.finish(claim as never, { status: 'completed', text: 'done' })).toBe('finished')
  expect(await tasks.get('t')).toMatchObject({ status: 'completed', outcome: 'done' })
  await backend.close()
})

describe('sqlite()', () => {
  test.each(['', 'file:state.db', 'libsql://example.com', 'https://example.com/db', 5, {}, null])(
    'refuses %j as a target',
    (target) => {
      expect(() => sqlite(target as string)).toThrow(TypeError)
    },
  )

  test('refuses settings that it does not know', () => {
    expect(() => sqlite(file, { synchronous: 'off' as 'full' })).toThrow(/Use "normal" or "full"/)
    expect(() => sqlite(file, { timeoutMs: 0 })).toThrow(RangeError)
    expect(() => sqlite(file, { namespace: '' })).toThrow(TypeError)
  })

  test('keeps what it has stored for whoever opens the file next', async () => {
    const first = sqlite(file)
    await first.records.put('key', 'value', TTL)
    await first.close()
    const second = sqlite(file, { synchronous: 'full' })
    expect(await second.records.get('key')).toMatchObject({ value: 'value' })
    await second.close()
  })

  test('returns values without a promise once it is open', async () => {
    const backend = sqlite(file)
    await backend.open()
    const revision = backend.records.put('key', 'value', TTL)
    expect(revision).toBeTypeOf('string')
    expect(backend.records.get('key')).toEqual({ value: 'value', revision })
    expect(backend.logs.append('log', { seq: 1, data: 'a' }, { writer: 'w', ...TTL })).toBe('kept')
    expect(backend.limits.take('key', { perSecond: 1, burst: 1 })).toBe(0)
    await backend.close()
  })

  test('makes a file that only its owner can read', async () => {
    const backend = sqlite(file)
    await backend.open()
    expect(statSync(file).mode & 0o077).toBe(0)
    await backend.close()
  })

  test('keeps servers of different names apart, and the first name counts', async () => {
    const [a, b, odd] = [sqlite(file), sqlite(file), sqlite(file)]
    await a.open({ namespace: 'a' })
    await a.open({ namespace: 'other' })
    await b.open({ namespace: 'b' })
    await odd.open({ namespace: 'a server, with a name: of many characters' })
    await a.records.put('key', 'of a', TTL)
    await odd.records.put('key', 'of odd', TTL)
    expect(await b.records.get('key')).toBeUndefined()
    expect(await a.records.get('key')).toMatchObject({ value: 'of a' })
    expect(await odd.records.get('key')).toMatchObject({ value: 'of odd' })
    for (const backend of [a, b, odd]) await backend.close()
  })

  test('keeps texts with NUL and the mark of its escape as they are', async () => {
    const backend = sqlite(':memory:')
    for (const text of ['\0', 'a\0b', '\u0001', '\u00010\u00011\0', 'é\0😀']) {
      await backend.records.put('key', text, TTL)
      expect(await backend.records.get('key')).toMatchObject({ value: text })
    }
    await backend.close()
  })

  test('D045 (sqlite): with seal leaves nothing in the file that others can read, and nothing to whoever has another secret', async () => {
    const [secret, other] = ['s'.repeat(32), 'o'.repeat(32)]
    const backend = sqlite(file, { seal: [secret], namespace: 'server' })
    await backend.records.put('key', 'a plain value', TTL)
    await backend.logs.append('log', { seq: 1, data: 'a plain entry' }, { writer: 'w', ...TTL })
    await backend.topics.publish('topic', 'a plain message')
    const times = { ttlMs: 60_000, keepMs: 60_000, pollIntervalMs: 500, maxAttempts: 1 }
    const names = { id: 'task', owner: 'ada', kind: 'report', dialect: 'extension' }
    await backend.tasks?.create({ ...names, ...times, input: 'a plain input' })
    for (const end of ['', '-wal']) expect(readFileSync(`${file}${end}`).includes('a plain')).toBe(false)
    expect(await backend.records.get('key')).toMatchObject({ value: 'a plain value' })
    await backend.close()
    const warnings: string[] = []
    const stranger = sqlite(file, { seal: [other], namespace: 'server' })
    await stranger.open({ report: (warning) => void warnings.push(warning) })
    expect(await stranger.records.get('key')).toBeUndefined()
    expect(warnings).toHaveLength(1)
    await stranger.close()
    const rotated = sqlite(file, { seal: [other, secret], namespace: 'server' })
    expect(await rotated.records.get('key')).toMatchObject({ value: 'a plain value' })
    await rotated.close()
  })

  test('D051 (sqlite): two servers in one namespace are reported; one server in many processes is not', async () => {
    const warnings: string[] = []
    const report = (warning: string) => void warnings.push(warning)
    for (const namespace of ['calculator', 'calculator', 'weather']) {
      const backend = sqlite(file, { namespace: 'shared' })
      await backend.open({ namespace, report })
      await backend.open({ namespace, report })
      await backend.close()
    }
    expect(warnings).toEqual([
      'Another server uses the namespace "shared" in this SQLite file. Give each server a namespace of its own.',
    ])
    const apart = sqlite(file)
    await apart.open({ namespace: 'weather', report })
    await apart.close()
    expect(warnings).toHaveLength(1)
  })

  test('can be a part of what combine() puts together', async () => {
    const both = combine({ ...memory(), tasks: sqlite(file).tasks })
    await both.open()
    await both.records.put('key', 'value', TTL)
    expect(await both.tasks?.countOpen()).toBe(0)
    expect(existsSync(file)).toBe(true)
    await both.close()
    await expect(both.tasks?.countOpen()).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('says that a folder does not exist', async () => {
    const backend = sqlite(join(folder, 'missing', 'state.db'))
    await expect(backend.open()).rejects.toMatchObject({ kind: 'unavailable', operation: 'open' })
    await expect(backend.open()).rejects.toThrow(/Check that its folder exists/)
    expect(await backend.health()).toMatchObject({ isReady: false })
  })

  test('works again once what kept it from opening is gone', async () => {
    const backend = sqlite(join(file, 'state.db'))
    await expect(backend.open()).rejects.toMatchObject({ kind: 'unavailable' })
    mkdirSync(file)
    await backend.open()
    expect(await backend.health()).toMatchObject({ isReady: true })
    await backend.close()
    expect(await backend.health()).toMatchObject({ isReady: false })
  })
})

describe('a database that the user passes', () => {
  test('keeps its settings and stays open', async () => {
    const database: SQLiteDatabase = new Database(file)
    database.exec('PRAGMA busy_timeout = 1234')
    const warnings: string[] = []
    const backend = sqlite(database)
    await backend.open({ report: (warning) => void warnings.push(warning) })
    await backend.records.put('key', 'value', TTL)
    await backend.close()
    expect(database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 1234 })
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'delete' })
    expect(warnings).toEqual([expect.stringContaining('Run PRAGMA journal_mode = WAL')])
    database.close()
  })

  test('that is inside a transaction of the user makes writes fail, and nothing is lost', async () => {
    const database: SQLiteDatabase = new Database(':memory:')
    const backend = sqlite(database)
    await backend.open()
    database.exec('BEGIN')
    await expect(async () => backend.records.put('key', 'value', TTL)).rejects.toMatchObject({ kind: 'unavailable' })
    database.exec('COMMIT')
    expect(await backend.records.put('key', 'value', TTL)).toBeTypeOf('string')
    await backend.close()
    database.close()
  })
})

describe('tables', () => {
  test('D046 (sqlite): of a newer release are left alone: newer-data', async () => {
    const backend = sqlite(file)
    await backend.open()
    await backend.close()
    const database = new Database(file)
    database.exec('UPDATE mcpwire_schema SET version = 99')
    await expect(sqlite(file).open()).rejects.toMatchObject({ kind: 'newer-data' })
    await expect(migrate(file)).rejects.toMatchObject({ kind: 'newer-data' })
    expect(database.prepare('SELECT version FROM mcpwire_schema').get()).toMatchObject({ version: 99 })
    database.close()
  })

  test('are made by migrate() alone where migrate is false', async () => {
    const backend = sqlite(file, { migrate: false })
    await expect(backend.open()).rejects.toMatchObject({ kind: 'refused' })
    await expect(backend.open()).rejects.toThrow(/does not exist. Call migrate\(\) first/)
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, '')
    await expect(backend.open()).rejects.toThrow(/has tables of version 0.*Call migrate\(\) first/)
    await migrate(file)
    await migrate(file)
    await backend.open()
    expect(await backend.records.put('key', 'value', TTL)).toBeTypeOf('string')
    await backend.close()
  })

  test('are swept of what has expired, by the writes that follow', async () => {
    let now = 1_000_000
    const database: SQLiteDatabase = new Database(':memory:')
    const backend = new SQLiteBackend(database, {}, () => now)
    for (let n = 0; n < 500; n += 1) {
      await backend.records.put(`r${n}`, 'v', { ttlMs: 1_000 })
      await backend.logs.append(`l${n}`, { seq: 1, data: 'v' }, { writer: 'w', ttlMs: 1_000 })
      await backend.limits.hold(`p${n}`, 'holder', { max: 1, ttlMs: 1_000 })
      await backend.limits.take(`b${n}`, { perSecond: 1, burst: 1 })
      await backend.topics.publish('t', 'v')
    }
    now += 60_000
    for (let n = 0; n < 600; n += 1) await backend.records.put('one', 'v', { ttlMs: 1_000 })
    const left = (table: string) => database.prepare(`SELECT count(*) AS rows FROM mcpwire_${table}`).get()
    for (const table of ['record', 'message']) expect(left(table)).toMatchObject({ rows: 1 })
    for (const table of ['log', 'entry', 'place', 'bucket']) expect(left(table)).toMatchObject({ rows: 0 })
    await backend.close()
    database.close()
  })
})

test('close() is idempotent, and rejects whoever waits', async () => {
  const backend = sqlite(file)
  await backend.open()
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = backend.records.put('key', 'value', TTL)
  const outcome = expect(waiting).rejects.toMatchObject({ kind: 'unavailable', outcome: 'not-done' })
  await backend.close()
  await backend.close()
  await outcome
  await expect(async () => backend.records.get('key')).rejects.toMatchObject({ kind: 'unavailable' })
  other.exec('ROLLBACK')
  other.close()
  expect(existsSync(file)).toBe(true)
})

test('a write whose time passes while a handler blocks the event loop is tried before it is late', async () => {
  const backend = sqlite(file, { timeoutMs: 100 })
  await backend.open()
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = backend.records.put('key', 'value', TTL)
  other.exec('ROLLBACK')
  const endsAt = performance.now() + 300
  while (performance.now() < endsAt);
  expect(await waiting).toBeTypeOf('string')
  other.close()
  await backend.close()
})
