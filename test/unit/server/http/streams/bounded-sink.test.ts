// What waits for slow readers over all streams of a handler: bounded, and the longest queue is the one that is closed.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../../../src/dispatcher/fault.ts'
import { createHandler } from '../../../../../src/server/http/handler.ts'
import { SessionStreams, StandaloneStream } from '../../../../../src/server/http/legacy/session-streams.ts'
import { BoundedSink, StreamQueues } from '../../../../../src/server/http/streams/bounded-sink.ts'
import type { StreamSettings } from '../../../../../src/server/http/streams/event-stream.ts'
import { Heartbeat } from '../../../../../src/server/http/streams/heartbeat.ts'
import { Server } from '../../../../../src/server/server.ts'
import { FakeExchange, FakeSink } from '../../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../../support/modern-messages.ts'

const MAX = 1_000

function createSinks(count: number, maxTotalQueuedBytes = MAX) {
  const faults: Fault[] = []
  const settings = {
    queues: new StreamQueues({ maxTotalQueuedBytes }),
    heartbeat: new Heartbeat(Infinity),
    readerTimeoutMs: Infinity,
    report: (fault: Fault) => void faults.push(fault),
  }
  const fakes = Array.from({ length: count }, () => Object.assign(new FakeSink(), { isReading: false }))
  const sinks = fakes.map((fake) => new BoundedSink(fake, settings))
  const send = (index: number, length: number) => void sinks[index]?.send('x'.repeat(length))
  return { fakes, sinks, send, faults, queues: settings.queues }
}

describe('streams that are not read, together', () => {
  it('may hold exactly maxTotalQueuedBytes; the next event closes the stream with the longest queue', () => {
    const { fakes, send, faults } = createSinks(3)
    send(0, 300)
    send(1, 500)
    send(2, 200)
    send(0, 1)
    expect(fakes.map(({ isDestroyed }) => isDestroyed)).toEqual([false, false, false])
    send(2, 1)
    expect(fakes.map(({ isDestroyed }) => isDestroyed)).toEqual([false, true, false])
    expect(fakes[2]?.events).toHaveLength(2)
    expect(faults).toEqual([
      { kind: 'overflow', message: 'A client reads its event stream too slowly. The stream was closed.' },
    ])
  })

  it('are not closed when their readers have caught up meanwhile', () => {
    const { fakes, send } = createSinks(2)
    send(0, 900)
    fakes[0]?.drain()
    send(1, 900)
    send(1, 900)
    expect(fakes.map(({ isDestroyed }) => isDestroyed)).toEqual([false, false])
  })

  it('count after they have ended, until they were read', () => {
    const { fakes, sinks, send } = createSinks(2)
    send(0, 900)
    sinks[0]?.end()
    send(1, 200)
    send(1, 1)
    expect(fakes.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false])
  })

  it('are forgotten when they have ended and were read, however many there were', () => {
    const queues = new StreamQueues({})
    const count = vi.spyOn(queues, 'count')
    for (let n = 0; n < 10_000; n++) {
      const queue = { queuedBytes: 1, countedBytes: 0, cut: () => {} }
      queues.count(queue)
      queue.queuedBytes = 0
    }
    // Each sweep over all queues doubles the distance to the next one, and finds only those that are still read.
    expect(count.mock.calls.length).toBeLessThan(30_000)
  })

  it('never hold more than the limit and one event, and lose no stream below the limit', () => {
    const step = fc.record({
      index: fc.nat(4),
      length: fc.integer({ min: 1, max: 400 }),
      isRead: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { fakes, send } = createSinks(5)
        const total = () => fakes.reduce((sum, fake) => sum + (fake.isClosed ? 0 : fake.queuedBytes), 0)
        for (const { index, length, isRead } of steps) {
          const before = total()
          const closed = fakes.filter(({ isClosed }) => isClosed).length
          send(index, length)
          expect(total()).toBeLessThanOrEqual(MAX + length)
          if (before <= MAX) expect(fakes.filter(({ isClosed }) => isClosed)).toHaveLength(closed)
          const fake = fakes[index]
          if (isRead && fake !== undefined) {
            fake.drain()
            fake.isReading = false
          }
        }
      }),
    )
  })
})

describe('a handler', () => {
  it('bounds the queues of modern and legacy streams together', async () => {
    const faults: string[] = []
    let speak: () => unknown = () => {}
    const server = new Server('talkative', {
      onFault: ({ message }) => faults.push(message),
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'tools/call': (ctx) => {
          speak = () => ctx.dispatch.notify('notifications/message', { level: 'info', data: 'x'.repeat(300) })
          void speak()
          return new Promise(() => {})
        },
      },
    })
    const handler = createHandler(server, { maxTotalQueuedBytes: 1_200 })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const opening = new FakeExchange({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } })
    await handler(opening)
    const session = { 'mcp-session-id': opening.replyHeaders['mcp-session-id'] }
    const calls = [
      new FakeExchange({
        headers: modernHeaders({ params: { name: 'talk' } }),
        body: modernBody({ params: { name: 'talk' } }),
      }),
      new FakeExchange({
        headers: session,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'talk' } },
      }),
    ]
    const speakers: (() => unknown)[] = []
    for (const call of calls) {
      void handler(call)
      await call.answered
      speakers.push(speak)
      if (call.sink !== undefined) call.sink.isReading = false
    }
    const [modern, legacy] = calls
    for (let n = 0; n < 2; n++) void speakers[0]?.()
    for (let n = 0; n < 2; n++) void speakers[1]?.()
    expect([modern?.sink?.isDestroyed, legacy?.sink?.isDestroyed]).toEqual([false, false])
    void speakers[0]?.()
    await vi.waitFor(() => expect(faults).toHaveLength(1))
    expect([modern?.sink?.isDestroyed, legacy?.sink?.isDestroyed]).toContain(true)
    await handler.close({ drainMs: 0 })
  })

  it('bounds the messages that wait for clients without a stream, and drops the oldest ones of a session', () => {
    const faults: Fault[] = []
    const settings: StreamSettings = {
      store: undefined,
      storeTimeoutMs: 1,
      retryMs: 1,
      queues: new StreamQueues({ maxTotalQueuedBytes: MAX }),
      heartbeat: new Heartbeat(Infinity),
      readerTimeoutMs: Infinity,
      report: (fault) => void faults.push(fault),
    }
    const [first, second] = [0, 1].map(() => new StandaloneStream(new SessionStreams(settings)))
    const open = (stream: StandaloneStream | undefined) => {
      const exchange = new FakeExchange({ method: 'GET' })
      stream?.open(exchange, false)
      return exchange.sink?.events.map(({ data }) => data[0])
    }
    void first?.send('a'.repeat(600))
    void second?.send('b'.repeat(400))
    expect(faults).toEqual([])
    void second?.send('c'.repeat(400))
    expect(faults).toMatchObject([
      { kind: 'overflow', message: expect.stringContaining('oldest messages were dropped') },
    ])
    expect([open(first), open(second)]).toEqual([['a'], ['c']])
    expect(settings.queues.canHold).toBe(true)
  })
})
