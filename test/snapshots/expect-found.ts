// Everything that `fill` has written is found, and can be gone on with.
import { expect } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { RawClient, StreamReader, startCluster, textOf } from '../cluster/cluster.ts'
import { CLAIM, createSnapshotServer, type Facts, POST } from './fill.ts'

const DAY = 86_400_000

export async function expectFound(backend: Backend, facts: Facts): Promise<void> {
  await backend.open({ namespace: 'snapshot' })
  await expectRecords(backend, facts)
  await expectLogs(backend)
  await expectLimits(backend)
  await expectTasks(backend, facts)
  await expectSession(backend, facts)
}

async function expectRecords({ records }: Backend, { revision }: Facts): Promise<void> {
  expect(await records.get('plain')).toEqual({ value: 'a value: ä \u0000 "quoted"', revision })
  expect(await records.put('plain', 'next', { ttlMs: DAY, if: 'absent' })).toBeUndefined()
  expect(await records.put('plain', 'next', { ttlMs: DAY, if: { revision } })).toBeTypeOf('string')
}

async function expectLogs({ logs }: Backend): Promise<void> {
  const append = (log: string, seq: number) =>
    logs.append(log, { seq, data: `event ${seq}` }, { writer: 'w', ttlMs: DAY })
  expect(await append('open', 2)).toBe('already')
  expect(await append('open', 3)).toBe('kept')
  const events = [1, 2, 3].map((seq) => ({ seq, data: `event ${seq}` }))
  expect(await logs.read('open', 0)).toEqual({ entries: events, lastSeq: 3, isEnded: false })
  expect(await logs.read('ended', 0)).toMatchObject({ entries: [{ seq: 1, data: 'the only one' }], isEnded: true })
  expect(await append('ended', 2)).toBe('conflict')
  const post = (nth: number) => logs.post('posted', `message ${nth}`, { writer: 'w', nth, ...POST })
  expect(await post(5)).toBe(5)
  expect(await post(6)).toBe(6)
  const page = await logs.read('posted', 0, { fromOldest: true })
  expect(page?.entries).toEqual([4, 5, 6].map((seq) => ({ seq, data: `message ${seq}` })))
}

async function expectLimits({ limits }: Backend): Promise<void> {
  expect(await limits.take('bucket', { perSecond: 0.001, burst: 3 })).toBeGreaterThan(0)
  expect(await limits.hold('places', 'another', { max: 1, ttlMs: DAY })).toBe(false)
  expect(await limits.hold('places', 'holder', { max: 1, ttlMs: DAY })).toBe(true)
}

async function expectTasks({ tasks }: Backend, { leased }: Facts): Promise<void> {
  if (tasks === undefined) return
  expect(await tasks.get('completed')).toMatchObject({ status: 'completed', outcome: 'the outcome', attempt: 1 })
  expect(await tasks.get('cancelled')).toMatchObject({ status: 'cancelled' })
  expect(await tasks.get('parked')).toMatchObject({ status: 'input_required', questions: { question: '{}' } })
  expect(await tasks.get('leased')).toMatchObject({ status: 'working', statusMessage: 'half way' })
  expect(await tasks.countOpen('ada')).toBe(3)
  const listed = await tasks.list('ada', { dialect: 'extension', limit: 10 })
  expect(listed.map(({ id }) => id)).toEqual(['completed', 'cancelled', 'parked', 'leased', 'ready'])
  expect(await tasks.claim('other', CLAIM)).toMatchObject([{ id: 'ready', input: '{"ä":1}', attempt: 1 }])
  expect(await tasks.claim('other', CLAIM)).toEqual([])
  expect(await tasks.answer('parked', { question: '"yes"' })).toBe('taken')
  const [again] = await tasks.claim('other', CLAIM)
  expect(again).toMatchObject({ id: 'parked', steps: { read: '"step"' }, answers: { question: '"yes"' } })
  expect(await tasks.renew(leased, CLAIM.leaseMs)).toBe('held')
  expect(await tasks.finish(leased, { status: 'completed', text: 'later' })).toBe('finished')
}

async function expectSession(backend: Backend, { sessionId, lastEventId }: Facts): Promise<void> {
  const cluster = await startCluster(() => createSnapshotServer(backend), { size: 1 })
  const client = new RawClient(cluster)
  client.sessionId = sessionId
  expect(await textOf(await client.tool(0, 'count'))).toBe('2')
  const response = await client.get(0, lastEventId)
  expect(response.status).toBe(200)
  const stream = new StreamReader(response)
  expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  expect(stream.lastEventId).toBe(lastEventId.replace(/\d+$/, (seq) => String(Number(seq) + 1)))
  await stream.cancel()
}
