// Streams resumed on another node than the one that writes them, also where that one is lost, or comes back.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BackendError } from '../../../../../src/backend/backend-error.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { engineDown } from '../../../../cluster/disturbed-backend.ts'
import type { FakeExchange } from '../../../../support/fake-exchange.ts'
import { answer, message, startNodes, type TestNode, type TestNodes } from './nodes.ts'

type Three = [TestNode, TestNode, TestNode]

let cluster: TestNodes
let nodes: Three

beforeEach(async () => {
  vi.useFakeTimers()
  cluster = await startNodes(3)
  nodes = cluster.nodes as unknown as Three
})

afterEach(async () => {
  for (const { backend } of nodes) backend.before = () => undefined
  await cluster[Symbol.asyncDispose]()
  vi.useRealTimers()
})

const settle = () => vi.advanceTimersByTimeAsync(0)
const idAt = (exchange: FakeExchange, index: number) => exchange.sink?.events[index]?.id
const data = ({ sink }: FakeExchange) =>
  sink?.messages.map((one) => (one as { params?: { data: number } }).params?.data ?? one)
const LOST = { id: 1, error: { code: -32603, message: 'The node that served this request was lost' } }

/** The process does nothing any more, as after kill -9 or SIGSTOP. Returns how it goes on. */
function stop({ backend }: TestNode): () => void {
  const { promise, resolve } = createDeferred()
  backend.before = () => promise
  return () => {
    backend.before = () => undefined
    resolve()
  }
}

/** What the node appends takes effect, and it does not hear of it. Nothing else of it arrives. */
function loseReplies({ backend }: TestNode): void {
  const { append } = backend.logs
  backend.logs.append = async (...args) => {
    await append(...args)
    throw new BackendError('No answer.', { kind: 'timeout', operation: 'logs.append', outcome: 'unknown' })
  }
  backend.before = (operation) => {
    if (operation !== 'logs.append') throw engineDown(operation)
  }
}

/** What a client sends back: the id of the last event that had one. */
function lastIdOf({ sink }: FakeExchange): string | undefined {
  return sink?.events.findLast(({ id }) => id !== undefined)?.id
}

describe('a stream resumed on another node', () => {
  test('has what was stored, then what its writer stores, and the connection to the writer ends', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    for (const n of [1, 2, 3]) await stream.send(message(n))
    const { outcome, exchange: back } = await b.resume(idAt(exchange, 1))
    expect(outcome).toBe('resumed')
    await settle()
    expect(data(back)).toEqual([2, 3])
    expect(exchange.sink?.isClosed).toBe(true)
    await stream.send(message(4))
    await stream.send(answer(), true)
    stream.end()
    await settle()
    expect(data(back)).toEqual([2, 3, 4, expect.objectContaining({ id: 1 })])
    expect(back.sink?.isClosed).toBe(true)
    expect(back.sink?.events.map(({ id }) => id?.split('.')[1])).toEqual(['2', '3', '4', '5'])
  })

  test('can be resumed from its beginning, before anything was stored', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    const { outcome, exchange: back } = await b.resume(idAt(exchange, 0))
    expect(outcome).toBe('resumed')
    await stream.send(answer(), true)
    await settle()
    expect(data(back)).toEqual([expect.objectContaining({ id: 1 })])
  })

  test('asks nobody where it has ended, also when its node is gone', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    await stream.send(answer(), true)
    stream.end()
    stop(a)
    const before = b.backend.trips.length
    const { exchange: back } = await b.resume(idAt(exchange, 1))
    await settle()
    expect(data(back)).toEqual([expect.objectContaining({ id: 1 })])
    expect(back.sink?.isClosed).toBe(true)
    const trips = b.backend.trips.slice(before).map(({ operation }) => operation)
    expect(new Set(trips)).toEqual(new Set(['records.get', 'logs.read']))
  })

  test('goes from node to node and back: only the last connection is open, and no event comes twice', async () => {
    const [a, b, c] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const onB = await b.resume(idAt(exchange, 1))
    await stream.send(message(2))
    await settle()
    const onC = await c.resume(idAt(onB.exchange, 0))
    await settle()
    expect(onB.exchange.sink?.isClosed).toBe(true)
    await stream.send(message(3))
    await settle()
    const onA = await a.resume(idAt(onC.exchange, 0))
    await settle()
    expect(onC.exchange.sink?.isClosed).toBe(true)
    await stream.send(answer(), true)
    await settle()
    expect([data(onB.exchange), data(onC.exchange)]).toEqual([[2], [3]])
    expect(data(onA.exchange)).toEqual([expect.objectContaining({ id: 1 })])
  })

  test('a second connection on the same node takes the place of the first', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const first = await b.resume(idAt(exchange, 1))
    const second = await b.resume(idAt(exchange, 1))
    expect(first.exchange.sink?.isClosed).toBe(true)
    await stream.send(message(2))
    await settle()
    expect([data(first.exchange), data(second.exchange)]).toEqual([[], [2]])
  })

  test('is read every second where no hint arrives', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const { exchange: back } = await b.resume(idAt(exchange, 1))
    a.backend.loses = () => true
    await stream.send(message(2))
    await stream.send(answer(), true)
    await settle()
    expect(data(back)).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(data(back)).toEqual([2, expect.objectContaining({ id: 1 })])
  })

  test.each([
    ['of another session', (id: string) => id.replace(/^.{34}/, 'x'.repeat(34))],
    ['with a number that was never given', (id: string) => id.replace(/\.\d+$/, '.99')],
    ['that is no id', () => 'l:../../etc'],
    [
      'of a node that never was, without ids',
      (id: string) => `${'-'.repeat(34)}${id.slice(34).replace(/\.\d+$/, '.0')}`,
    ],
  ])('D050 (memory): an event id %s is refused, and nothing is stored for it', async (_what, forge) => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const forged = b.resume(forge(idAt(exchange, 1) ?? ''))
    await vi.advanceTimersByTimeAsync(600)
    expect((await forged).outcome).toBe('unknown')
    expect((await forged).exchange.sink).toBeUndefined()
    expect(b.backend.trips.some(({ operation }) => operation === 'logs.append')).toBe(false)
  })

  test('a backend that fails is said before any stream is opened, and the client may try again', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    b.backend.before = (operation) => {
      throw engineDown(operation)
    }
    expect((await b.resume(idAt(exchange, 0))).outcome).toBe('unavailable')
    b.backend.before = () => undefined
    expect((await b.resume(idAt(exchange, 0))).outcome).toBe('resumed')
  })
})

describe('a node that is lost', () => {
  test('D019 (memory): the client gets what was stored, then an error for the open request within 20 s', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    await stream.send(message(2))
    stop(a)
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(500)
    const { outcome, exchange: back } = await resuming
    await settle()
    expect(outcome).toBe('resumed')
    expect(data(back)).toEqual([2])
    await vi.advanceTimersByTimeAsync(19_000)
    expect(data(back)).toMatchObject([2, LOST])
    expect(back.sink?.isClosed).toBe(true)
    // A third node has the same end.
    const third = await nodes[2].resume(idAt(exchange, 1))
    await settle()
    expect(data(third.exchange)).toMatchObject([2, LOST])
  })

  test('D021 (memory): an event whose append took effect unheard, on a node that is lost before it can drop the log, comes once', async () => {
    const [a, b, c] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    loseReplies(a)
    await stream.send(message(2))
    await settle()
    expect(data(exchange)).toEqual([1, 2])
    stop(a)
    // A client continues after the last id that it has: the log has the event that came after the one before it.
    const refused = b.resume(lastIdOf(exchange))
    await vi.advanceTimersByTimeAsync(500)
    expect((await refused).outcome).toBe('unknown')
    // One that did not get the event any more hears of it, and that the call is lost.
    const resuming = c.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(500)
    const { exchange: back } = await resuming
    await vi.advanceTimersByTimeAsync(20_000)
    expect(data(back)).toMatchObject([2, LOST])
  })

  test('D019 (memory): an engine that comes and goes all the time puts the error off by a few seconds, not for ever', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    stop(a)
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(500)
    const { exchange: back } = await resuming
    // So that each renewal of its record, 5 seconds after the last one, finds the engine away.
    for (let rounds = 0; rounds < 6; rounds += 1) {
      b.backend.before = (operation) => {
        throw engineDown(operation)
      }
      await vi.advanceTimersByTimeAsync(3_000)
      b.backend.before = () => undefined
      await vi.advanceTimersByTimeAsync(4_000)
    }
    expect(data(back)).toMatchObject([LOST])
  })

  test('D019 (memory): a node that is alive is not taken for lost where the engine comes and goes', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    // The messages between the nodes are lost, so that only its record says that the writer is alive.
    for (const node of [a, b]) node.backend.loses = () => true
    const setAway = ({ backend }: TestNode, isAway: boolean) => {
      backend.before = (operation) => {
        if (isAway) throw engineDown(operation)
      }
    }
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(500)
    const { outcome, exchange: back } = await resuming
    expect(outcome).toBe('resumed')
    for (let round = 0; round < 4; round += 1) {
      for (const node of [a, b]) setAway(node, true)
      await vi.advanceTimersByTimeAsync(16_000)
      // The writer reaches the engine later than the node that looks for it.
      setAway(b, false)
      await vi.advanceTimersByTimeAsync(2_500)
      setAway(a, false)
      await vi.advanceTimersByTimeAsync(1_500)
    }
    await stream.send(answer(), true)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(data(back)).toMatchObject([{ id: 1, result: {} }])
  })

  test('D019 (memory): a node that is lost before it stored anything: the client brings the id of its request', async () => {
    const [a, b] = nodes
    const { exchange } = a.open(['a "quoted" id'])
    stop(a)
    await vi.advanceTimersByTimeAsync(16_000)
    const resuming = b.resume(idAt(exchange, 0))
    await vi.advanceTimersByTimeAsync(600)
    const { exchange: back } = await resuming
    expect(data(back)).toMatchObject([{ ...LOST, id: 'a "quoted" id' }])
  })

  test('D019 (memory): of a batch only the requests without an answer get the error', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open([1, 'two', 3])
    await stream.send(message(1))
    await stream.send(answer('two'))
    stop(a)
    await vi.advanceTimersByTimeAsync(16_000)
    const resuming = b.resume(idAt(exchange, 2))
    await vi.advanceTimersByTimeAsync(600)
    expect(data((await resuming).exchange)).toMatchObject([LOST, { ...LOST, id: 3 }])
  })

  test('D019 (memory): the half of an event that was too large for one entry is never sent', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    let count = 0
    const { promise } = createDeferred()
    a.backend.before = (operation) => {
      if (operation === 'logs.append') count += 1
      return operation === 'logs.append' && count < 3 ? undefined : promise
    }
    void stream.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(900_000) } }), true)
    expect(count).toBeGreaterThan(2)
    await vi.advanceTimersByTimeAsync(16_000)
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(600)
    expect(data((await resuming).exchange)).toMatchObject([LOST])
  })

  test('D020 (memory): a node that comes back after 60 s gets a conflict: it stops, says so, and no client sees what it sends', async () => {
    const [a, b, c] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const goOn = stop(a)
    const sent = stream.send(message(2))
    await vi.advanceTimersByTimeAsync(16_000)
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(600)
    const { exchange: back } = await resuming
    expect(data(back)).toMatchObject([LOST])
    await vi.advanceTimersByTimeAsync(43_400)
    goOn()
    await sent
    await stream.send(answer(), true)
    stream.end()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(data(exchange)).toEqual([1])
    expect(exchange.sink?.isClosed).toBe(true)
    for (const node of [c, a]) {
      const again = await node.resume(idAt(exchange, 1))
      await settle()
      expect(data(again.exchange)).toMatchObject([LOST])
    }
    expect(a.faults.map(({ message: text }) => text)).toContain(
      'Another node took this one for lost and has answered in its place. What this node still sends is dropped.',
    )
  })

  test('D020 (memory): two nodes that find the writer lost at once give one end', async () => {
    const [a, b, c] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    stop(a)
    await vi.advanceTimersByTimeAsync(16_000)
    const both = [b, c].map((node) => node.resume(idAt(exchange, 0)))
    await vi.advanceTimersByTimeAsync(600)
    for (const { exchange: back } of await Promise.all(both)) expect(data(back)).toMatchObject([1, LOST])
  })

  test('a node that is silent for a moment and alive loses nothing', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    const goOn = stop(a)
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(5_000)
    const { exchange: back } = await resuming
    const sent = stream.send(message(2))
    goOn()
    await sent
    await vi.advanceTimersByTimeAsync(2_000)
    await stream.send(answer(), true)
    await settle()
    expect(data(back)).toEqual([2, expect.objectContaining({ id: 1 })])
  })

  test('a node that was restarted in an orderly way and does not know the stream counts as lost at once', async () => {
    const [a, b] = nodes
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    await a.cluster.close()
    const resuming = b.resume(idAt(exchange, 1))
    await vi.advanceTimersByTimeAsync(600)
    expect(data((await resuming).exchange)).toMatchObject([LOST])
  })
})
