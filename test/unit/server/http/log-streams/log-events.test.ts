// The stream of a request in a log: what is stored when, and what happens where that fails.
import { describe, expect, test, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { engineDown } from '../../../../cluster/disturbed-backend.ts'
import { answer, message, startNodes, type TestNode } from './nodes.ts'

async function oneNode(isAsync = false) {
  const cluster = await startNodes(1, undefined, isAsync)
  return { node: cluster.nodes[0] as TestNode, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const seqOf = (id: string | undefined) => id?.split('.')[1]

function appends({ backend }: TestNode): number {
  return backend.trips.filter(({ operation }) => operation === 'logs.append').length
}

describe('a stream in a log', () => {
  test('makes no trip before its first message, and its beginning has the number 0', async () => {
    await using host = await oneNode()
    const { exchange } = host.node.open([7])
    expect(exchange.sink?.events).toMatchObject([{ data: '', retryMs: 1 }])
    const [stream, seq, ids] = exchange.sink?.events[0]?.id?.split('.') ?? []
    expect(stream).toMatch(/^[\w-]{34}$/)
    expect(stream?.slice(0, 12)).toBe(host.node.cluster.id)
    expect(seq).toBe('0')
    expect(atob(ids ?? '')).toBe('[7]')
    expect(host.node.backend.trips.filter(({ operation }) => operation.startsWith('logs.'))).toEqual([])
  })

  test('numbers its events from 1, and the answer is the last entry of the log', async () => {
    await using host = await oneNode()
    const { stream, exchange } = host.node.open()
    void stream.send(message(1))
    void stream.send(answer(), true)
    stream.end()
    expect(exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1', '2'])
    const { name } = host.node.backend.trips.find(({ operation }) => operation === 'logs.append') ?? {}
    expect(name).toMatch(/^l:[\w-]{43}$/)
    expect(await host.node.backend.logs.read(name ?? '', 0)).toMatchObject({ lastSeq: 2, isEnded: true })
    expect(appends(host.node)).toBe(2)
  })

  test('of an engine that has answered late and answers at once again is written from its beginning', async () => {
    await using host = await oneNode()
    const gate = createDeferred()
    host.node.backend.before = (operation) => (operation === 'logs.append' ? gate.promise : undefined)
    const late = host.node.open()
    void late.stream.send(answer(), true)
    gate.resolve()
    await late.exchange.sink?.received(2)
    host.node.backend.before = () => undefined
    const { stream, exchange } = host.node.open()
    void stream.send(message(1))
    void stream.send(answer(), true)
    stream.end()
    await exchange.sink?.received(3)
    expect(exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1', '2'])
  })

  test('appends without waiting for the append before, and writes each event after its own append, in order', async () => {
    await using host = await oneNode()
    const gates = [createDeferred(), createDeferred(), createDeferred()] as const
    let next = 0
    host.node.backend.before = (operation) => (operation === 'logs.append' ? gates[next++]?.promise : undefined)
    const { stream, exchange } = host.node.open()
    // The handler is not held back either.
    expect([stream.send(message(1)), stream.send(message(2)), stream.send(answer(), true)]).toEqual(Array(3))
    expect(appends(host.node)).toBe(3)
    for (const [index, gate] of gates.entries()) {
      expect(exchange.sink?.messages).toHaveLength(index)
      gate.resolve()
      await exchange.sink?.received(index + 2)
    }
    expect(exchange.sink?.messages).toMatchObject([{ params: { data: 1 } }, { params: { data: 2 } }, { id: 1 }])
  })

  test('holds a handler back that sends faster than the engine stores', async () => {
    await using host = await oneNode()
    const gate = createDeferred()
    host.node.backend.before = (operation) => (operation === 'logs.append' ? gate.promise : undefined)
    const { stream, exchange } = host.node.open()
    const large = `"${'x'.repeat(40_000)}"`
    expect(stream.send(large)).toBeUndefined()
    const held = stream.send(large)
    expect(held).toBeInstanceOf(Promise)
    gate.resolve()
    await held
    expect(exchange.sink?.messages).toHaveLength(2)
  })

  test('its beginning goes out with the first event where that is about to be stored, else a moment later', async () => {
    await using host = await oneNode(true)
    const first = host.node.open()
    void first.stream.send(message(1))
    await first.exchange.sink?.received(2)
    // From here on it is known that the engine takes time.
    const gate = createDeferred()
    host.node.backend.before = (operation) => (operation === 'logs.append' ? gate.promise : undefined)
    const [busy, idle] = [host.node.open(), host.node.open()]
    void busy.stream.send(message(1))
    await idle.exchange.sink?.received(1)
    expect(idle.exchange.sink?.events).toMatchObject([{ data: '' }])
    expect(busy.exchange.sink?.events).toEqual([])
    gate.resolve()
    await busy.exchange.sink?.received(2)
    expect(busy.exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1'])
  })

  test('repeats an entry that the engine got before the one in front of it', async () => {
    await using host = await oneNode()
    const first = createDeferred()
    let count = 0
    host.node.backend.before = (operation) => {
      if (operation !== 'logs.append') return undefined
      count += 1
      return count === 1 ? first.promise : undefined
    }
    const { stream, exchange } = host.node.open()
    void stream.send(message(1))
    void stream.send(answer(), true)
    first.resolve()
    await exchange.sink?.received(3)
    expect(exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1', '2'])
    expect(appends(host.node)).toBe(3)
    expect(host.node.faults).toEqual([])
  })

  test('D021 (memory): an event that could not be stored goes out with an id that names none, and resumption is refused from then on', async () => {
    await using cluster = await startNodes(2)
    const [a, b] = cluster.nodes as [TestNode, TestNode]
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    a.backend.before = (operation) => {
      if (operation === 'logs.append') throw engineDown(operation)
    }
    await stream.send(message(2))
    a.backend.before = () => undefined
    await stream.send(message(3))
    expect(exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1', 'x', 'x'])
    expect(a.faults.map(({ message: text }) => text)).toEqual([
      'The backend failed to store an event. The stream goes on and cannot be resumed.',
    ])
    for (const node of [a, b]) {
      for (const { id } of exchange.sink?.events.slice(1) ?? []) expect((await node.resume(id)).outcome).toBe('unknown')
    }
    // Also where the log could not be dropped, and from the beginning.
    expect((await b.resume(exchange.sink?.events[0]?.id)).outcome).toBe('unknown')
    stream.pause()
    expect(exchange.sink?.isClosed).toBe(false)
  })

  test('D005 (memory): an append that is refused late keeps the order of what was sent after it', async () => {
    await using host = await oneNode()
    const slow = createDeferred()
    let count = 0
    host.node.backend.before = (operation) => {
      if (operation !== 'logs.append') return undefined
      count += 1
      return count === 2 ? slow.promise : undefined
    }
    const { stream, exchange } = host.node.open()
    for (const n of [1, 2, 3]) void stream.send(message(n))
    slow.reject(engineDown('logs.append'))
    await exchange.sink?.received(4)
    expect(exchange.sink?.messages).toMatchObject([1, 2, 3].map((data) => ({ params: { data } })))
  })

  test('a log with more than 1,000 entries is dropped, and the stream goes on and cannot be resumed', async () => {
    await using host = await oneNode()
    const { stream, exchange } = host.node.open()
    for (let n = 1; n <= 1_002; n++) void stream.send(message(n))
    expect(exchange.sink?.messages).toHaveLength(1_002)
    expect(exchange.sink?.events.slice(-3).map(({ id }) => seqOf(id))).toEqual(['1000', 'x', 'x'])
    expect(host.node.backend.trips.at(-1)?.operation).toBe('logs.drop')
    expect((await host.node.resume(exchange.sink?.events[5]?.id)).outcome).toBe('unknown')
  })

  test('a log with more than 16 MiB is dropped, and an event that one value cannot hold is stored in parts', async () => {
    await using host = await oneNode()
    const { stream, exchange } = host.node.open()
    const large = `"${'😀'.repeat(1_500_000)}"`
    for (let n = 1; n <= 3; n++) await stream.send(large)
    expect(exchange.sink?.events.map(({ id }) => seqOf(id) === 'x')).toEqual([false, false, false, true])
    const other = host.node.open()
    await other.stream.send(large)
    const { exchange: back } = await host.node.resume(other.exchange.sink?.events[0]?.id)
    await back.sink?.received(1)
    expect(back.sink?.events[0]?.data).toBe(large)
    expect(back.sink?.events[0]?.id).toBe(other.exchange.sink?.events[1]?.id)
  })

  test('D011 (memory): a stream whose events the engine has lost goes on and cannot be resumed, and an id never names two events', async () => {
    await using cluster = await startNodes(2)
    const [a, b] = cluster.nodes as [TestNode, TestNode]
    const { stream, exchange } = a.open()
    await stream.send(message(1))
    await stream.send(message(2))
    const { name: log = '' } = a.backend.trips.find(({ operation }) => operation === 'logs.append') ?? {}
    await b.backend.logs.drop(log)
    void stream.send(message(3))
    void stream.send(answer(), true)
    await exchange.sink?.received(5)
    expect(exchange.sink?.messages).toHaveLength(4)
    expect(exchange.sink?.events.map(({ id }) => seqOf(id))).toEqual(['0', '1', '2', 'x', 'x'])
    expect((await b.resume(exchange.sink?.events[2]?.id)).outcome).toBe('unknown')
    expect(a.faults.map(({ message: text }) => text)).toEqual([
      'The backend has lost events of a stream. The stream goes on and cannot be resumed.',
    ])
  })

  test('a stream that is silent for long keeps its log alive', async () => {
    vi.useFakeTimers()
    try {
      await using host = await oneNode()
      const { stream, exchange } = host.node.open()
      await stream.send(message(1))
      await vi.advanceTimersByTimeAsync(11 * 60_000)
      await stream.send(answer(), true)
      expect(exchange.sink?.messages).toHaveLength(2)
      const { exchange: back } = await host.node.resume(exchange.sink?.events[1]?.id)
      await vi.advanceTimersByTimeAsync(0)
      expect(back.sink?.messages).toMatchObject([{ id: 1 }])
      expect(exchange.sink?.events.every(({ id }) => id !== undefined)).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
