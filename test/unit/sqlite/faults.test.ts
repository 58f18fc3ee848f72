// What SQLite promises when the file, the disk or another process fails.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqlite } from '../../../src/exports/sqlite.ts'
import type { SQLiteDatabase } from '../../../src/sqlite/engine/database.ts'
import { SQLiteBackend } from '../../../src/sqlite/sqlite.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpwire-sqlite-'))
  file = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const TTL = { ttlMs: 3_600_000 }
const task = (id: string) => ({
  id,
  owner: 'ada',
  kind: 'report',
  dialect: 'extension',
  input: '{}',
  ttlMs: 3_600_000,
  keepMs: 600_000,
  pollIntervalMs: 500,
  maxAttempts: 1,
})

describe('D052 (sqlite): the file is cut', () => {
  const RECORDS = 12

  /** The file and its log after the end of the machine: the last writes are in the log alone. */
  async function crashed(): Promise<[main: Buffer, log: Buffer]> {
    const backend = sqlite(file)
    for (let n = 0; n < RECORDS; n += 1) await backend.records.put(`r${n}`, `value ${n} ${'x'.repeat(n * 300)}`, TTL)
    const left: [Buffer, Buffer] = [readFileSync(file), readFileSync(`${file}-wal`)]
    await backend.close()
    return left
  }

  async function readAll(path: string): Promise<number[]> {
    const backend = sqlite(path)
    const found: number[] = []
    try {
      for (let n = 0; n < RECORDS; n += 1) {
        const kept = await backend.records.get(`r${n}`)
        if (kept === undefined) continue
        expect(kept.value).toBe(`value ${n} ${'x'.repeat(n * 300)}`)
        found.push(n)
      }
    } finally {
      await backend.close()
    }
    return found
  }

  test('at any length of its log it opens with every record that is complete', async () => {
    const [main, log] = await crashed()
    const counts: number[] = []
    for (let length = 0; length <= log.length; length += 1_237) {
      // A file of its own: libsql holds what it has opened until its statements are collected.
      const cut = join(folder, `cut-${length}.db`)
      writeFileSync(cut, main)
      writeFileSync(`${cut}-wal`, log.subarray(0, length))
      const found = await readAll(cut)
      // A prefix of what was written, as whole values.
      expect(found).toEqual([...found.keys()])
      counts.push(found.length)
    }
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts[0]).toBe(0)
    expect(counts.at(-1)).toBeGreaterThanOrEqual(RECORDS - 1)
  })

  test('a file without its end, or that is no database, is corrupt, and nothing of it is used', async () => {
    const backend = sqlite(file)
    for (let n = 0; n < 50; n += 1) await backend.records.put(`r${n}`, 'x'.repeat(4_000), TTL)
    await backend.close()
    const path = join(folder, 'cut.db')
    copyFileSync(file, path)
    truncateSync(path, 3 * 4_096 + 100)
    const cut = sqlite(path)
    const reading = async () => {
      for (let n = 0; n < 50; n += 1) await cut.records.get(`r${n}`)
    }
    await expect(reading()).rejects.toMatchObject({ kind: 'corrupt' })
    await cut.close()
    const text = join(folder, 'text')
    writeFileSync(text, 'This is a text of a user, and no database. '.repeat(50))
    await expect(sqlite(text).open()).rejects.toMatchObject({ kind: 'corrupt' })
    expect(readFileSync(text, 'utf8')).toContain('This is a text of a user')
  })
})

describe('D052 (sqlite), D014 (sqlite): the disk is full', () => {
  test('writes are refused, reads go on, health says so, and all is well once there is space', async () => {
    const database: SQLiteDatabase = new Database(file)
    database.exec('PRAGMA journal_mode = WAL')
    const backend = sqlite(database)
    await backend.records.put('first', 'value', TTL)
    await backend.tasks?.create(task('first'))
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    // SQLite itself has the limit: that gives the same error as a full disk.
    database.prepare(`PRAGMA max_page_count = ${pages + 2}`).get()
    const large = 'x'.repeat(100_000)
    const refused = { kind: 'refused', outcome: 'not-done', message: expect.stringContaining('The disk is full') }
    await expect(async () => backend.records.put('second', large, TTL)).rejects.toMatchObject(refused)
    await expect(async () =>
      backend.logs.append('log', { seq: 1, data: large }, { writer: 'w', ...TTL }),
    ).rejects.toMatchObject(refused)
    await expect(backend.tasks?.create({ ...task('second'), input: large })).rejects.toMatchObject(refused)
    expect(await backend.health()).toMatchObject({ isReady: false, detail: refused.message })
    database.prepare(`PRAGMA max_page_count = ${pages}`).get()
    for (let n = 0; ; n += 1) {
      const outcome = await Promise.resolve()
        .then(() => backend.records.put(`fill-${n}`, 'x'.repeat(2_000), TTL))
        .catch((error: unknown) => error)
      if (typeof outcome !== 'string') break
    }
    expect(await backend.records.get('first')).toMatchObject({ value: 'value' })
    expect(await backend.tasks?.get('first')).toMatchObject({ status: 'working' })
    expect(await backend.records.get('second')).toBeUndefined()
    expect(await backend.tasks?.get('second')).toBeUndefined()
    database.prepare('PRAGMA max_page_count = 100000').get()
    expect(await backend.records.put('second', large, TTL)).toBeTypeOf('string')
    await backend.tasks?.create({ ...task('second'), input: large })
    expect(await backend.health()).toMatchObject({ isReady: true })
    await backend.close()
    database.close()
  })

  test('of several operations of one turn, only the one that does not fit is refused', async () => {
    const database: SQLiteDatabase = new Database(file)
    const backend = sqlite(database)
    await backend.open()
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.prepare(`PRAGMA max_page_count = ${pages + 4}`).get()
    const created = ['a', 'b', 'c'].map((id) =>
      backend.tasks?.create({ ...task(id), input: id === 'b' ? 'x'.repeat(100_000) : '{}' }),
    )
    const outcomes = await Promise.allSettled(created)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await backend.tasks?.countOpen()).toBe(2)
    await backend.close()
    database.close()
  })
})

describe('D052 (sqlite): another process has locked the file', () => {
  test('writes time out, reads go on, and the event loop is never stopped', async () => {
    const backend = sqlite(file, { timeoutMs: 150 })
    await backend.records.put('key', 'value', TTL)
    const stuck = new Database(file)
    stuck.exec('BEGIN IMMEDIATE')
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    const timeout = { kind: 'timeout', outcome: 'not-done' }
    const writes = [
      expect(async () => backend.records.put('key', 'other', TTL)).rejects.toMatchObject(timeout),
      expect(async () => backend.topics.publish('topic', 'text')).rejects.toMatchObject(timeout),
      expect(backend.tasks?.create(task('a'))).rejects.toMatchObject(timeout),
    ]
    expect(backend.records.get('key')).toMatchObject({ value: 'value' })
    await Promise.all(writes)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
    expect(await backend.health()).toMatchObject({ isReady: false })
    stuck.exec('ROLLBACK')
    stuck.close()
    expect(await backend.health()).toMatchObject({ isReady: true })
    expect(await backend.records.put('key', 'other', TTL)).toBeTypeOf('string')
    await backend.close()
  })

  test('what waits is done in its order once the lock is free', async () => {
    const backend = sqlite(file, { timeoutMs: 60_000 })
    await backend.open()
    const heard: string[] = []
    await backend.topics.subscribe('topic', { message: (text) => void heard.push(text), missed: () => {} }).ready
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    const writes = ['1', '2', '3', '4'].map((text) => backend.topics.publish('topic', text))
    other.exec('COMMIT')
    writes.push(backend.topics.publish('topic', '5'))
    await Promise.all(writes)
    await expect.poll(() => heard).toEqual(['1', '2', '3', '4', '5'])
    other.close()
    await backend.close()
  })

  test('a read of several statements that finds the file busy waits for it', async () => {
    const database = new Database(file)
    const begin = database.exec.bind(database)
    let isBusy = false
    database.exec = ((sql: string) => {
      if (isBusy && sql === 'BEGIN') {
        isBusy = false
        throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY', rawCode: 5 })
      }
      return begin(sql)
    }) as never
    const backend = sqlite(database as never)
    await backend.open()
    await backend.logs.append('l', { seq: 1, data: 'one' }, { writer: 'w', ttlMs: 60_000 })
    isBusy = true
    expect(await backend.logs.read('l', 0)).toMatchObject({ entries: [{ seq: 1, data: 'one' }] })
    expect(isBusy).toBe(false)
    await backend.close()
  })

  test('open waits for it too, and no longer than timeoutMs', async () => {
    const stuck = new Database(file)
    stuck.exec('BEGIN EXCLUSIVE')
    await expect(sqlite(file, { timeoutMs: 50 }).open()).rejects.toMatchObject({ kind: 'timeout' })
    const patient = sqlite(file, { timeoutMs: 60_000 })
    const opening = patient.open()
    stuck.exec('ROLLBACK')
    await opening
    stuck.close()
    await patient.close()
  })
})

describe('D033 (sqlite): the clock jumps', () => {
  test.each([-3_600_000, 3_600_000])('by %i ms: buckets stay bounded, and a task ends once', async (jump) => {
    let now = 1_800_000_000_000
    const backend = new SQLiteBackend(':memory:', {}, () => now)
    const take = { perSecond: 1, burst: 3 }
    for (let n = 0; n < 3; n += 1) expect(backend.limits.take('bucket', take)).toSatisfy((wait) => wait !== undefined)
    await backend.tasks.create({ ...task('a'), maxAttempts: 2 })
    const [first] = await backend.tasks.claim('w1', { kinds: ['report'], max: 1, leaseMs: 30_000 })
    now += jump
    const wait = await backend.limits.take('bucket', take)
    expect(wait).toBeGreaterThanOrEqual(0)
    expect(wait).toBeLessThanOrEqual(3_000)
    const [second] = await backend.tasks.claim('w2', { kinds: ['report'], max: 1, leaseMs: 30_000 })
    const outcomes = []
    for (const claim of [first, second]) {
      if (claim !== undefined) outcomes.push(await backend.tasks.finish(claim, { status: 'completed', text: '{}' }))
    }
    expect(outcomes.filter((outcome) => outcome === 'finished')).toHaveLength(1)
    await backend.close()
  })
})

test('a process that slept while messages were removed hears missed once', async () => {
  let now = 1_000_000
  const [sleeper, other] = [0, 1].map(() => new SQLiteBackend(file, {}, () => now)) as [SQLiteBackend, SQLiteBackend]
  await sleeper.open()
  await other.open()
  const heard: string[] = []
  const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
  await sleeper.topics.subscribe('topic', listener).ready
  // All of it in one turn: the one that listens sees nothing of it before the end.
  for (let n = 0; n < 5; n += 1) void other.topics.publish('topic', `old ${n}`)
  now += 60_000
  for (let n = 0; n < 300; n += 1) void other.records.put('key', 'value', TTL)
  void other.topics.publish('topic', 'new')
  await expect.poll(() => heard.at(-1)).toBe('new')
  expect(heard.filter((text) => text === 'missed')).toHaveLength(1)
  await sleeper.close()
  await other.close()
})
