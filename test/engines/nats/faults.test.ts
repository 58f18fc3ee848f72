// What the backend on NATS promises when the engine, its settings or its clock are not as they should be.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { Clock } from '../../../src/nats/engine/clock.ts'
import { NatsBackend, type NatsOptions, nats } from '../../../src/nats/nats.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { failureOf, newTask, untilDone } from '../failing-engine.ts'
import { startNats } from '../nats.ts'
import { freshNamespace, PATIENT, startNatsProxy, withTasks } from './clients.ts'

const TTL = 3_600_000
const HOUR = 3_600_000
const CLAIM = { kinds: ['report'], max: 1, leaseMs: 60_000 }
const DONE = { status: 'completed', text: '{}' } as const
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function opened(servers: string, options: NatsOptions = {}) {
  const backend = withTasks(nats(servers, { namespace: freshNamespace(), ...PATIENT, ...options }))
  open.push(backend)
  return backend
}

/** The clock of an engine that is set. */
class JumpingClock extends Clock {
  aheadMs = 0

  override now(): number {
    return super.now() + this.aheadMs
  }
}

/** The clock of an engine as a node knows it that is wrong about it, and knows by how much. */
class WrongClock extends Clock {
  readonly #aheadMs: number

  constructor(aheadMs: number) {
    super()
    this.#aheadMs = aheadMs
  }

  override now(): number {
    return super.now() + this.#aheadMs
  }

  override get errorMs(): number {
    return super.errorMs + Math.abs(this.#aheadMs)
  }
}

describe('mcpwire/nats', () => {
  it('names the package to install where it is missing', async () => {
    const load = async () => {
      throw Object.assign(new Error("Cannot find package '@nats-io/transport-node'"), { code: 'ERR_MODULE_NOT_FOUND' })
    }
    const failure = await failureOf(new NatsBackend('nats://127.0.0.1:1', {}, { load }).open())
    expect(failure).toMatchObject({ name: 'BackendError', kind: 'unavailable', operation: 'open' })
    expect(failure.message).toContain('npm install @nats-io/transport-node')
  })

  it.each([
    ['no URL', 'nats://hunter2:x@:y', /cannot be read/],
    ['another protocol', 'redis://u:hunter2@localhost', /not redis:/],
    ['a % that is no escape', 'nats://u:hunter2%@localhost', /begins no escape|cannot be read/],
  ])('a URL with %s is a TypeError without the password', (_name, url, message) => {
    expect(() => nats(url)).toThrow(TypeError)
    expect(() => nats(url)).toThrow(message)
    expect(() => nats(url)).not.toThrow(/hunter2/)
  })

  it('refuses what is neither a URL nor a connection, and wrong options', () => {
    expect(() => nats({} as never)).toThrow(/takes URLs, or a connection of @nats-io\/transport-node/)
    expect(() => nats('')).toThrow(/environment variable/)
    expect(() => nats('nats://localhost', { replicas: 2 })).toThrow('replicas is 2. Use 1, 3 or 5.')
    expect(() => nats('nats://localhost', { namespace: 'a b' })).toThrow(/namespace/)
  })

  it('the clock of the engine is what samples agree on, and follows when it is set', () => {
    let here = 1_000
    const clock = new Clock(() => here)
    clock.add({ sentAt: 1_000, heardAt: 1_100, serverTime: 50_050 })
    clock.add({ sentAt: 1_200, heardAt: 1_202, serverTime: 50_201 })
    here = 1_300
    expect(clock.now()).toBeGreaterThanOrEqual(50_298)
    expect(clock.now()).toBeLessThanOrEqual(50_303)
    clock.add({ sentAt: 1_300, heardAt: 1_302, serverTime: 50_301 - HOUR })
    expect(clock.now()).toBeLessThan(50_310 - HOUR)
  })
})

describeEngine('NATS', 'open() of mcpwire/nats', () => {
  it('wrong credentials, an engine that is not there and JetStream that is off are one clear error without the password', async () => {
    const closed = await startNats({ args: ['--user', 'ada', '--pass', 'right-secret'] })
    open.push(closed)
    const { port } = new URL(closed.url)
    for (const login of ['ada:wrong-secret@', '']) {
      const failure = await failureOf(opened(`nats://${login}127.0.0.1:${port}`).open())
      expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
      expect(failure.message).toBe(
        `open failed. NATS at 127.0.0.1:${port} rejects the user, the password or the token.`,
      )
      expect(`${failure.stack} ${String(failure.cause)}`).not.toContain('secret')
    }
    const right = opened(`nats://ada:right-secret@127.0.0.1:${port}`)
    await right.open()
    await right.close()
    await closed.close()
    const gone = await failureOf(opened(`nats://ada:right-secret@127.0.0.1:${port}`).open())
    expect(gone).toMatchObject({ kind: 'unavailable', operation: 'open', outcome: 'not-done' })
    expect(gone.message).toContain(`NATS at 127.0.0.1:${port} is out of reach`)
    expect(`${gone.stack} ${String(gone.cause)}`).not.toContain('secret')
    const plain = await startNats({ hasJetStream: false })
    open.push(plain)
    const off = await failureOf(opened(plain.url).open())
    expect(off).toMatchObject({ kind: 'refused', operation: 'open' })
    expect(off.message).toBe('open failed. JetStream is off, or not for this account. Start nats-server with -js.')
  })

  it('replicas need a cluster, and the error says so', async () => {
    const server = await startNats()
    open.push(server)
    const failure = await failureOf(opened(server.url, { replicas: 3 }).open())
    expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
    expect(failure.message).toContain('replicas above 1 need a cluster of NATS')
  })

  it('D014 (nats): an engine that is full refuses writes, serves reads, and is not ready', async () => {
    const server = await startNats({ maxFileStore: '200KB' })
    open.push(server)
    const backend = opened(server.url)
    await backend.records.put('k', 'v', { ttlMs: TTL })
    const fillWith = async (size: number) => {
      for (let n = 0; ; n += 1) {
        const put = async () => backend.records.put(`${size}.${n}`, 'x'.repeat(size), { ttlMs: TTL })
        const failed = await put().then(
          () => undefined,
          (error: BackendError) => error,
        )
        if (failed !== undefined) return failed
      }
    }
    await fillWith(50_000)
    // Something small would still have a place.
    expect(await backend.health()).toMatchObject({ isReady: false })
    await fillWith(1_000)
    const failure = await fillWith(1)
    expect(failure).toMatchObject({ kind: 'refused', operation: 'records.put', outcome: 'not-done' })
    expect(failure.message).toContain('no space left')
    expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
    const health = await backend.health()
    expect(health).toMatchObject({ isReady: false, detail: expect.stringContaining('no space') as string })
  })

  it('a subject that the user may not use is refused at once', async () => {
    const config = `accounts { A { jetstream: enabled, users: [ { user: ada, password: pw, permissions: {
      publish: { allow: ["$JS.API.>", "mcpwire.*.v1.s.>"] }, subscribe: { allow: ["_INBOX.>"] } } } ] } }`
    const server = await startNats({ config })
    open.push(server)
    const { port } = new URL(server.url)
    const backend = opened(`nats://ada:pw@127.0.0.1:${port}`)
    await backend.records.put('k', 'v', { ttlMs: TTL })
    const failure = await failureOf(backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: TTL }))
    expect(failure).toMatchObject({ kind: 'refused', operation: 'logs.append' })
    expect(failure.message).toContain('docs/nats.md has the permissions')
  })
})

describeEngine('NATS', 'mcpwire/nats on an engine in trouble', () => {
  const server = useEngine(() => startNats())

  it('D009 (nats): an engine that starts again empty has nothing, and works', async () => {
    const own = await startNats()
    open.push(own)
    const proxy = await startNatsProxy(own.url)
    open.push(proxy)
    const backend = opened(proxy.tcpUrl)
    const task = newTask()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: TTL })
    await backend.tasks.create(task)
    expect(await backend.tasks.countOpen()).toBe(1)
    await own.process.stop('SIGKILL')
    rmSync(join(own.process.folder, 'data'), { recursive: true })
    await own.process.start()
    proxy.leadTo(own.url)
    expect(await untilDone(() => backend.records.get('k'))).toBeUndefined()
    expect(await backend.tasks.get(task.id)).toBeUndefined()
    expect(await backend.tasks.countOpen()).toBe(0)
    expect(await backend.logs.append('l', { seq: 2, data: 'f' }, { writer: 'w', ttlMs: TTL })).toBe('conflict')
    await backend.tasks.create(task)
    expect(await backend.tasks.claim('w', CLAIM)).toMatchObject([{ id: task.id, attempt: 1 }])
  })

  it('D012 (nats): what was acknowledged outlives kill -9 of NATS, an ended task too; topics say missed', async () => {
    const own = await startNats()
    open.push(own)
    const proxy = await startNatsProxy(own.url)
    open.push(proxy)
    const backend = opened(proxy.tcpUrl)
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
    await backend.topics.subscribe('t', listener).ready
    const task = newTask()
    await backend.tasks.create(task)
    const [claim] = await backend.tasks.claim('w', CLAIM)
    await backend.records.put('k', 'v', { ttlMs: TTL })
    expect(await backend.tasks.finish(claim as never, DONE)).toBe('finished')
    await own.process.stop('SIGKILL')
    await own.process.start()
    proxy.leadTo(own.url)
    expect(await untilDone(() => backend.tasks.get(task.id))).toMatchObject({ status: 'completed', outcome: '{}' })
    expect(await untilDone(() => backend.records.get('k'))).toMatchObject({ value: 'v' })
    expect(await untilDone(() => backend.tasks.finish(claim as never, DONE))).toBe('already')
    expect(await backend.tasks.claim('w', CLAIM)).toEqual([])
    await vi.waitFor(() => expect(heard).toEqual(['missed']), { timeout: 20_000 })
  })

  it('streams that somebody has deleted are made again', async () => {
    const namespace = freshNamespace()
    const backend = opened(server().url, { namespace })
    await backend.records.put('k', 'v', { ttlMs: TTL })
    const connection = await connect({ servers: server().url })
    for (const name of [`mcpwire_${namespace}_v1`, `mcpwire_${namespace}_v1_logs`]) {
      await connection.request(`$JS.API.STREAM.DELETE.${name}`)
    }
    await connection.close()
    expect(await backend.records.get('k')).toBeUndefined()
    expect(await backend.logs.post('l', 'e', { writer: 'w', nth: 1, ttlMs: TTL, maxEntries: 9, maxBytes: 999 })).toBe(1)
  })

  it('D031 (nats): a bucket that others change each time is refused after 4 tries, which the policy of the caller decides', async () => {
    const namespace = freshNamespace()
    const connection = await connect({ servers: server().url })
    open.push({ close: () => connection.close() })
    const subject = `mcpwire.${namespace}.v1.s.b.b`
    let tries = 0
    // Somebody is always faster: each write comes after one of another node.
    const late: NatsConnection = Object.create(connection, {
      request: {
        value: async (...args: Parameters<NatsConnection['request']>) => {
          if (args[0] === subject) {
            tries += 1
            await connection.request(subject, 'of another node')
          }
          return connection.request(...args)
        },
      },
    })
    const backend = nats(late, { namespace, ...PATIENT })
    open.push(backend)
    const failure = await failureOf(backend.limits.take('b', { perSecond: 1, burst: 5 }))
    expect(failure).toMatchObject({ kind: 'refused', operation: 'limits.take', outcome: 'not-done' })
    expect(failure.message).toBe('limits.take found the value changed by other nodes in each of 4 tries.')
    expect(tries).toBe(4)
  })

  it('D032 (nats): the clock of a node has no effect on times to live, leases and buckets', async () => {
    const namespace = freshNamespace()
    const backend = opened(server().url, { namespace })
    await backend.records.put('k', 'v', { ttlMs: 60_000 })
    await backend.tasks.create(newTask())
    expect(await backend.tasks.claim('a', CLAIM)).toHaveLength(1)
    expect(await backend.limits.take('b', { perSecond: 0.001, burst: 1 })).toBe(0)
    vi.setSystemTime(Date.now() + 600_000)
    try {
      const other = opened(server().url, { namespace })
      expect(await other.records.get('k')).toMatchObject({ value: 'v' })
      expect(await other.tasks.claim('b', CLAIM)).toEqual([])
      expect(await other.limits.take('b', { perSecond: 0.001, burst: 1 })).toBeGreaterThan(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('D045 (nats): a record that is garbage counts as absent, and can be put again', async () => {
    const namespace = freshNamespace()
    const backend = opened(server().url, { namespace })
    await backend.open()
    const connection = await connect({ servers: server().url })
    await connection.request(`mcpwire.${namespace}.v1.s.r.k`, 'garbage')
    await connection.request(`mcpwire.${namespace}.v1.l.l`, 'garbage')
    await connection.close()
    expect(await backend.records.get('k')).toBeUndefined()
    expect(await backend.records.put('k', 'v', { ttlMs: TTL, if: 'absent' })).toBeDefined()
    expect(await backend.logs.read('l', 0)).toBeUndefined()
    expect(await backend.logs.append('l', { seq: 1, data: 'e' }, { writer: 'w', ttlMs: TTL })).toBe('kept')
    expect((await backend.logs.read('l', 0))?.entries).toEqual([{ seq: 1, data: 'e' }])
  })

  it('D051 (nats): two servers in one namespace are reported once; one server on many nodes is not', async () => {
    const namespace = freshNamespace()
    const warnings: string[] = []
    const report = (warning: string) => void warnings.push(warning)
    for (const name of ['first', 'first', 'second']) {
      const backend = opened(server().url, { namespace })
      await backend.open({ namespace: name, report })
      await backend.open({ namespace: name, report })
    }
    expect(warnings).toEqual([
      `Another server uses the namespace "${namespace}" on this NATS. Give each server a namespace of its own.`,
    ])
  })

  it('D046 (nats): refuses streams that are newer than this release, and leaves them as they are', async () => {
    const namespace = freshNamespace()
    const before = opened(server().url, { namespace })
    await before.records.put('k', 'v', { ttlMs: TTL })
    await before.close()
    const connection = await connect({ servers: server().url })
    open.push({ close: () => connection.close() })
    const stream = `mcpwire_${namespace}_v1`
    const infoOf = async () => {
      const info = await connection.request(`$JS.API.STREAM.INFO.${stream}`)
      return info.json<{ config: { description: string }; state: { last_seq: number } }>()
    }
    const { config } = await infoOf()
    expect(config.description).toBe('mcpwire, data version 1')
    const newer = { ...config, description: 'mcpwire, data version 2' }
    await connection.request(`$JS.API.STREAM.UPDATE.${stream}`, JSON.stringify(newer))
    const { state } = await infoOf()
    const after = opened(server().url, { namespace })
    const failure = await failureOf(after.open())
    expect(failure).toMatchObject({ kind: 'newer-data', operation: 'open' })
    expect(failure.message).toContain('data of version 2, which a newer release has written. Update this node.')
    expect(await failureOf(after.records.put('k', 'other', { ttlMs: TTL }))).toMatchObject({ kind: 'newer-data' })
    expect(await after.health()).toMatchObject({ isReady: false })
    expect((await infoOf()).state.last_seq).toBe(state.last_seq)
  })

  it('keeps servers apart by their names, whatever these are', async () => {
    const run = freshNamespace()
    const names = [`${run}`, `${run}.a`, `${run}=da`, `${run} ä`, `${run} ö`, `${run}${'.'.repeat(80)}`]
    for (const namespace of names) {
      const backend = nats(server().url, PATIENT)
      open.push(backend)
      await backend.open({ namespace })
      expect(await backend.records.get('k')).toBeUndefined()
      await backend.records.put('k', namespace, { ttlMs: TTL })
    }
  })

  it('a connection that is passed in stays open when the backend closes', async () => {
    const connection = await connect({ servers: server().url })
    const backend = nats(connection, { namespace: freshNamespace(), ...PATIENT })
    await backend.topics.subscribe('t', { message: () => {}, missed: () => {} }).ready
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await backend.close()
    expect(connection.isClosed()).toBe(false)
    await connection.flush()
    await connection.close()
    const failure = await failureOf(backend.open())
    expect(failure).toMatchObject({ kind: 'unavailable', operation: 'open' })
  })
})

describeEngine('NATS', 'time and tasks on mcpwire/nats', () => {
  const server = useEngine(() => startNats())

  function fresh() {
    const namespace = freshNamespace()
    const clock = new JumpingClock()
    const make = () => {
      const backend = new NatsBackend(server().url, { namespace, ...PATIENT }, { clock })
      open.push(backend)
      return backend
    }
    const backend = make()
    const jump = (aheadMs: number) => {
      clock.aheadMs = aheadMs
    }
    return { namespace, backend, tasks: backend.tasks, make, jump }
  }

  it('D033 (nats): the clock of the engine jumps by an hour: a task ends once, buckets are never negative', async () => {
    const { backend, tasks, jump } = fresh()
    const rate = { perSecond: 1, burst: 5 }
    const task = newTask({ maxAttempts: 3, ttlMs: 86_400_000 })
    await tasks.create(task)
    const [first] = await tasks.claim('a', CLAIM)
    jump(HOUR)
    const [second] = await tasks.claim('b', CLAIM)
    expect(second).toMatchObject({ id: task.id, attempt: 2 })
    for (let n = 0; n < 5; n += 1) expect(await backend.limits.take('b', rate)).toBe(0)
    jump(-HOUR)
    expect(await backend.limits.take('b', rate)).toBeLessThanOrEqual(5_000)
    expect(await tasks.finish(first as never, DONE)).toBe('lost')
    expect(await tasks.finish(second as never, DONE)).toBe('finished')
    expect(await tasks.finish(second as never, DONE)).toBe('already')
  })

  /** Two nodes of one server, which know the clock of the engine that wrong. */
  function wrongBy(oneMs: number, otherMs: number) {
    const namespace = freshNamespace()
    const [one, other] = [oneMs, otherMs].map((aheadMs) => {
      const backend = new NatsBackend(server().url, { namespace, ...PATIENT }, { clock: new WrongClock(aheadMs) })
      open.push(backend)
      return backend.tasks
    })
    return { one, other } as { one: NatsBackend['tasks']; other: NatsBackend['tasks'] }
  }

  const LEASE_MS = 1_500

  it.each([
    ['is ahead', 0, 1_000],
    ['is behind', -1_000, 0],
    ['is ahead, and that of another behind', -500, 500],
  ])(
    'D032, D053 (nats): nobody takes a task before its lease is over where the clock of a node %s',
    async (_name, one, other) => {
      const nodes = wrongBy(one, other)
      for (const grant of ['created', 'claimed', 'renewed']) {
        const task = newTask({ maxAttempts: 2 })
        let leasedAt = performance.now()
        const lease = { worker: 'a', leaseMs: LEASE_MS }
        const created = await nodes.one.create(task, grant === 'created' ? { claimFor: lease } : {})
        if (grant !== 'created') {
          leasedAt = performance.now()
          const leaseMs = grant === 'claimed' ? LEASE_MS : 60_000
          const [claim] = await nodes.one.claim('a', { ...CLAIM, leaseMs })
          if (grant === 'renewed') {
            leasedAt = performance.now()
            expect(await nodes.one.renew((claim ?? created) as never, LEASE_MS)).toBe('held')
          }
        }
        let next: readonly Claim[] = []
        while (next.length === 0) next = await nodes.other.claim('b', CLAIM)
        expect(performance.now() - leasedAt, grant).toBeGreaterThanOrEqual(LEASE_MS)
        expect(await nodes.other.finish(next[0] as Claim, DONE)).toBe('finished')
      }
    },
  )

  it('D034 (nats): a node whose clock is ahead does not end a task whose only run still has its lease', async () => {
    const { one, other } = wrongBy(0, 1_000)
    const task = newTask({ maxAttempts: 1 })
    const leasedAt = performance.now()
    await one.create(task, { claimFor: { worker: 'a', leaseMs: LEASE_MS } })
    while ((await other.get(task.id))?.status === 'working');
    expect(performance.now() - leasedAt).toBeGreaterThanOrEqual(LEASE_MS)
    expect(await other.get(task.id)).toMatchObject({ status: 'failed', statusMessage: 'The worker was lost.' })
  })

  it('D032 (nats): a task that may run at once is found by a node whose clock is behind', async () => {
    const { one, other } = wrongBy(1_000, -1_000)
    const task = newTask()
    await one.create(task)
    expect(await other.claim('b', CLAIM)).toMatchObject([{ id: task.id }])
  })

  it('D034, D040 (nats): a task whose worker is lost each time runs as often as it may, then fails; others go on', async () => {
    const { tasks, jump } = fresh()
    const task = newTask({ maxAttempts: 2, ttlMs: 86_400_000 })
    const other = newTask({ ttlMs: 86_400_000 })
    await tasks.create(task)
    const [first] = await tasks.claim('a', CLAIM)
    await tasks.create(other)
    jump(100_000)
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: task.id, attempt: 2 }])
    jump(200_000)
    expect(await tasks.claim('c', CLAIM)).toMatchObject([{ id: other.id }])
    expect(await tasks.get(task.id)).toMatchObject({ status: 'failed', statusMessage: 'The worker was lost.' })
    expect(await tasks.finish(first as never, DONE)).toBe('already')
  })

  it('D036 (nats): of a cancel and a finish at the same time one wins, and both see the same outcome', async () => {
    const { tasks, make } = fresh()
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

  it('D037 (nats): a run that ignores its cancel is cancelled after graceMs, and its later result is refused', async () => {
    const { tasks, jump } = fresh()
    const task = newTask()
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    expect(await tasks.cancel(task.id, 5_000)).toBe('cancelling')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'working', isCancelling: true })
    jump(6_000)
    expect(await tasks.finish(claim as never, DONE)).toBe('already')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'cancelled' })
  })

  it('D038 (nats): an answer and a cancel at the same time: taken or ended, and a run that begins anew sees it', async () => {
    const { tasks, make, jump } = fresh()
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
    jump(100_000)
    expect(await other.answer(task.id, { q: 'yes' })).toBe('taken')
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: task.id, attempt: 2, answers: { q: 'yes' } }])
  })

  it('D039 (nats): a task of another kind stays for nodes that know it, and fails when its time is over', async () => {
    const { tasks, jump } = fresh()
    const task = newTask({ kind: 'unknown', ttlMs: 60_000 })
    await tasks.create(task)
    expect(await tasks.claim('a', CLAIM)).toEqual([])
    expect(await tasks.get(task.id)).toMatchObject({ status: 'working' })
    jump(61_000)
    expect(await tasks.get(task.id)).toMatchObject({ status: 'failed', statusMessage: 'The task was not run in time.' })
  })

  it('D041 (nats): a run goes on after ttlMs, which grows, and its result is kept for keepMs', async () => {
    const { tasks, jump } = fresh()
    const task = newTask({ ttlMs: 10_000, keepMs: 5_000 })
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    jump(20_000)
    expect(await tasks.renew(claim as never, 60_000)).toBe('held')
    expect((await tasks.get(task.id))?.ttlMs).toBeGreaterThan(20_000)
    jump(120_000)
    expect(await tasks.finish(claim as never, DONE)).toBe('finished')
    jump(124_000)
    expect(await tasks.get(task.id)).toMatchObject({ status: 'completed' })
    jump(126_000)
    expect(await tasks.get(task.id)).toBeUndefined()
  })

  it('D042 (nats): another node finds a task as soon as create has resolved', async () => {
    const { tasks, make } = fresh()
    const other = make().tasks
    for (let round = 0; round < 20; round += 1) {
      const task = newTask()
      await tasks.create(task)
      expect(await other.get(task.id)).toMatchObject({ id: task.id, status: 'working' })
    }
  })

  it('a claim finds a task that was created just before, also while what is over is removed', async () => {
    const { tasks } = fresh()
    for (let round = 0; round < 200; round += 1) {
      const task = newTask({ keepMs: 1, ttlMs: 60_000 })
      await tasks.create(task)
      const [claim] = await tasks.claim('a', CLAIM)
      expect(claim).toMatchObject({ id: task.id })
      expect(await tasks.finish(claim as never, DONE)).toBe('finished')
    }
  })

  it('of many workers that claim at the same time each gets a task, while there is one for each', async () => {
    const { tasks, make } = fresh()
    const stores = [tasks, make().tasks, make().tasks]
    const rounds = Array.from({ length: 24 }, async (_, index) => {
      const store = stores[index % stores.length] as typeof tasks
      await store.create(newTask())
      return store.claim(`w${index}`, CLAIM)
    })
    const claims = (await Promise.all(rounds)).flat()
    expect(new Set(claims.map(({ id }) => id)).size).toBe(24)
  })

  it('large texts of a task are kept apart, come back byte for byte, and count up to max_payload each', async () => {
    const { tasks } = fresh()
    const large = (letter: string) => `ä${letter.repeat(600_000)}`
    const task = newTask({ input: large('i') })
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    expect(claim?.input === task.input).toBe(true)
    await tasks.keepStep(claim as never, 'read', large('s'))
    await tasks.ask(claim as never, { q: large('q') })
    expect((await tasks.get(task.id))?.questions['q'] === large('q')).toBe(true)
    await tasks.answer(task.id, { q: large('a') })
    const journal = await tasks.journal(claim as never)
    expect([journal?.steps['read'] === large('s'), journal?.answers['q'] === large('a')]).toEqual([true, true])
    expect(await tasks.finish(claim as never, { status: 'completed', text: large('o') })).toBe('finished')
    expect((await tasks.get(task.id))?.outcome === large('o')).toBe(true)
    const failure = await failureOf(tasks.create(newTask({ input: 'x'.repeat(1_045_000) })))
    expect(failure).toMatchObject({ kind: 'too-large', limit: { name: 'max_payload', max: 1_040_384 } })
  })

  it('what has expired is removed beside the writes, in small steps, with all that belongs to it', async () => {
    const { namespace, backend, tasks, jump } = fresh()
    for (let n = 0; n < 20; n += 1) await backend.records.put(`k${n}`, 'v', { ttlMs: 1_000 })
    for (let n = 1; n <= 5; n += 1) await backend.logs.append('l', { seq: n, data: 'e' }, { writer: 'w', ttlMs: 1_000 })
    await backend.limits.hold('p', 'h', { max: 1, ttlMs: 1_000 })
    await backend.limits.take('b', { perSecond: 1, burst: 1 })
    const task = newTask({ ttlMs: 1_000, keepMs: 1_000, input: 'x'.repeat(5_000) })
    const claim = await tasks.create(task, { claimFor: { worker: 'w', leaseMs: 1_000 } })
    await tasks.finish(claim as never, DONE)
    jump(86_400_000 * 2)
    const connection = await connect({ servers: server().url })
    open.push({ close: () => connection.close() })
    const count = async (stream: string) => {
      const info = await connection.request(`$JS.API.STREAM.INFO.${stream}`)
      return info.json<{ state: { messages: number } }>().state.messages
    }
    for (let n = 0; n < 300; n += 1) await backend.records.put('one', 'v', { ttlMs: 86_400_000 * 3 })
    const long = { writer: 'w', ttlMs: 86_400_000 * 3, maxEntries: 2, maxBytes: 1_000 }
    for (let n = 1; n <= 300; n += 1) await backend.logs.post('kept', 'e', { ...long, nth: n })
    await vi.waitFor(async () => {
      expect(await count(`mcpwire_${namespace}_v1`)).toBeLessThanOrEqual(3)
      // Entries that had to go are removed in steps.
      expect(await count(`mcpwire_${namespace}_v1_logs`)).toBeLessThanOrEqual(40)
    }, 10_000)
    expect((await backend.logs.read('kept', 298))?.entries).toHaveLength(2)
  })
})
