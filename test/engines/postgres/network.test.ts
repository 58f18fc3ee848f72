// What the backend on Postgres promises when the network fails.
import { afterEach, expect, it, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { type PostgresOptions, postgres } from '../../../src/postgres/postgres.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { expectAllSettle, expectBreaksHeard, failureOf, newTask, untilDone } from '../failing-engine.ts'
import { FaultyProxy } from '../faulty-proxy.ts'
import * as clients from './clients.ts'

const TTL = 3_600_000
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const DONE = { status: 'completed', text: '{}' } as const

const makers = {
  pg: (url: string, options: PostgresOptions) => postgres(url, options),
  postgres: (url: string, options: PostgresOptions) => clients.withoutPg(url, options),
}

for (const [library, make] of Object.entries(makers)) {
  describeEngine('Postgres', `mcpwire/postgres behind a faulty network, with ${library}`, () => {
    const database = useEngine(clients.freshDatabase)

    async function proxied(options: PostgresOptions = {}) {
      const proxy = await new FaultyProxy({ path: clients.socketOf(database().host) }, clients.SOCKET).start()
      open.push(proxy)
      const url = `postgres://postgres@localhost/${database().database}?host=${encodeURIComponent(proxy.folder)}`
      const namespace = clients.freshNamespace()
      // Every operation has the namespace as a parameter; hints to other nodes are none.
      const operation = new RegExp(`^(?![\\s\\S]*\\[\\["(?:l:|changed|work))[\\s\\S]*${namespace}`)
      const backend = make(url, { namespace, ...clients.PATIENT, ...options })
      open.push(backend)
      await backend.open()
      return { proxy, operation, backend, tasks: backend.tasks as NonNullable<Backend['tasks']> }
    }

    it('D005 (postgres): an answer that is late is an error after timeoutMs, is dropped when it comes, and a stream keeps its order', async () => {
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

    it('D005 D008 (postgres): an engine that answers nothing keeps nobody longer than a deadline, however many wait', async () => {
      const { proxy, backend } = await proxied({ timeoutMs: 500 })
      await expectAllSettle(proxy, backend, 500)
    })

    it('D006 (postgres): an engine that was away serves again without a restart, and meanwhile operations fail at once', async () => {
      const { proxy, backend } = await proxied()
      await backend.records.put('k', 'v', { ttlMs: TTL })
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

    for (const fault of ['cut-before', 'cut-after', 'halve'] as const) {
      it(`D006 (postgres): a break while the backend opens ends no wait at its deadline ("${fault}")`, async () => {
        await expectBreaksHeard(fault, async () => {
          const proxy = await new FaultyProxy({ path: clients.socketOf(database().host) }, clients.SOCKET).start()
          open.push(proxy)
          const url = `postgres://postgres@localhost/${database().database}?host=${encodeURIComponent(proxy.folder)}`
          const backend = make(url, { namespace: clients.freshNamespace(), ...clients.PATIENT })
          open.push(backend)
          return { proxy, backend }
        })
      })
    }

    it('D006 (postgres): a connection that dies without a sign does not keep messages from those who listen', async () => {
      const { proxy, backend } = await proxied({ timeoutMs: 60_000 })
      const heard: string[] = []
      const subscription = backend.topics.subscribe('t', {
        message: (text) => void heard.push(text),
        missed: () => void heard.push('missed'),
      })
      await subscription.ready
      // The reply to a look never comes, nor does anything else on that connection.
      await proxy.plan('swallow', /\["t:t"\]/)
      await untilDone(() => backend.topics.publish('t', 'a'))
      await vi.waitFor(() => expect(heard).toContain('a'), { timeout: 20_000 })
      subscription.close()
    })

    for (const fault of ['cut-before', 'cut-after', 'halve'] as const) {
      it(`D007 (postgres): no record, event, answer or task is doubled where the network does "${fault}"`, async () => {
        const { proxy, operation, backend, tasks } = await proxied()
        const struck = async <T>(work: () => T | Promise<T>): Promise<T> => {
          const planned = proxy.plan(fault, operation)
          const result = await untilDone(work)
          await planned
          return result
        }
        const as = 'abcdefghijklmnop'
        expect(await struck(() => backend.records.put('k', 'v', { ttlMs: TTL, if: 'absent', as }))).toBe(as)
        const entry = { seq: 1, data: 'e' }
        const kept = await struck(() => backend.logs.append('l', entry, { writer: 'w', ttlMs: TTL }))
        expect(kept).toBe(fault === 'cut-before' ? 'kept' : 'already')
        const post = { writer: 'w', nth: 1, ttlMs: TTL, maxEntries: 9, maxBytes: 1e6 }
        expect(await struck(() => backend.logs.post('p', 'e', post))).toBe(1)
        expect((await backend.logs.read('p', 0))?.lastSeq).toBe(1)
        const task = newTask()
        const claimed = await struck(() => tasks.create(task, { claimFor: { worker: 'w', leaseMs: 60_000 } }))
        expect(claimed).toMatchObject({ id: task.id, attempt: 1 })
        expect(await tasks.countOpen()).toBe(1)
        const claim = claimed as NonNullable<typeof claimed>
        expect(await struck(() => tasks.ask(claim, { q: '?' }))).toBe(true)
        expect(await struck(() => tasks.answer(task.id, { q: 'first' }))).toBe('taken')
        expect(await tasks.answer(task.id, { q: 'second' })).toBe('taken')
        expect((await tasks.journal(claim))?.answers).toEqual({ q: 'first' })
        // D035: repeated until it is known.
        const ended = await struck(() => tasks.finish(claim, DONE))
        expect(ended).toBe(fault === 'cut-before' ? 'finished' : 'already')
        expect(await tasks.get(task.id)).toMatchObject({ status: 'completed', outcome: '{}' })
      })
    }

    it('D008 (postgres): a command that the library never settles is rejected by our deadline, and its connection is left', async () => {
      const { proxy, operation, backend } = await proxied({ timeoutMs: 1_000 })
      const planned = proxy.plan('swallow', operation)
      const failure = await failureOf(backend.records.put('k', 'v', { ttlMs: TTL }))
      await planned
      expect(failure).toMatchObject({ kind: 'timeout', operation: 'records.put', outcome: 'unknown' })
      expect(await untilDone(() => backend.records.get('k'))).toMatchObject({ value: 'v' })
    })

    it('missed is said once per break of the listening connection, and messages arrive again', async () => {
      const { proxy, backend } = await proxied()
      const heard: string[] = []
      const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
      await backend.topics.subscribe('t', listener).ready
      await backend.topics.publish('t', 'a')
      await vi.waitFor(() => expect(heard).toEqual(['a']))
      proxy.cut()
      await vi.waitFor(() => expect(heard).toContain('missed'), { timeout: 20_000 })
      await untilDone(() => backend.topics.publish('t', 'b'))
      await vi.waitFor(() => expect(heard).toContain('b'), { timeout: 20_000 })
      expect(heard.filter((text) => text === 'missed')).toHaveLength(1)
    })
  })
}
