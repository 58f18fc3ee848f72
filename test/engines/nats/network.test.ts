// What the backend on NATS promises when the network fails.
import { connect } from '@nats-io/transport-node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Claim } from '../../../src/backend/task-store.ts'
import { Backoff } from '../../../src/nats/connection/open-connection.ts'
import { type NatsOptions, nats } from '../../../src/nats/nats.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { expectAllSettle, failureOf, newTask, untilDone } from '../failing-engine.ts'
import { startNats } from '../nats.ts'
import { freshNamespace, PATIENT, startNatsProxy, withTasks } from './clients.ts'

const TTL = 3_600_000
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const DONE = { status: 'completed', text: '{}' } as const

describe('mcpwire/nats', () => {
  it('D006 (nats): reconnects are spread between 0.1 and 5 s', () => {
    const backoff = new Backoff()
    const delays = Array.from({ length: 200 }, () => {
      const { delayMs } = backoff
      // Asked again before the attempt, it is the same.
      expect(backoff.delayMs).toBe(delayMs)
      backoff.attempted()
      return delayMs
    })
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...delays)).toBeLessThanOrEqual(5_000)
    expect(new Set(delays).size).toBeGreaterThan(150)
  })
})

describeEngine('NATS', 'mcpwire/nats behind a faulty network', () => {
  const server = useEngine(() => startNats())

  async function proxied(options: NatsOptions = {}) {
    const proxy = await startNatsProxy(server().url)
    open.push(proxy)
    const namespace = freshNamespace()
    const backend = withTasks(nats(proxy.tcpUrl, { namespace, ...PATIENT, ...options }))
    open.push(backend)
    await backend.open()
    // What is written to the streams. Everything else is read, or a hint.
    const write = new RegExp(`HPUB mcpwire\\.${namespace}\\.v1\\.[sl]\\.`)
    return { proxy, write, backend, tasks: backend.tasks }
  }

  it('D005 (nats): an answer that is late is an error after timeoutMs, is dropped when it comes, and a stream keeps its order', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 1_000 })
    const append = (seq: number) => backend.logs.append('l', { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL })
    expect(await untilDone(() => append(1))).toMatch(/kept|already/)
    proxy.hold()
    const failure = await failureOf(append(2))
    expect(failure).toMatchObject({ kind: 'timeout', operation: 'logs.append', outcome: 'unknown' })
    proxy.release()
    expect(await untilDone(() => append(2))).toMatch(/kept|already/)
    expect(await untilDone(() => append(3))).toMatch(/kept|already/)
    const page = await untilDone(() => backend.logs.read('l', 0))
    expect(page?.entries.map(({ data }) => data)).toEqual(['e1', 'e2', 'e3'])
  })

  it('D005 D008 (nats): an engine that answers nothing keeps nobody longer than a deadline, however many wait', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 500 })
    await expectAllSettle(proxy, backend, 500)
  })

  it("D005 D008 (nats): nor does it over a connection that is the user's, which nobody makes anew", async () => {
    const proxy = await startNatsProxy(server().url)
    const connection = await connect({ servers: proxy.tcpUrl })
    const backend = nats(connection, { namespace: freshNamespace(), timeoutMs: 500 })
    open.push(proxy, connection, backend)
    await backend.open()
    await expectAllSettle(proxy, backend, 500)
  })

  it('D006 (nats): an engine that was away serves again without a restart, and meanwhile operations fail at once', async () => {
    const { proxy, backend } = await proxied({ timeoutMs: 500 })
    await untilDone(() => backend.records.put('k', 'v', { ttlMs: TTL }))
    await proxy.stop()
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

  it('a short break is waited for: nobody sees it', async () => {
    const { proxy, backend } = await proxied()
    await backend.records.put('k', 'v', { ttlMs: TTL })
    proxy.cut()
    expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
    expect(await backend.health()).toMatchObject({ isReady: true })
  })

  it('D006 (nats): an engine each of whose answers takes a third of a deadline is opened, and found again after a break', async () => {
    const proxy = await startNatsProxy(server().url)
    open.push(proxy)
    const timeoutMs = 1_000
    const backend = nats(proxy.tcpUrl, { namespace: freshNamespace(), timeoutMs })
    open.push(backend)
    proxy.slowDown(timeoutMs / 3)
    await backend.open()
    proxy.cut()
    expect(await untilDone(() => backend.records.get('k'))).toBeUndefined()
  })

  for (const fault of ['cut-before', 'cut-after', 'halve'] as const) {
    it(`D006 (nats): a break while the streams are made and the clock is read ends no wait at its deadline ("${fault}")`, async () => {
      const proxy = await startNatsProxy(server().url)
      open.push(proxy)
      for (const step of ['STREAM.INFO', 'STREAM.CREATE', '.s.o.clock', 'MSG.GET']) {
        const backend = nats(proxy.tcpUrl, { namespace: freshNamespace(), ...PATIENT })
        open.push(backend)
        const atOpen = proxy.plan(fault, new RegExp(step.replaceAll('.', '\\.')))
        await backend.open()
        await atOpen
        await backend.records.put('k', 'v', { ttlMs: TTL })
        if (step === 'STREAM.CREATE') continue
        const atReconnect = proxy.plan(fault, new RegExp(step.replaceAll('.', '\\.')))
        proxy.cut()
        await atReconnect
        expect(await backend.records.get('k')).toMatchObject({ value: 'v' })
        await backend.close()
      }
    })

    it(`D007, D035 (nats): no record, event, answer or task is doubled where the network does "${fault}"`, async () => {
      const { proxy, write, backend, tasks } = await proxied()
      const struck = async <T>(work: () => T | Promise<T>): Promise<T> => {
        const planned = proxy.plan(fault, write)
        const result = await work()
        await planned
        return result
      }
      // The backend repeats what it has sent, and knows what it has done.
      const as = 'abcdefghijklmnop'
      expect(await struck(() => backend.records.put('k', 'v', { ttlMs: TTL, if: 'absent', as }))).toBe(as)
      expect(await backend.records.get('k')).toMatchObject({ value: 'v', revision: as })
      expect(await struck(() => backend.records.put('k', 'w', { ttlMs: TTL, if: { revision: as } }))).toBeDefined()
      const entry = { seq: 1, data: 'e' }
      expect(await struck(() => backend.logs.append('l', entry, { writer: 'w', ttlMs: TTL }))).toBe('kept')
      const post = { writer: 'w', nth: 1, ttlMs: TTL, maxEntries: 9, maxBytes: 1e6 }
      expect(await struck(() => backend.logs.post('p', 'e', post))).toBe(1)
      expect((await backend.logs.read('p', 0))?.lastSeq).toBe(1)
      expect(await struck(() => backend.limits.hold('h', 'one', { max: 1, ttlMs: TTL }))).toBe(true)
      expect(await struck(() => backend.limits.take('b', { perSecond: 0.001, burst: 2 }))).toBe(0)
      expect(await backend.limits.take('b', { perSecond: 0.001, burst: 2 })).toBe(0)
      const task = newTask()
      const claimed = await struck(() => tasks.create(task, { claimFor: { worker: 'w', leaseMs: 60_000 } }))
      expect(claimed).toMatchObject({ id: task.id, attempt: 1 })
      expect(await tasks.countOpen()).toBe(1)
      const claim = claimed as NonNullable<typeof claimed>
      expect(await struck(() => tasks.ask(claim, { q: '?' }))).toBe(true)
      expect(await struck(() => tasks.answer(task.id, { q: 'first' }))).toBe('taken')
      expect(await tasks.answer(task.id, { q: 'second' })).toBe('taken')
      expect((await tasks.journal(claim))?.answers).toEqual({ q: 'first' })
      expect(await struck(() => tasks.finish(claim, DONE))).toBe('finished')
      expect(await tasks.finish(claim, DONE)).toBe('already')
      expect(await tasks.get(task.id)).toMatchObject({ status: 'completed', outcome: '{}' })
      const waiting = newTask()
      await struck(() => tasks.create(waiting))
      const claims = await struck(() => tasks.claim('w', { kinds: ['report'], max: 5, leaseMs: 60_000 }))
      expect(claims).toMatchObject([{ id: waiting.id, attempt: 1 }])
    })
  }

  it('a task keeps its turn among owners where the network cuts its creation, and where it cuts its release', async () => {
    const { proxy, tasks } = await proxied()
    const struck = async <T>(work: () => Promise<T>): Promise<T> => {
      const planned = proxy.plan('cut-before', /HPUB \S+\.v1\.s\.t\./)
      const result = await work()
      await planned
      return result
    }
    const claim = (max: number) => tasks.claim('w', { kinds: ['report'], max, leaseMs: 60_000 })
    for (let count = 0; count < 3; count += 1) await tasks.create(newTask({ owner: 'ada' }))
    const ofBob = [newTask({ owner: 'bob' }), newTask({ owner: 'bob' })]
    for (const task of ofBob) await struck(() => tasks.create(task))
    const claims = await claim(4)
    expect(claims.map(({ id }) => id)).toEqual(expect.arrayContaining(ofBob.map(({ id }) => id)))
    for (const { id } of ofBob) await struck(() => tasks.release(claims.find((one) => one.id === id) as Claim))
    // Looks at what was claimed, so that the tasks of eve begin at the turn of now.
    await tasks.countOpen()
    for (let count = 0; count < 3; count += 1) await tasks.create(newTask({ owner: 'eve' }))
    const again = (await claim(5)).map(({ id }) => id)
    expect(again).toEqual(expect.arrayContaining(ofBob.map(({ id }) => id)))
  })

  it('D008 (nats): a request that the library never settles is rejected by our deadline, and its connection is left', async () => {
    const { proxy, write, backend } = await proxied({ timeoutMs: 1_000 })
    const planned = proxy.plan('swallow', write)
    const failure = await failureOf(backend.records.put('k', 'v', { ttlMs: TTL }))
    await planned
    expect(failure).toMatchObject({ kind: 'timeout', operation: 'records.put', outcome: 'unknown' })
    expect(await untilDone(() => backend.records.get('k'))).toMatchObject({ value: 'v' })
  })

  it('D027, D029 (nats): missed is said once per break, to topics, followers and watchers, and messages arrive again', async () => {
    const { proxy, backend, tasks } = await proxied()
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
    await backend.topics.subscribe('t', listener).ready
    backend.logs.follow('l', () => heard.push('look'))
    tasks.watch({ changed: () => {}, work: () => {}, missed: () => void heard.push('tasks missed') })
    await backend.topics.publish('t', 'a')
    await vi.waitFor(() => expect(heard).toEqual(['a']))
    proxy.cut()
    await vi.waitFor(() => expect(heard).toEqual(['a', 'missed', 'look', 'tasks missed']), { timeout: 20_000 })
    await untilDone(() => backend.topics.publish('t', 'b'))
    await vi.waitFor(() => expect(heard.at(-1)).toBe('b'), { timeout: 20_000 })
  })
})
