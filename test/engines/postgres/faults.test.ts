// What the backend on Postgres promises when the engine or the network fails.
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { reconnectDelay } from '../../../src/postgres/engine/sql-client.ts'
import { migrate, PostgresBackend, type PostgresOptions, postgres } from '../../../src/postgres/postgres.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { failureOf, newTask, untilDone } from '../failing-engine.ts'
import { startPostgres } from '../postgres.ts'
import * as clients from './clients.ts'

const TTL = 3_600_000
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const CLAIM = { kinds: ['report'], max: 1, leaseMs: 60_000 }
const DONE = { status: 'completed', text: '{}' } as const

const makers = {
  pg: (url: string, options: PostgresOptions) => postgres(url, options),
  postgres: (url: string, options: PostgresOptions) => clients.withoutPg(url, options),
}

describe('mcpwire/postgres', () => {
  it('D006 (postgres): reconnects are spread between 0.1 and 5 s', () => {
    for (let attempt = 1; attempt < 40; attempt += 1) {
      const delays = Array.from({ length: 50 }, () => reconnectDelay(attempt))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(100)
      expect(Math.max(...delays)).toBeLessThanOrEqual(5_000)
      expect(new Set(delays).size).toBeGreaterThan(40)
    }
  })

  it('names both packages where none is installed', async () => {
    const backend = new PostgresBackend('postgres://localhost/x', {}, async (name) => {
      throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    })
    const failure = await failureOf(backend.open())
    expect(failure).toMatchObject({ name: 'BackendError', kind: 'unavailable', operation: 'open' })
    expect(failure.message).toBe('No client of Postgres is installed. Run npm install pg@8, or npm install postgres@3.')
  })

  it.each([
    ['no URL', 'hunter2', /cannot be read/],
    ['another protocol', 'mysql://u:hunter2@localhost/x', /not mysql:/],
    ['a wrong sslmode', 'postgres://u:hunter2@localhost/x?sslmode=maybe', /sslmode=maybe/],
    ['a % that is no escape', 'postgres://u:hunter2%@localhost/x', /begins no escape|cannot be read/],
  ])('a URL with %s is a TypeError without the password', (_name, url, message) => {
    expect(() => postgres(url)).toThrow(TypeError)
    expect(() => postgres(url)).toThrow(message)
    expect(() => postgres(url)).not.toThrow(/hunter2/)
  })

  it('refuses what is neither a URL nor a pool, schemas with other characters, and too few connections', () => {
    expect(() => postgres({} as never)).toThrow(/takes a URL, a Pool of pg or an sql of postgres/)
    expect(() => postgres('postgres://localhost', { schema: 'a"b' })).toThrow(/schema is "a\\"b"/)
    expect(() => postgres('postgres://localhost', { maxConnections: 1 })).toThrow(/maxConnections/)
  })
})

const REJECTED = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "ada"\0\0'

/** A message of the protocol of Postgres. */
function message(type: string, fields: string): Buffer {
  const bytes = Buffer.alloc(5 + fields.length)
  bytes.write(type)
  bytes.writeInt32BE(4 + fields.length, 1)
  bytes.write(fields, 5)
  return bytes
}

/** Answers as a server that nobody can log in to. */
async function refusingServer(answer = (socket: Socket): unknown => socket.end(message('E', REJECTED))): Promise<{
  port: number
  close(): Promise<void>
}> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, close: () => new Promise((resolve) => void server.close(() => resolve())) }
}

describeEngine('Postgres', 'open() of mcpwire/postgres', () => {
  const database = useEngine(clients.freshDatabase)
  const urlOf = (name: string, user = 'postgres') =>
    `postgres://${user}:hunter2@localhost/${name}?host=${encodeURIComponent(database().host)}`

  for (const [library, make] of Object.entries(makers)) {
    const openFails = async (url: string, options: PostgresOptions = {}) => {
      const backend = make(url, { ...clients.PATIENT, ...options })
      open.push(backend)
      const failure = await failureOf(backend.open())
      expect(failure).toMatchObject({ name: 'BackendError', operation: 'open' })
      expect(`${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`).not.toContain('hunter2')
      return failure
    }

    it(`with ${library}: an engine out of reach, a wrong password and a missing database are one clear error each`, async () => {
      const nobody = await refusingServer()
      const gone = nobody.port
      const password = await openFails(`postgres://ada:hunter2@127.0.0.1:${nobody.port}/x`)
      expect(password).toMatchObject({ kind: 'refused' })
      expect(password.message).toBe('open failed. Postgres rejects the user name or the password.')
      await nobody.close()
      const away = await openFails(`postgres://ada:hunter2@127.0.0.1:${gone}/x`)
      expect(away).toMatchObject({ kind: 'unavailable', outcome: 'not-done' })
      expect(away.message).toBe(`open failed, because Postgres at 127.0.0.1:${gone} is out of reach (ECONNREFUSED).`)
      const missing = await openFails(urlOf('no_such_database'))
      expect(missing).toMatchObject({ kind: 'refused' })
      expect(missing.message).toContain('The database does not exist.')
    })

    it(`with ${library}: no password where one is wanted, and TLS where there is none, say what to do`, async () => {
      const wanting = await refusingServer((socket) => {
        socket.once('data', () => socket.end(message('E', REJECTED)))
        socket.write(message('R', '\0\0\0\u000aSCRAM-SHA-256\0\0'))
      })
      open.push(wanting)
      const without = await openFails(`postgres://ada@127.0.0.1:${wanting.port}/x`)
      expect(without.kind).toBe('refused')
      expect(without.message).toMatch(/wants a password\. Put it into the URL|rejects the user name or the password/)
      const plain = await refusingServer((socket) => socket.end('N'))
      open.push(plain)
      const { message: text } = await openFails(`postgres://ada:hunter2@127.0.0.1:${plain.port}/x?sslmode=require`)
      expect(text).toMatch(/is broken \(.+\)\. With sslmode in the URL it must speak TLS/)
    })

    it(`with ${library}: a user without rights is refused when the backend opens, not later`, async () => {
      const user = `poor_${clients.freshNamespace()}`
      const schema = `s_${clients.freshNamespace()}`
      await database().query(`CREATE ROLE ${user} LOGIN`)
      const cannotCreate = await openFails(urlOf(database().database, user), { schema })
      expect(cannotCreate).toMatchObject({ kind: 'refused' })
      expect(cannotCreate.message).toContain('docs/postgres.md')
      await migrate(database().url, { schema, ...clients.PATIENT })
      await database().query(
        `GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
      )
      const cannotWrite = await openFails(urlOf(database().database, user), { schema })
      expect(cannotWrite).toMatchObject({ kind: 'refused' })
      expect(cannotWrite.message).toContain('may not use the tables')
      await database().query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`)
      const backend = make(urlOf(database().database, user), { schema, migrate: false, ...clients.PATIENT })
      open.push(backend)
      await backend.records.put('k', 'v', { ttlMs: TTL })
      expect(await backend.health()).toMatchObject({ isReady: true })
      expect(await backend.tasks?.create(newTask())).toBeUndefined()
    })
  }

  it('D046 (postgres): refuses tables that are newer than this release, and leaves them as they are', async () => {
    const schema = 'newer'
    await migrate(database().url, { schema, ...clients.PATIENT })
    await database().query('UPDATE newer.schema_version SET version = 99')
    const backend = postgres(database().url, { schema, ...clients.PATIENT })
    open.push(backend)
    const failure = await failureOf(backend.open())
    expect(failure).toMatchObject({ kind: 'newer-data', operation: 'open' })
    expect(failure.message).toContain('version 99')
    const { rows } = await database().query('SELECT version FROM newer.schema_version')
    expect(rows).toEqual([{ version: 99 }])
  })

  it('with migrate: false waits for migrate(), which many may call at once', async () => {
    const schema = 'by_hand'
    const backend = postgres(database().url, { schema, migrate: false, ...clients.PATIENT })
    open.push(backend)
    expect(await failureOf(backend.open())).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Call migrate() first'),
    })
    await Promise.all(Array.from({ length: 6 }, () => migrate(database().url, { schema, ...clients.PATIENT })))
    await backend.open()
    expect(await backend.records.get('k')).toBeUndefined()
  })

  it('refuses a database with another encoding than UTF8', async () => {
    const name = `latin_${clients.freshNamespace()}`
    await database().query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    const backend = postgres(urlOf(name), clients.PATIENT)
    open.push(backend)
    expect((await failureOf(backend.open())).message).toBe(
      'The database has the encoding LATIN1. Create one with the encoding UTF8.',
    )
  })

  it('refuses a server that is too old', async () => {
    const name = `old_${clients.freshNamespace()}`
    await database().query(`CREATE DATABASE ${name}`)
    const admin = await clients.pgPool({ ...database(), database: name })
    open.push(admin)
    // What the server says of itself, before its own function.
    await admin.query(`CREATE SCHEMA old; CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql AS
      $$ SELECT CASE name WHEN 'server_version_num' THEN '110022' WHEN 'server_version' THEN '11.22'
        ELSE pg_catalog.current_setting(name) END $$;
      ALTER DATABASE ${name} SET search_path = old, pg_catalog`)
    const backend = postgres(urlOf(name), clients.PATIENT)
    open.push(backend)
    const failure = await failureOf(backend.open())
    expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
    expect(failure.message).toBe('This Postgres has version 11.22. Use version 12 or later.')
  })

  it('D051 (postgres): two servers in one namespace are reported once', async () => {
    const namespace = clients.freshNamespace()
    const warnings: string[] = []
    const report = (warning: string) => void warnings.push(warning)
    for (const server of ['first', 'second']) {
      const backend = postgres(database().url, { namespace, ...clients.PATIENT })
      open.push(backend)
      await backend.open({ namespace: server, report })
      await backend.open({ namespace: server, report })
    }
    expect(warnings).toEqual([
      `Another server uses the namespace "${namespace}" on this Postgres. Give each server a namespace of its own.`,
    ])
  })
})

describeEngine('Postgres', 'time and tasks on mcpwire/postgres', () => {
  const database = useEngine(clients.freshDatabase)

  async function fresh(options: PostgresOptions = {}) {
    const schema = `s_${clients.freshNamespace()}`
    const make = () => {
      const backend = postgres(database().url, { schema, ...clients.PATIENT, ...options })
      open.push(backend)
      return backend as Backend & { tasks: NonNullable<Backend['tasks']> }
    }
    const backend = make()
    await backend.open()
    const jump = (ms: number) =>
      database().query(`CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
        'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 + ${ms}'`)
    return { backend, tasks: backend.tasks, make, jump, schema }
  }

  it('D032 (postgres): the clock of a node has no effect on times to live, leases and buckets', async () => {
    const { backend, tasks, make } = await fresh()
    await backend.records.put('k', 'v', { ttlMs: 60_000 })
    await tasks.create(newTask())
    expect(await tasks.claim('a', CLAIM)).toHaveLength(1)
    expect(await backend.limits.take('b', { perSecond: 0.001, burst: 1 })).toBe(0)
    vi.setSystemTime(Date.now() + 600_000)
    try {
      const other = make()
      expect(await other.records.get('k')).toMatchObject({ value: 'v' })
      expect(await other.tasks.claim('b', CLAIM)).toEqual([])
      expect(await other.limits.take('b', { perSecond: 0.001, burst: 1 })).toBeGreaterThan(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('D033 (postgres): the clock of the engine jumps by an hour: a task ends once, buckets are never negative', async () => {
    const { backend, tasks, jump } = await fresh()
    const rate = { perSecond: 1, burst: 5 }
    const task = newTask({ maxAttempts: 3, ttlMs: 86_400_000 })
    await tasks.create(task)
    const [first] = await tasks.claim('a', CLAIM)
    await jump(3_600_000)
    const [second] = await tasks.claim('b', CLAIM)
    expect(second).toMatchObject({ id: task.id, attempt: 2 })
    for (let n = 0; n < 5; n += 1) expect(await backend.limits.take('b', rate)).toBe(0)
    await jump(-3_600_000)
    expect(await backend.limits.take('b', rate)).toBeLessThanOrEqual(5_000)
    expect(await tasks.finish(first as never, DONE)).toBe('lost')
    expect(await tasks.finish(second as never, DONE)).toBe('finished')
    expect(await tasks.finish(second as never, DONE)).toBe('already')
  })

  it('D034, D040 (postgres): a task whose worker is lost each time runs as often as it may, then fails; others go on', async () => {
    const { tasks, jump } = await fresh()
    const task = newTask({ maxAttempts: 2, ttlMs: 86_400_000 })
    const other = newTask({ ttlMs: 86_400_000 })
    await tasks.create(task)
    const [first] = await tasks.claim('a', CLAIM)
    await tasks.create(other)
    await jump(100_000)
    // The one that was lost comes before the new one.
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: task.id, attempt: 2 }])
    await jump(200_000)
    expect(await tasks.claim('c', CLAIM)).toMatchObject([{ id: other.id }])
    expect(await tasks.get(task.id)).toMatchObject({ status: 'failed', statusMessage: 'The worker was lost.' })
    expect(await tasks.finish(first as never, DONE)).toBe('already')
  })

  it('D036 (postgres): of a cancel and a finish at the same time one wins, and both see the same outcome', async () => {
    const { tasks, make } = await fresh()
    const other = make().tasks
    for (let round = 0; round < 20; round += 1) {
      const task = newTask()
      await tasks.create(task)
      const [claim] = await tasks.claim('a', CLAIM)
      const [cancelled, finished] = await Promise.all([other.cancel(task.id, 1), tasks.finish(claim as never, DONE)])
      const status = (await tasks.get(task.id))?.status
      expect(await other.get(task.id)).toMatchObject({ status })
      if (finished === 'finished') expect(status).toBe('completed')
      else expect([cancelled, status]).toEqual(['cancelling', 'cancelled'])
    }
  })

  it('D037 (postgres): a run that ignores its cancel is cancelled after graceMs, and its later result is refused', async () => {
    const { tasks, jump } = await fresh()
    const task = newTask()
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    expect(await tasks.cancel(task.id, 5_000)).toBe('cancelling')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'working', isCancelling: true })
    await jump(6_000)
    expect(await tasks.finish(claim as never, DONE)).toBe('already')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'cancelled' })
  })

  it('D038 (postgres): an answer and a cancel at the same time: taken or ended, and a run that begins anew sees it', async () => {
    const { tasks, make, jump } = await fresh()
    const other = make().tasks
    for (let round = 0; round < 10; round += 1) {
      const task = newTask()
      await tasks.create(task)
      const [claim] = await tasks.claim('a', CLAIM)
      await tasks.ask(claim as never, { q: '?' })
      await tasks.park(claim as never)
      const [answered, cancelled] = await Promise.all([
        other.answer(task.id, { q: 'yes' }),
        tasks.cancel(task.id, 1_000),
      ])
      expect(['taken', 'ended']).toContain(answered)
      expect(cancelled).toBe('cancelled')
    }
    const task = newTask({ maxAttempts: 2 })
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    await tasks.ask(claim as never, { q: '?' })
    await jump(100_000)
    expect(await other.answer(task.id, { q: 'yes' })).toBe('taken')
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: task.id, attempt: 2, answers: { q: 'yes' } }])
  })

  it('D039 (postgres): a task of another kind stays for nodes that know it, and fails when its time is over', async () => {
    const { tasks, jump } = await fresh()
    const task = newTask({ kind: 'unknown', ttlMs: 60_000 })
    await tasks.create(task)
    expect(await tasks.claim('a', CLAIM)).toEqual([])
    expect(await tasks.get(task.id)).toMatchObject({ status: 'working' })
    await jump(61_000)
    expect(await tasks.get(task.id)).toMatchObject({ status: 'failed', statusMessage: 'The task was not run in time.' })
  })

  it('D041 (postgres): a run goes on after ttlMs, which grows, and its result is kept for keepMs', async () => {
    const { tasks, jump } = await fresh()
    const task = newTask({ ttlMs: 10_000, keepMs: 5_000 })
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    await jump(20_000)
    expect(await tasks.renew(claim as never, 60_000)).toBe('held')
    expect((await tasks.get(task.id))?.ttlMs).toBeGreaterThan(20_000)
    await jump(120_000)
    expect(await tasks.finish(claim as never, DONE)).toBe('finished')
    await jump(124_000)
    expect(await tasks.get(task.id)).toMatchObject({ status: 'completed' })
    await jump(126_000)
    expect(await tasks.get(task.id)).toBeUndefined()
  })

  it('D042 (postgres): another node finds a task as soon as create has resolved', async () => {
    const { tasks, make } = await fresh()
    const other = make().tasks
    for (let round = 0; round < 20; round += 1) {
      const task = newTask()
      await tasks.create(task)
      expect(await other.get(task.id)).toMatchObject({ id: task.id, status: 'working' })
    }
  })

  it('what has expired is removed beside the writes, in small steps', async () => {
    const { backend, tasks, jump, schema } = await fresh()
    for (let n = 0; n < 20; n += 1) await backend.records.put(`k${n}`, 'v', { ttlMs: 1_000 })
    await backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: 1_000 })
    await backend.limits.hold('p', 'h', { max: 1, ttlMs: 1_000 })
    await backend.limits.take('b', { perSecond: 1, burst: 1 })
    const task = newTask({ ttlMs: 1_000, keepMs: 1_000 })
    const claim = await tasks.create(task, { claimFor: { worker: 'w', leaseMs: 1_000 } })
    await tasks.finish(claim as never, DONE)
    await backend.topics.publish('t', 'old')
    await jump(86_400_000)
    await backend.topics.publish('t', 'new')
    for (let n = 0; n < 300; n += 1) await backend.records.put('one', 'v', { ttlMs: TTL })
    await vi.waitFor(async () => {
      const counts = ['record', 'log', 'entry', 'hold', 'bucket', 'task', 'message'].map(
        (table) => `(SELECT count(*)::int FROM ${schema}.${table}) AS ${table}`,
      )
      const { rows } = await database().query(`SELECT ${counts.join(', ')}`)
      expect(rows).toEqual([{ record: 1, log: 0, entry: 0, hold: 0, bucket: 0, task: 0, message: 1 }])
    })
  })
})

describeEngine('Postgres', 'what is stored on mcpwire/postgres', () => {
  const database = useEngine(clients.freshDatabase)
  const TABLES = ['record', 'log', 'entry', 'hold', 'bucket', 'task', 'message']

  async function fresh(options: PostgresOptions = {}) {
    const schema = `s_${clients.freshNamespace()}`
    const backend = postgres(database().url, { schema, ...clients.PATIENT, ...options })
    open.push(backend)
    await backend.open()
    return { schema, backend, tasks: backend.tasks as NonNullable<Backend['tasks']> }
  }

  it('D009 (postgres): a database that was emptied has nothing, and works', async () => {
    const { schema, backend, tasks } = await fresh()
    const task = newTask()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: TTL })
    await tasks.create(task)
    await database().query(`TRUNCATE ${TABLES.map((table) => `${schema}.${table}`).join(', ')} CASCADE`)
    expect(await backend.records.get('k')).toBeUndefined()
    expect(await backend.logs.read('l', 0)).toBeUndefined()
    expect(await tasks.get(task.id)).toBeUndefined()
    expect(await tasks.countOpen()).toBe(0)
    await tasks.create(task)
    expect(await tasks.claim('w', CLAIM)).toMatchObject([{ id: task.id, attempt: 1 }])
  })

  it('D014 (postgres): a full disk refuses writes, reads go on, and the engine is not ready', async () => {
    const { schema, backend, tasks } = await fresh()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await database().query(`CREATE FUNCTION ${schema}.is_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
    const eachTable = (command: (table: string) => string) => database().query(TABLES.map(command).join(';'))
    await eachTable(
      (table) =>
        `CREATE TRIGGER is_full BEFORE INSERT OR UPDATE ON ${schema}.${table} FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.is_full()`,
    )
    const append = () => backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: TTL })
    for (const write of [
      () => backend.records.put('k', 'w', { ttlMs: TTL }),
      append,
      () => backend.limits.hold('p', 'h', { max: 1, ttlMs: TTL }),
      () => tasks.create(newTask()),
    ]) {
      const failure = await failureOf(write())
      expect(failure).toMatchObject({ kind: 'refused', outcome: 'not-done' })
      expect(failure.message).toContain('The disk of Postgres is full. Free some space.')
    }
    expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
    expect(await backend.health()).toMatchObject({ isReady: false })
    await eachTable((table) => `DROP TRIGGER is_full ON ${schema}.${table}`)
    expect(await backend.health()).toMatchObject({ isReady: true })
    expect(await append()).toBe('kept')
  })

  it('D045 (postgres): a sealed value that is garbage, cut or of another key counts as absent', async () => {
    const { schema, backend } = await fresh({ seal: ['a secret of at least 32 characters'] })
    for (const key of ['a', 'b', 'c', 'd']) await backend.records.put(key, key, { ttlMs: TTL })
    await database().query(`UPDATE ${schema}.record SET value = 'garbage' WHERE key LIKE '%a'`)
    await database().query(`UPDATE ${schema}.record SET value = left(value, 20) WHERE key LIKE '%b'`)
    await database().query(`UPDATE ${schema}.record SET value =
      (SELECT value FROM ${schema}.record WHERE key LIKE '%d') WHERE key LIKE '%c'`)
    const values = await Promise.all(['a', 'b', 'c', 'd'].map(async (key) => (await backend.records.get(key))?.value))
    expect(values).toEqual([undefined, undefined, undefined, 'd'])
  })
})

describeEngine('Postgres', 'mcpwire/postgres and the end of Postgres', () => {
  it('D012 (postgres): what was acknowledged outlives kill -9 of Postgres, an ended task too; D009: topics say missed', async () => {
    const server = await startPostgres({ isDurable: true })
    open.push(server)
    const url = `postgres://${server.user}@localhost/postgres?host=${encodeURIComponent(server.host)}`
    const backend = postgres(url, clients.PATIENT) as Backend & { tasks: NonNullable<Backend['tasks']> }
    open.push(backend)
    await backend.open()
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
    // Messages are numbered, and after a crash from the beginning: whoever began to listen at a high number hears low ones then.
    for (const text of ['before 1', 'before 2', 'before 3']) await backend.topics.publish('t', text)
    await backend.topics.subscribe('t', listener).ready
    await backend.topics.publish('t', 'a')
    const task = newTask()
    await backend.tasks.create(task)
    const [claim] = await backend.tasks.claim('w', CLAIM)
    await backend.records.put('k', 'v', { ttlMs: TTL })
    expect(await backend.tasks.finish(claim as never, DONE)).toBe('finished')
    await server.process.stop('SIGKILL')
    await server.process.start()
    expect(await untilDone(() => backend.tasks.get(task.id))).toMatchObject({ status: 'completed', outcome: '{}' })
    expect(await untilDone(() => backend.records.get('k'))).toMatchObject({ value: 'v' })
    expect(await untilDone(() => backend.tasks.finish(claim as never, DONE))).toBe('already')
    await vi.waitFor(() => expect(heard).toContain('missed'), { timeout: 20_000 })
    await untilDone(() => backend.topics.publish('t', 'b'))
    await vi.waitFor(() => expect(heard).toContain('b'), { timeout: 20_000 })
    expect(heard.filter((text) => text !== 'a')).toEqual(['missed', 'b'])
  })
})
