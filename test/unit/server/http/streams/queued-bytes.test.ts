// How much may wait for a reader or a store: exactly at the limit more is taken, beyond it the stream is given up.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../../../src/dispatcher/fault.ts'
import { LegacySseEndpoint } from '../../../../../src/server/http/legacy/sse.ts'
import { StreamQueues } from '../../../../../src/server/http/streams/bounded-sink.ts'
import { MemoryEventStore } from '../../../../../src/server/http/streams/event-store.ts'
import { EventStream } from '../../../../../src/server/http/streams/event-stream.ts'
import { Heartbeat } from '../../../../../src/server/http/streams/heartbeat.ts'
import { StoreEvents } from '../../../../../src/server/http/streams/stream-events.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

const MAX = 1_000

function openStream(store?: MemoryEventStore | { append(): Promise<string> }) {
  const faults: Fault[] = []
  const settings = {
    store: store as MemoryEventStore | undefined,
    storeTimeoutMs: 600_000,
    report: (fault: Fault) => void faults.push(fault),
    queues: new StreamQueues({ maxQueuedBytes: MAX }),
    readerTimeoutMs: 600_000,
    retryMs: 1,
    heartbeat: new Heartbeat(600_000),
  }
  const events = settings.store && new StoreEvents(settings, settings.store, 'key')
  const stream = new EventStream(settings, 'id', events)
  const exchange = new FakeExchange({})
  stream.connect(exchange)
  return { stream, faults, sink: exchange.sink }
}

describe('a reader that falls behind', () => {
  it.each([
    [MAX, false],
    [MAX + 1, true],
  ])('with %i bytes waiting: its stream is cut is %s', (bytes, isCut) => {
    const { stream, sink } = openStream()
    if (sink === undefined) throw new Error('no stream')
    sink.queuedBytes = bytes
    void stream.send('more')
    expect([sink.isDestroyed, sink.events.length]).toEqual([isCut, isCut ? 0 : 1])
    stream.end()
  })

  it.each([
    [MAX, false],
    [MAX + 1, true],
  ])('of HTTP+SSE with %i bytes waiting: its session ends is %s', async (bytes, isCut) => {
    const server = new Server('sse', { handlers: { 'tools/list': () => ({ tools: [] }) } })
    const endpoint = new LegacySseEndpoint(coreOf(server), { messagesPath: '/messages', maxQueuedBytes: MAX })
    const stream = new FakeExchange({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } })
    void endpoint.get(stream)
    await stream.answered
    const query = stream.sink?.events[0]?.data.split('?')[1] ?? ''
    if (stream.sink !== undefined) stream.sink.queuedBytes = bytes
    void endpoint.post(new FakeExchange({ path: '/messages', query }), { jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(stream.sink?.isDestroyed).toBe(isCut)
    await endpoint.close()
  })
})

describe('a store that falls behind', () => {
  it.each([
    [MAX, 0],
    [MAX + 1, 1],
  ])('with %i characters waiting: %i events are dropped', (waiting, dropped) => {
    const { stream, faults } = openStream({ append: () => new Promise<never>(() => {}) })
    void stream.send('x'.repeat(waiting))
    void stream.send('more')
    expect(faults.filter(({ message }) => message.includes('too slow'))).toHaveLength(dropped)
  })
})

describe('the event store in memory', () => {
  const OVERHEAD = 64

  it('keeps exactly as many bytes of a stream as it may', () => {
    const store = new MemoryEventStore({ maxBytesPerStream: 2 * (OVERHEAD + 50) })
    const [first = ''] = ['', 'x'.repeat(50), 'y'.repeat(50)].map((data) => store.append('fits', data))
    expect(store.replayAfter('fits', first)).toHaveLength(2)
    const [other = '', second = ''] = ['', 'x'.repeat(50), 'y'.repeat(51)].map((data) => store.append('over', data))
    expect(store.replayAfter('over', other)).toBeUndefined()
    expect(store.replayAfter('over', second)).toHaveLength(1)
  })

  it('does not know an event that is still to come', () => {
    const store = new MemoryEventStore()
    const id = store.append('s', 'x')
    expect(store.replayAfter('s', id)).toEqual([])
    expect(store.replayAfter('s', id.replace(/-1$/, '-2'))).toBeUndefined()
    expect(store.replayAfter('s', id.replace(/-1$/, '-999'))).toBeUndefined()
  })
})
