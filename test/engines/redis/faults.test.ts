// What the backend on Redis promises when the engine or the network fails.
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { reconnectDelay } from '../../../src/redis/connection/client.ts'
import { type RedisBackendOptions, redis } from '../../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { expectAllSettle, expectBreaksHeard, failureOf, newTask, untilDone } from '../failing-engine.ts'
import { FaultyProxy } from '../faulty-proxy.ts'
import { ask, startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TTL = 3_600_000
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

function backendAt(url: string, options: RedisBackendOptions = {}): Backend {
  const backend = redis(url, { namespace: freshNamespace(), ...PATIENT, ...options })
  open.push(backend)
  return backend
}

describeEngine('Redis', 'mcpwire/redis behind a faulty network', () => {
  const server = useEngine(() => startRedis())

  async function proxied(options: RedisBackendOptions = {}) {
    const proxy = await new FaultyProxy({ path: server().socket }).start()
    open.push(proxy)
    const backend = backendAt(proxy.url, options)
    await backend.open()
    return { proxy, backend, tasks: backend.tasks as NonNullable<Backend['tasks']> }
  }

  it('D005 (redis): an answer that is late is an error after timeoutMs, is dropped when it comes, and a stream keeps its order', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 300 })
    const append = (seq: number) => backend.logs.append('l', { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL })
    expect(await append(1)).toBe('kept')
    proxy.hold()
    const failures = await Promise.all([failureOf(append(2)), failureOf(append(3))])
    for (const failure of failures)
      expect(failure).toMatchObject({ kind: 'timeout', operation: 'logs.append', outcome: 'unknown' })
    proxy.release()
    expect(await untilDone(() => append(2))).toBe('already')
    expect(await untilDone(() => append(3))).toBe('already')
    expect(await untilDone(() => append(4))).toBe('kept')
    const page = await untilDone(() => backend.logs.read('l', 0))
    expect(page?.entries.map(({ data }) => data)).toEqual(['e1', 'e2', 'e3', 'e4'])
  })

  it('D005 D008 (redis): an engine that answers nothing keeps nobody longer than a deadline, however many wait', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 500 })
    await expectAllSettle(proxy, backend, 500)
  })

  it('D006 (redis): an engine that was away serves again without a restart, and meanwhile operations fail at once', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 200 })
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await proxy.stop()
    // Those that were on their way have an unknown outcome; later ones are not sent.
    const failure = await vi.waitFor(async () => {
      const found = await failureOf(backend.records.get('k'))
      expect(found).toMatchObject({ kind: 'unavailable', outcome: 'not-done' })
      return found
    })
    expect(failure.message).toContain('out of reach')
    expect(await backend.health()).toMatchObject({ isReady: false })
    await proxy.start()
    expect(await untilDone(() => backend.records.get('k'))).toMatchObject({ value: 'v' })
  })

  for (const fault of ['cut-before', 'cut-after', 'halve'] as const) {
    it(`D006 (redis): a break while the backend opens ends no wait at its deadline ("${fault}")`, async () => {
      await expectBreaksHeard(fault, async () => {
        const proxy = await new FaultyProxy({ path: server().socket }).start()
        open.push(proxy)
        return { proxy, backend: backendAt(proxy.url) }
      })
    })
  }

  it('D006 (redis): reconnects are spread between 0.1 and 5 s', () => {
    for (let attempt = 1; attempt < 40; attempt += 1) {
      const delays = new Set(Array.from({ length: 50 }, () => reconnectDelay(attempt)))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(100)
      expect(Math.max(...delays)).toBeLessThanOrEqual(5_000)
      expect(delays.size).toBeGreaterThan(40)
    }
  })

  it('a short break is waited for: nobody sees it', async () => {
    const { proxy, backend } = await proxied()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    proxy.cut()
    expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
    expect(proxy.connections).toBeGreaterThan(1)
  })

  describe.each(['cut-before', 'cut-after', 'halve'] as const)('D007 (redis): %s', (fault) => {
    it('no record is doubled or lost', async () => {
      const { proxy, backend } = await proxied()
      const { records } = backend
      let struck = proxy.plan(fault, /evalsha/i)
      const first = await untilDone(() => records.put('k', 'mine', { ttlMs: TTL, if: 'absent' }))
      await struck
      expect(await records.get('k')).toEqual({ value: 'mine', revision: first })
      struck = proxy.plan(fault, /evalsha/i)
      const second = await untilDone(() => records.put('k', 'next', { ttlMs: TTL, if: { revision: first as string } }))
      await struck
      expect(await records.get('k')).toEqual({ value: 'next', revision: second })
      struck = proxy.plan(fault, /\r\ndel\r\n/i)
      await untilDone(() => records.delete('k'))
      await struck
      expect(await records.get('k')).toBeUndefined()
    })

    it('no event is doubled or lost, numbered by its writer or by the engine', async () => {
      const { proxy, backend } = await proxied()
      const limits = { ttlMs: TTL, maxEntries: 100, maxBytes: 10_000 }
      for (const seq of [1, 2, 3]) {
        const struck = proxy.plan(fault, /evalsha/i)
        const kept = await untilDone(() =>
          backend.logs.append('a', { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL }),
        )
        expect(['kept', 'already']).toContain(kept)
        await struck
        const again = proxy.plan(fault, /evalsha/i)
        expect(await untilDone(() => backend.logs.post('p', `m${seq}`, { writer: 'w', nth: seq, ...limits }))).toBe(seq)
        await again
      }
      expect((await backend.logs.read('a', 0))?.entries.map(({ data }) => data)).toEqual(['e1', 'e2', 'e3'])
      expect((await backend.logs.read('p', 0))?.entries.map(({ data }) => data)).toEqual(['m1', 'm2', 'm3'])
    })

    it('no task is doubled, and it ends exactly once', async () => {
      const { proxy, backend, tasks } = await proxied()
      const during = async <T>(work: () => Promise<T>): Promise<T> => {
        const struck = proxy.plan(fault, /evalsha/i)
        const result = await untilDone(work)
        await struck
        return result
      }
      const task = newTask()
      const claimFor = { worker: 'w', leaseMs: TTL }
      const claim = (await during(() => tasks.create(task, { claimFor }))) as Claim
      expect(claim).toMatchObject({ id: task.id, attempt: 1 })
      expect(await tasks.countOpen()).toBe(1)
      expect(await during(() => tasks.keepStep(claim, 'read', '1'))).toBe(true)
      expect(await during(() => tasks.ask(claim, { q: '?' }))).toBe(true)
      expect(await during(() => tasks.answer(task.id, { q: '!' }))).toBe('taken')
      expect(await during(() => tasks.renew(claim, TTL, 'half way'))).toBe('held')
      expect(await tasks.journal(claim)).toMatchObject({ steps: { read: '1' }, answers: { q: '!' } })
      expect(['finished', 'already']).toContain(
        await during(() => tasks.finish(claim, { status: 'completed', text: 'r' })),
      )
      expect(await tasks.finish(claim, { status: 'failed', text: 'late' })).toBe('already')
      expect(await tasks.get(task.id)).toMatchObject({ status: 'completed', outcome: 'r' })
      expect(await tasks.countOpen()).toBe(0)
      expect(await backend.tasks?.claim('w', { kinds: ['report'], max: 5, leaseMs: TTL })).toEqual([])
    })

    it('a place is taken once', async () => {
      const { proxy, backend } = await proxied()
      const struck = proxy.plan(fault, /evalsha/i)
      expect(await untilDone(() => backend.limits.hold('k', 'a', { max: 2, ttlMs: TTL }))).toBe(true)
      await struck
      expect(await backend.limits.hold('k', 'b', { max: 2, ttlMs: TTL })).toBe(true)
      expect(await backend.limits.hold('k', 'c', { max: 2, ttlMs: TTL })).toBe(false)
    })
  })

  it('D008 (redis): a command that the client never settles is rejected by our deadline', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 200 })
    const struck = proxy.plan('swallow', /\r\nget\r\n/i)
    expect(await failureOf(backend.records.get('k'))).toMatchObject({ kind: 'timeout', outcome: 'unknown' })
    await struck
    const never = { status: 'ready', isCluster: false, options: {}, call: () => new Promise(() => {}) }
    const others = { on: () => {}, off: () => {}, disconnect: () => {}, duplicate: () => {}, connect: async () => {} }
    const stuck = redis({ ...never, ...others }, { timeoutMs: 50 })
    expect(await failureOf(stuck.open())).toMatchObject({ kind: 'unavailable', operation: 'open' })
    expect(await failureOf(stuck.records.get('k'))).toMatchObject({ kind: 'unavailable', operation: 'records.get' })
  })

  it('a topic says once that it missed something, after its connection is mended', async () => {
    const { proxy, backend } = await proxied()
    const other = backendAt(server().url)
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
    await backend.topics.subscribe('t', listener).ready
    await backend.topics.publish('t', 'before')
    await vi.waitFor(() => expect(heard).toEqual(['before']))
    await proxy.stop()
    await proxy.start()
    await vi.waitFor(() => expect(heard).toEqual(['before', 'missed']))
    await untilDone(() => backend.topics.publish('t', 'after'))
    await vi.waitFor(() => expect(heard).toEqual(['before', 'missed', 'after']))
    await other.close()
  })

  it('followers and watchers look again after a break', async () => {
    const { proxy, backend, tasks } = await proxied()
    let looks = 0
    const missed: string[] = []
    backend.logs.follow('l', (entry) => {
      if (entry === undefined) looks += 1
    })
    const nothing = () => {}
    tasks.watch({ changed: nothing, work: nothing, missed: () => void missed.push('missed') })
    const ready = { message: nothing, missed: nothing }
    await backend.topics.subscribe('t', ready).ready
    await proxy.stop()
    await proxy.start()
    await vi.waitFor(() => expect([looks, missed.length]).toEqual([1, 1]))
  })
})

describeEngine('Redis', 'mcpwire/redis on an engine in trouble', () => {
  const server = useEngine(() => startRedis())
  const command = (text: string) => ask(() => connect(server().socket), text)

  it('D009 (redis): an engine that starts again empty has nothing, and works', async () => {
    const backend = backendAt(server().url)
    const tasks = backend.tasks as NonNullable<Backend['tasks']>
    const task = newTask()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await tasks.create(task)
    await server().process.stop('SIGKILL')
    await server().process.start()
    expect(await untilDone(() => backend.records.get('k'))).toBeUndefined()
    expect(await tasks.get(task.id)).toBeUndefined()
    expect(await tasks.countOpen()).toBe(0)
    await tasks.create(task)
    expect(await tasks.claim('w', { kinds: ['report'], max: 5, leaseMs: TTL })).toMatchObject([
      { id: task.id, attempt: 1 },
    ])
  })

  it('D014 (redis): an engine that is full refuses writes, serves reads, and is not ready', async () => {
    const backend = backendAt(server().url)
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await command('CONFIG SET maxmemory 1')
    try {
      const failure = await failureOf(backend.records.put('k', 'w', { ttlMs: TTL }))
      expect(failure).toMatchObject({ kind: 'refused', outcome: 'not-done' })
      expect(failure.message).toContain('no memory left')
      const append = backend.logs.append('l', { seq: 1, data: 'x' }, { writer: 'w', ttlMs: TTL })
      expect(await failureOf(append)).toMatchObject({ kind: 'refused' })
      expect(await failureOf(backend.tasks?.create(newTask()))).toMatchObject({ kind: 'refused' })
      expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
      expect(await backend.health()).toMatchObject({
        isReady: false,
        detail: expect.stringContaining('memory') as string,
      })
    } finally {
      await command('CONFIG SET maxmemory 0')
    }
    expect(await backend.health()).toMatchObject({ isReady: true })
  })

  it('D015 (redis): an engine that evicts keys is reported once, with the setting to change', async () => {
    await command('CONFIG SET maxmemory-policy allkeys-lru')
    const reports: string[] = []
    const backend = backendAt(server().url)
    const use = { report: (warning: string) => void reports.push(warning) }
    await backend.open(use)
    await backend.open(use)
    await command('CONFIG SET maxmemory-policy noeviction')
    expect(reports).toEqual([expect.stringMatching(/allkeys-lru.*noeviction/)])
  })

  it('D016 (redis): scripts that the engine has forgotten are loaded again, and nothing is doubled', async () => {
    const backend = backendAt(server().url)
    const post = (nth: number) => {
      return backend.logs.post('l', `m${nth}`, { writer: 'w', nth, ttlMs: TTL, maxEntries: 100, maxBytes: 10_000 })
    }
    expect(await post(1)).toBe(1)
    await command('SCRIPT FLUSH')
    expect(await Promise.all([post(2), post(3), post(4)])).toEqual([2, 3, 4])
    expect((await backend.logs.read('l', 0))?.entries).toHaveLength(4)
  })

  it('D016 (redis): an entry that went out while the one before it has to be sent again is kept, in its place', async () => {
    const namespace = freshNamespace()
    const proxy = await new FaultyProxy({ path: server().socket }).start()
    open.push(proxy)
    const backend = backendAt(proxy.url, { namespace })
    const other = backendAt(server().url, { namespace })
    const append = ({ logs }: Backend, log: string, seq: number, writer = 'w') =>
      logs.append(log, { seq, data: `e${seq}` }, { writer, ttlMs: TTL })
    const scriptCalls = async () => {
      const [, count = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(await command('INFO commandstats')) ?? []
      return Number(count)
    }
    expect(await append(backend, 'l', 1)).toBe('kept')
    await command('SCRIPT FLUSH')
    const before = await scriptCalls()
    proxy.hold()
    const second = append(backend, 'l', 2)
    await expect.poll(scriptCalls).toBe(before + 1)
    // Another process loads the script, so that the third entry is looked at while the second is not there.
    expect(await append(other, 'another', 1)).toBe('kept')
    const third = append(backend, 'l', 3)
    await expect.poll(scriptCalls).toBe(before + 3)
    const fourth = append(backend, 'l', 4)
    await expect.poll(scriptCalls).toBe(before + 4)
    proxy.release()
    expect(await Promise.all([second, third, fourth])).toEqual(['kept', 'kept', 'kept'])
    expect((await other.logs.read('l', 0))?.entries.map(({ data }) => data)).toEqual(['e1', 'e2', 'e3', 'e4'])
    // What is no consequence of that is a conflict as ever.
    expect(await append(other, 'l', 4, 'another')).toBe('conflict')
    expect(await Promise.all([append(backend, 'l', 6), append(backend, 'l', 7)])).toEqual(['conflict', 'conflict'])
  })

  it('D016 (redis): scripts that are forgotten again and again under load: nothing is doubled, lost, or out of order', async () => {
    const namespace = freshNamespace()
    const nodes = Array.from({ length: 3 }, () => backendAt(server().url, { namespace }))
    let isOver = false
    const flushing = (async () => {
      for (let flushes = 1; ; flushes += 1) {
        await command('SCRIPT FLUSH')
        if (isOver) return flushes
      }
    })()
    const count = 60
    const outcomes: unknown[] = []
    /** As a handler that sends without waiting: the next entry goes out before the one before it has been stored. */
    const appendAll = async ({ logs }: Backend, log: string) => {
      const appends: unknown[] = []
      for (let seq = 1; seq <= count; seq += 1) {
        appends.push(logs.append(log, { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL }))
        await nextTurn()
      }
      outcomes.push(...(await Promise.all(appends)))
    }
    const postAll = async ({ logs }: Backend, writer: string) => {
      const options = { writer, ttlMs: TTL, maxEntries: 1_000, maxBytes: 100_000 }
      for (let nth = 1; nth <= count; nth += 1) await logs.post('shared', `${writer} ${nth}`, { ...options, nth })
    }
    const runAll = async ({ tasks }: Backend, worker: string) => {
      const runs: string[] = []
      for (let nth = 1; nth <= count; nth += 1) {
        await tasks?.create(newTask())
        const claims = (await tasks?.claim(worker, { kinds: ['report'], max: 1, leaseMs: TTL })) ?? []
        for (const claim of claims) {
          runs.push(claim.id)
          expect(await tasks?.finish(claim, { status: 'completed', text: worker })).toBe('finished')
        }
      }
      return runs
    }
    const runs = await Promise.all(
      nodes.map(async (node, index) => {
        const logs = Array.from({ length: 6 }, (_, nth) => `log-${index}-${nth}`)
        const [ids] = await Promise.all([
          runAll(node, `worker ${index}`),
          postAll(node, `n${index}`),
          ...logs.map((log) => appendAll(node, log)),
        ])
        return ids
      }),
    )
    isOver = true
    expect(await flushing).toBeGreaterThan(5)
    expect(new Set(outcomes)).toEqual(new Set(['kept']))
    const [first] = nodes as [Backend]
    const expected = Array.from({ length: count }, (_, index) => `e${index + 1}`)
    for (let index = 0; index < nodes.length; index += 1) {
      for (let nth = 0; nth < 6; nth += 1) {
        const page = await first.logs.read(`log-${index}-${nth}`, 0)
        expect(page?.entries.map(({ data }) => data)).toEqual(expected)
      }
    }
    const posted = (await first.logs.read('shared', 0))?.entries.map(({ data }) => data) ?? []
    for (const index of nodes.keys()) {
      const own = posted.filter((data) => data.startsWith(`n${index} `))
      expect(own).toEqual(Array.from({ length: count }, (_, nth) => `n${index} ${nth + 1}`))
    }
    expect(new Set(runs.flat()).size).toBe(count * nodes.length)
    expect(runs.flat()).toHaveLength(count * nodes.length)
  })

  it('D018 (redis): a replica is refused at open', async () => {
    await command('REPLICAOF 127.0.0.1 1')
    const failure = await failureOf(backendAt(server().url).open())
    await command('REPLICAOF NO ONE')
    expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
    expect(failure.message).toContain('replica')
  })

  it('D032 (redis): clocks of nodes do not matter', async () => {
    const now = Date.now
    const backend = backendAt(server().url)
    const tasks = backend.tasks as NonNullable<Backend['tasks']>
    const hour = 3_600_000
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 600_000)
    try {
      await backend.records.put('k', 'v', { ttlMs: 300_000 })
      await backend.limits.hold('h', 'a', { max: 1, ttlMs: 300_000 })
      await backend.limits.take('b', { perSecond: 0.01, burst: 1 })
      await tasks.create(newTask({ maxAttempts: 2 }))
      await tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: 300_000 })
      clock.mockImplementation(() => now() - hour)
      expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
      expect(await backend.limits.hold('h', 'b', { max: 1, ttlMs: 300_000 })).toBe(false)
      const wait = await backend.limits.take('b', { perSecond: 0.01, burst: 1 })
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(100_000)
      expect(await tasks.claim('w2', { kinds: ['report'], max: 1, leaseMs: 1_000 })).toEqual([])
    } finally {
      clock.mockRestore()
    }
  })

  it('D033 (redis): a bucket from before the clock was set back is empty, not more', async () => {
    const namespace = freshNamespace()
    const backend = backendAt(server().url, { namespace })
    const inAnHour = (Date.now() + 3_600_000) * 1_000
    await command(`SET ${namespace}:v1:b:k ${inAnHour} PX 7200000`)
    const wait = await backend.limits.take('k', { perSecond: 1, burst: 5 })
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(1_000)
  })

  it('D045 (redis): a record that is garbage counts as absent, and can be put again', async () => {
    const namespace = freshNamespace()
    const backend = backendAt(server().url, { namespace })
    await command(`SET ${namespace}:v1:r:k garbage`)
    expect(await backend.records.get('k')).toBeUndefined()
    const revision = await backend.records.put('k', 'v', { ttlMs: TTL, if: 'absent' })
    expect(await backend.records.get('k')).toEqual({ value: 'v', revision })
    await command(`LPUSH ${namespace}:v1:r:list x`)
    expect(await failureOf(backend.records.get('list'))).toMatchObject({ kind: 'corrupt' })
  })

  it('D051 (redis): two servers in one namespace are reported; one server on many nodes is not', async () => {
    const namespace = freshNamespace()
    const reports: string[] = []
    const report = (warning: string) => void reports.push(warning)
    await backendAt(server().url, { namespace }).open({ namespace: 'calculator', report })
    await backendAt(server().url, { namespace }).open({ namespace: 'calculator', report })
    expect(reports).toEqual([])
    await backendAt(server().url, { namespace }).open({ namespace: 'weather', report })
    expect(reports).toEqual([expect.stringContaining(`namespace "${namespace}"`)])
  })

  it('keeps servers apart by their names, whatever these are', async () => {
    const names = ['a', 'b', 'Ä server / with {braces}', 'Ä server / with [braces]']
    const backends = await Promise.all(
      names.map(async (namespace) => {
        const backend = redis(server().url, PATIENT)
        open.push(backend)
        await backend.open({ namespace })
        await backend.records.put('k', namespace, { ttlMs: TTL })
        return backend
      }),
    )
    const values = await Promise.all(backends.map(async ({ records }) => (await records.get('k'))?.value))
    expect(values).toEqual(names)
  })

  it('a wrong password, a missing one and an engine that is not there are one clear error without the password', async () => {
    await command('CONFIG SET requirepass right-secret')
    const failures: BackendError[] = []
    try {
      failures.push(await failureOf(backendAt(`unix://:wrong-secret@localhost${server().socket}`).open()))
      failures.push(await failureOf(backendAt(server().url).open()))
      await backendAt(`unix://:right-secret@localhost${server().socket}`).open()
    } finally {
      await command('AUTH right-secret\r\nCONFIG SET requirepass ""')
    }
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
      expect(failure.message).toContain('password')
    }
    failures.push(await failureOf(backendAt('redis://:wrong-secret@127.0.0.1:1', { timeoutMs: 1_000 }).open()))
    expect(failures[2]).toMatchObject({ kind: 'unavailable', operation: 'open' })
    expect(failures[2]?.message).toContain('127.0.0.1:1')
    for (const { message, cause, stack } of failures)
      expect(`${message} ${String(cause)} ${stack}`).not.toContain('secret')
  })

  it('durability: replicated rejects a write that no replica has, with an unknown outcome', async () => {
    const backend = backendAt(server().url, { durability: 'replicated', timeoutMs: 300 })
    const failure = await failureOf(backend.records.put('k', 'v', { ttlMs: TTL }))
    // On a busy machine the deadline may come first.
    expect(failure.outcome).toBe('unknown')
    expect(failure.message).toMatch(failure.kind === 'timeout' ? /took longer/ : /reached no replica/)
    expect(await backend.limits.take('b', { perSecond: 1, burst: 1 })).toBe(0)
  })

  it('tasks in several queues: each is found, listed in order, counted and claimed once', async () => {
    const backend = backendAt(server().url, { queues: 4 })
    const tasks = backend.tasks as NonNullable<Backend['tasks']>
    const ids: string[] = []
    for (let count = 0; count < 40; count += 1) {
      const task = newTask()
      ids.push(task.id)
      await tasks.create(task)
    }
    expect(await tasks.countOpen('ada')).toBe(40)
    const listed: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await tasks.list('ada', { dialect: 'core', limit: 7, ...(after !== undefined && { after }) })
      listed.push(...page.map(({ id }) => id))
      after = page.at(-1)?.id
      if (after === undefined) break
    }
    expect(listed).toEqual(ids)
    const claims = (
      await Promise.all([1, 2, 3].map((w) => tasks.claim(`w${w}`, { kinds: ['report'], max: 20, leaseMs: TTL })))
    ).flat()
    expect(claims.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const claim of claims)
      expect(await tasks.finish(claim, { status: 'completed', text: claim.id })).toBe('finished')
    expect(await tasks.countOpen()).toBe(0)
    expect((await tasks.get(ids[7] as string))?.outcome).toBe(ids[7])
  })

  it('a client that is passed in stays open when the backend closes', async () => {
    const { Redis } = await import('ioredis')
    const client = new Redis(server().socket)
    const backend = redis(client, { namespace: freshNamespace() })
    await backend.topics.subscribe('t', { message: () => {}, missed: () => {} }).ready
    await backend.close()
    expect(await client.ping()).toBe('PONG')
    expect(client.listenerCount('ready')).toBe(0)
    await vi.waitFor(async () =>
      expect(
        String(await client.call('client', 'list'))
          .trim()
          .split('\n'),
      ).toHaveLength(1),
    )
    client.disconnect()
  })

  it('everything that is stored has a time to live', async () => {
    const namespace = freshNamespace()
    const backend = backendAt(server().url, { namespace })
    const tasks = backend.tasks as NonNullable<Backend['tasks']>
    await backend.open({ namespace: 'server' })
    await backend.records.put('k', 'v', { ttlMs: TTL })
    await backend.logs.append('a', { seq: 1, data: 'x' }, { writer: 'w', ttlMs: TTL })
    for (const nth of [1, 2, 3]) {
      await backend.logs.post('p', 'x', { writer: 'w', nth, ttlMs: TTL, maxEntries: 1, maxBytes: 100 })
    }
    await backend.limits.take('b', { perSecond: 1, burst: 10 })
    await backend.limits.hold('h', 'a', { max: 1, ttlMs: TTL })
    await tasks.create(newTask())
    await tasks.create(newTask())
    const [claim] = await tasks.claim('w', { kinds: ['report'], max: 1, leaseMs: TTL })
    await tasks.finish(claim as Claim, { status: 'completed', text: 'r' })
    await backend.health()
    const { Redis } = await import('ioredis')
    const client = new Redis(server().socket)
    const keys = await client.keys(`${namespace}:*`)
    const lasting = []
    for (const key of keys) if ((await client.pttl(key)) < 0) lasting.push(key)
    client.disconnect()
    expect(keys.length).toBeGreaterThan(8)
    expect(lasting).toEqual([])
  })
})
