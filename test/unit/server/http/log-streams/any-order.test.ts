// Whatever happens in whatever order: a client has a prefix of what was sent, each event once, and in the end all of it.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FakeExchange } from '../../../../support/fake-exchange.ts'
import { answer, message, startNodes, type TestNode } from './nodes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** `resume`: the connection breaks after the client has read so many events of it, and the client resumes on this node. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('send' as const), count: fc.integer({ min: 1, max: 3 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('resume' as const),
        read: fc.nat({ max: 4 }),
        node: fc.nat({ max: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 300, 1_100) }) },
  ),
  { minLength: 1, maxLength: 14 },
)

/** A client that follows one stream from connection to connection. */
class Follower {
  readonly seen: string[] = []
  readonly numbers: number[] = []
  #exchange: FakeExchange
  #lastId: string | undefined

  constructor(exchange: FakeExchange) {
    this.#exchange = exchange
  }

  /** Takes so many events of the connection, and leaves it. */
  leave(read = Infinity): void {
    for (const { id, data } of (this.#exchange.sink?.events ?? []).slice(0, read)) {
      if (id !== undefined) this.#lastId = id
      if (data === '') continue
      this.seen.push(data)
      this.numbers.push(Number(id?.split('.')[1]))
    }
    this.#exchange.leave()
  }

  async resume(node: TestNode): Promise<boolean> {
    const resuming = node.resume(this.#lastId)
    await vi.advanceTimersByTimeAsync(600)
    const { outcome, exchange } = await resuming
    if (outcome === 'resumed') this.#exchange = exchange
    return outcome === 'resumed'
  }

  get isConnected(): boolean {
    return this.#exchange.sink?.isClosed === false
  }
}

describe('a stream of one writer', () => {
  test.each([
    ['at once', false],
    ['after a turn', true],
  ])(
    'is whole for a client that changes nodes, with hints that get lost and an engine that answers %s',
    async (_how, isAsync) => {
      await fc.assert(
        fc.asyncProperty(steps, fc.infiniteStream(fc.boolean()), async (all, luck) => {
          await using cluster = await startNodes(3, undefined, isAsync)
          const nodes = cluster.nodes as [TestNode, TestNode, TestNode]
          for (const { backend } of nodes) backend.loses = (what) => what === 'hint' && luck.next().value === true
          // Entries that the writer announces get lost; questions to it are answered, or asked again.
          nodes[0].backend.loses = () => luck.next().value === true
          const { stream, exchange } = nodes[0].open()
          const client = new Follower(exchange)
          const sent: string[] = []
          const send = (text: string, isLast = false) => {
            sent.push(text)
            void stream.send(text, isLast)
          }
          for (const step of all) {
            if (step.kind === 'send') for (let i = 0; i < step.count; i++) send(message(sent.length + 1))
            else if (step.kind === 'wait') await vi.advanceTimersByTimeAsync(step.ms)
            else {
              // A client resumes only from an event that it has.
              client.leave(1 + step.read)
              expect(await client.resume(nodes[step.node] as TestNode)).toBe(true)
            }
            expect(client.seen).toEqual(sent.slice(0, client.seen.length))
          }
          send(answer(), true)
          stream.end()
          await vi.advanceTimersByTimeAsync(2_000)
          client.leave()
          expect(client.seen).toEqual(sent)
          expect(client.numbers).toEqual(client.numbers.toSorted((a, b) => a - b))
          expect(new Set(client.numbers).size).toBe(client.numbers.length)
        }),
        { seed: 19, numRuns: 120 },
      )
    },
  )
})
