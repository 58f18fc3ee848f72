// The own stream of a session, where any node may send on it and any node may carry it.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { engineDown } from '../../../../cluster/disturbed-backend.ts'
import type { FakeExchange } from '../../../../support/fake-exchange.ts'
import { message, startNodes, type TestNode, type TestNodes } from './nodes.ts'

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
const data = ({ sink }: FakeExchange) => sink?.messages.map((one) => (one as { params: { data: number } }).params.data)
const lastId = ({ sink }: FakeExchange) => sink?.events.at(-1)?.id
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the stream of a session on many nodes', () => {
  test('carries what every node sends, in the order of the log, each message once', async () => {
    const [a, b, c] = nodes
    const { exchange } = await a.listen()
    for (const [index, node] of [a, b, c, b, a].entries()) void node.standalone.send(message(index + 1))
    await settle()
    expect(data(exchange)).toEqual([1, 2, 3, 4, 5])
    expect(exchange.sink?.events.map(({ id }) => id?.split('.')[1])).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(new Set(exchange.sink?.events.map(({ id }) => id?.split('.')[0])).size).toBe(1)
  })

  test('makes no log before its first message', async () => {
    const [a] = nodes
    await a.listen()
    expect(a.backend.trips.some(({ operation }) => operation === 'logs.post')).toBe(false)
  })

  test('is looked at again where hints get lost, soon at first and then less often', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    a.backend.loses = (what) => what === 'hint'
    void b.standalone.send(message(1))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(data(exchange)).toEqual([1])
    const before = a.backend.trips.length
    await vi.advanceTimersByTimeAsync(600_000)
    const reads = a.backend.trips.slice(before).filter(({ operation }) => operation === 'logs.read')
    expect(reads.length).toBeLessThan(30)
    void b.standalone.send(message(2))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(data(exchange)).toEqual([1, 2])
  })

  test('D022 (memory): of two GETs at once on two nodes one holds the stream and one is refused', async () => {
    const [a, b] = nodes
    const outcomes = await Promise.all([a.listen(), b.listen()])
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['opened', 'taken'])
    expect(outcomes.filter(({ exchange }) => exchange.sink !== undefined)).toHaveLength(1)
    // And of two on one node.
    const again = await Promise.all([a.listen(), a.listen(), b.listen()])
    expect(again.map(({ outcome }) => outcome)).toEqual(['taken', 'taken', 'taken'])
  })

  test('D022 (memory): many GETs at once in any order, on nodes that answer after a turn: never two hold the stream', async () => {
    vi.useRealTimers()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 2 }), { minLength: 2, maxLength: 5 }),
        fc.nat({ max: 6 }),
        async (order, turns) => {
          await using many = await startNodes(3, undefined, true)
          const opening: ReturnType<TestNode['listen']>[] = []
          for (const index of order) {
            opening.push((many.nodes[index] as TestNode).listen())
            for (let turn = 0; turn < turns; turn++) await Promise.resolve()
          }
          const outcomes = await Promise.all(opening)
          const open = outcomes.filter(({ exchange }) => exchange.sink?.isClosed === false)
          expect(open).toHaveLength(1)
          expect(outcomes.filter(({ outcome }) => outcome === 'opened')).toHaveLength(1)
        },
      ),
      { seed: 22, numRuns: 60 },
    )
  })

  test('a client that has left may open it on any node, and gets what it missed, once', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    void a.standalone.send(message(1))
    await settle()
    exchange.leave()
    void b.standalone.send(message(2))
    // At once: the record does not yet say that the first connection has ended.
    const { outcome, exchange: back } = await b.listen()
    await settle()
    expect(outcome).toBe('opened')
    expect(data(back)).toEqual([2])
    expect(lastId(back)?.split('.')[0]).not.toBe(lastId(exchange)?.split('.')[0])
  })

  test('D023 (memory): a client that resumes elsewhere while its connection is half open: the holder closes, and nothing is lost or doubled', async () => {
    const [a, b, c] = nodes
    const { exchange } = await a.listen()
    for (const n of [1, 2, 3]) void a.standalone.send(message(n))
    await settle()
    // Nothing reaches the holder, which goes on.
    a.backend.loses = () => true
    const id = exchange.sink?.events[1]?.id
    const { outcome, exchange: back } = await c.listen(id)
    expect(outcome).toBe('resumed')
    for (const n of [4, 5]) void b.standalone.send(message(n))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(data(back)).toEqual([2, 3, 4, 5])
    expect(data(exchange)).toEqual([1, 2, 3])
    expect(exchange.sink?.isClosed).toBe(true)
    // What the former holder sends comes by the log.
    void a.standalone.send(message(6))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(data(back)).toEqual([2, 3, 4, 5, 6])
    expect((await b.listen()).outcome).toBe('taken')
  })

  /** As a failover to a copy without the last entries, after which other messages get their numbers. */
  async function loseAll(node: TestNode, ...posted: number[]): Promise<void> {
    await node.backend.logs.drop(node.standalone.log)
    for (const n of posted) await node.standalone.send(message(n))
  }

  test('D011 (memory): an id that a lost message had names no other: who resumes after it is refused', async () => {
    const [a, b, c] = nodes
    const { exchange } = await a.listen()
    for (const n of [1, 2, 3]) void a.standalone.send(message(n))
    await settle()
    const ids = exchange.sink?.events.slice(1).map(({ id }) => id as string) ?? []
    exchange.leave()
    await settle()
    await loseAll(b, 11, 12, 13, 14)
    for (const id of ids) expect(await c.listen(id)).toMatchObject({ outcome: 'unknown' })
    // What it has not been sent waits for it on a new stream, though the numbers are those of messages that were sent.
    const { exchange: back } = await c.listen()
    await settle()
    expect(data(back)).toEqual([11, 12, 13, 14])
    for (const { id } of back.sink?.events ?? []) expect(ids).not.toContain(id)
  })

  test('D011 (memory): the connection ends where what was sent on it is lost, also if the log is as long again', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    for (const n of [1, 2, 3]) void a.standalone.send(message(n))
    await settle()
    a.backend.loses = (what) => what === 'hint'
    await loseAll(b, 11, 12, 13, 14)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(data(exchange)).toEqual([1, 2, 3])
    expect(exchange.sink?.isClosed).toBe(true)
    expect((await b.listen(lastId(exchange))).outcome).toBe('unknown')
    const { exchange: back } = await b.listen()
    await settle()
    expect(data(back)).toEqual([11, 12, 13, 14])
  })

  test('is resumed after a message that fills a page of the log', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    const large = (n: number) => message(n).replace('"params":{', `"params":{"logger":"${'x'.repeat(600_000)}",`)
    for (const n of [1, 2, 3]) void a.standalone.send(large(n))
    await settle()
    const { outcome, exchange: back } = await b.listen(exchange.sink?.events[1]?.id)
    await settle()
    expect(outcome).toBe('resumed')
    expect(data(back)).toEqual([2, 3])
  })

  test('a holder that does not answer is taken over, and closes when it sees the higher turn', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    const { promise, resolve } = createDeferred()
    a.backend.before = () => promise
    const opening = b.listen()
    await vi.advanceTimersByTimeAsync(250)
    expect((await opening).outcome).toBe('opened')
    a.backend.before = () => undefined
    resolve()
    void b.standalone.send(message(1))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(data((await opening).exchange)).toEqual([1])
    expect(exchange.sink?.isClosed).toBe(true)
    expect(data(exchange)).toEqual([])
  })

  test('D024 (memory): 256 messages wait for a client that does not listen; the oldest are dropped, and that is reported once', async () => {
    const [a, b] = nodes
    for (const n of range(1, 300)) void a.standalone.send(message(n))
    expect(a.faults).toMatchObject([
      { kind: 'overflow', message: 'A client has no event stream open. Its oldest messages were dropped.' },
    ])
    const { exchange } = await b.listen()
    await settle()
    expect(data(exchange)).toEqual(range(45, 300))
  })

  test('D024 (memory): 1 MiB waits for a client that does not listen', async () => {
    const [a, b] = nodes
    const large = (n: number) => JSON.stringify({ params: { data: n, text: 'x'.repeat(200_000) } })
    for (const n of range(1, 8)) void a.standalone.send(large(n))
    const { exchange } = await b.listen()
    await settle()
    expect(data(exchange)).toEqual(range(4, 8))
    expect(b.faults).toMatchObject([{ kind: 'overflow' }])
  })

  test('a burst to a client that listens arrives whole, however large', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    for (const n of range(1, 900)) void (n % 2 === 0 ? a : b).standalone.send(message(n))
    await settle()
    expect(data(exchange)).toEqual(range(1, 900))
  })

  test('an id whose later messages are gone is refused', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    void a.standalone.send(message(1))
    await settle()
    const id = lastId(exchange)
    exchange.leave()
    await settle()
    for (const n of range(2, 400)) void b.standalone.send(message(n))
    expect((await b.listen(id)).outcome).toBe('unknown')
    const { exchange: back } = await b.listen()
    await settle()
    expect(data(back)?.at(-1)).toBe(400)
  })

  test('an id of another stream is none of its own', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    const other = `${'x'.repeat(34)}.0`
    expect((await b.listen(other)).outcome).toBeUndefined()
    expect(exchange.sink?.isClosed).toBe(false)
  })

  test('D021 (memory): a message that could not be stored goes out without an id where this node has the connection', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    for (const node of [a, b]) {
      node.backend.before = (operation) => {
        if (operation === 'logs.post') throw engineDown(operation)
      }
    }
    await a.standalone.send(message(1))
    await expect(b.standalone.send(message(2))).rejects.toThrow('The engine is down.')
    for (const node of [a, b]) node.backend.before = () => undefined
    void b.standalone.send(message(3))
    await settle()
    expect(data(exchange)).toEqual([1, 3])
    expect(exchange.sink?.events.map(({ id }) => id?.split('.')[1])).toEqual(['0', undefined, '1'])
  })

  test('D009 (memory): where the engine has lost the log the connection ends, and the client begins anew without loss', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    for (const n of [1, 2, 3]) void a.standalone.send(message(n))
    await settle()
    await b.backend.logs.drop(a.standalone.log)
    void b.standalone.send(message(4))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(exchange.sink?.isClosed).toBe(true)
    expect((await b.listen(lastId(exchange))).outcome).toBe('unknown')
    const { exchange: back } = await b.listen()
    await settle()
    expect(data(back)).toEqual([4])
  })

  test('its log does not expire while a client listens', async () => {
    const [a, b] = nodes
    const { exchange } = await a.listen()
    void a.standalone.send(message(1))
    await vi.advanceTimersByTimeAsync(2 * 60 * 60_000)
    void b.standalone.send(message(2))
    await settle()
    expect(data(exchange)).toEqual([1, 2])
    expect(exchange.sink?.isClosed).toBe(false)
  })

  test('is whole for a client that changes nodes in any order, with hints that get lost', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('send' as const),
        node: fc.nat({ max: 2 }),
        count: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ kind: fc.constant('resume' as const), node: fc.nat({ max: 2 }), read: fc.nat({ max: 4 }) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 300, 1_100) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 14 }),
        fc.infiniteStream(fc.boolean()),
        fc.boolean(),
        async (all, luck, isAsync) => {
          await using many = await startNodes(3, undefined, isAsync)
          const three = many.nodes as unknown as Three
          for (const { backend } of three) backend.loses = () => luck.next().value === true
          let { exchange } = await three[0].listen()
          const seen: (number | undefined)[] = []
          let id: string | undefined
          const leave = (count = Infinity) => {
            for (const event of (exchange.sink?.events ?? []).slice(0, count)) {
              id = event.id
              if (event.data !== '') seen.push(JSON.parse(event.data).params.data)
            }
            exchange.leave()
          }
          let sent = 0
          const posted: Promise<unknown>[] = []
          for (const one of all) {
            if (one.kind === 'send') {
              for (let i = 0; i < one.count; i++) {
                sent += 1
                posted.push(Promise.resolve((three[one.node] as TestNode).standalone.send(message(sent))))
                // The order of two nodes is that of the engine.
                await posted.at(-1)
              }
            } else if (one.kind === 'wait') await vi.advanceTimersByTimeAsync(one.ms)
            else {
              leave(1 + one.read)
              const resuming = (three[one.node] as TestNode).listen(id)
              await vi.advanceTimersByTimeAsync(300)
              const resumed = await resuming
              expect(resumed.outcome).toBe('resumed')
              exchange = resumed.exchange
            }
            expect(seen).toEqual(range(1, seen.length))
          }
          await vi.advanceTimersByTimeAsync(40_000)
          leave()
          expect(seen).toEqual(range(1, sent))
        },
      ),
      { seed: 24, numRuns: 120 },
    )
  })
})
