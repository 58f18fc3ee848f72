import { describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { settle } from '../../support/peers.ts'

const message = (n: number) => ({ jsonrpc: '2.0' as const, method: 'n', params: { n } })

/** Collects what arrives, and asks for a pause where `pressure` says so. */
function collect(channel: Channel, pressure: (n: number) => Promise<void> | undefined = () => undefined): number[] {
  const seen: number[] = []
  void channel.start({
    message: (received) => {
      const { n } = (received as ReturnType<typeof message>).params
      seen.push(n)
      return pressure(n)
    },
    fault: () => {},
    lost: () => {},
    closed: () => seen.push(-1),
  })
  return seen
}

describe('a memory channel', () => {
  it('delivers in order, also what was sent before the other side started', async () => {
    const [here, there] = createMemoryChannelPair()
    for (const n of [1, 2]) void here.send(message(n))
    const seen = collect(there)
    for (const n of [3, 4]) void here.send(message(n))
    await settle()
    expect(seen).toEqual([1, 2, 3, 4])
  })

  it('crosses as JSON: nothing is shared, and what JSON cannot say is gone', async () => {
    const [here, there] = createMemoryChannelPair()
    const received: unknown[] = []
    void there.start({
      message: (value) => {
        received.push(value)
        return undefined
      },
      fault: () => {},
      lost: () => {},
      closed: () => {},
    })
    const params = { date: new Date(0), nothing: undefined, nested: { x: 1 } }
    void here.send({ jsonrpc: '2.0', method: 'n', params })
    params.nested.x = 2
    await settle()
    expect(received).toEqual([
      { jsonrpc: '2.0', method: 'n', params: { date: '1970-01-01T00:00:00.000Z', nested: { x: 1 } } },
    ])
  })

  it('pauses when asked, keeps the order, and makes a sender wait past its mark', async () => {
    const [here, there] = createMemoryChannelPair()
    const gate = createDeferred()
    const seen = collect(there, (n) => (n === 2 ? gate.promise : undefined))
    await settle()
    for (let n = 1; n <= 200; n++) expect(here.send(message(n))).toBeUndefined()
    await settle()
    expect(seen).toEqual([1, 2])
    let writes: (Promise<void> | undefined)[] = []
    for (let n = 201; n <= 400; n++) writes.push(here.send(message(n)))
    writes = writes.filter((write) => write !== undefined)
    expect(writes.length).toBeGreaterThan(0)
    gate.resolve()
    await Promise.all(writes)
    expect(seen).toEqual(Array.from({ length: 400 }, (_, index) => index + 1))
  })

  it('keeps the order of what is sent between the arrivals of two messages, the first of which asked for a pause', async () => {
    const [here, there] = createMemoryChannelPair()
    const gate = createDeferred()
    const seen = collect(there, (n) => (n === 1 ? gate.promise : undefined))
    void here.send(message(1))
    void Promise.resolve().then(() => here.send(message(3)))
    void here.send(message(2))
    await settle()
    gate.resolve()
    await settle()
    expect(seen).toEqual([1, 2, 3])
  })

  it('ends on both sides, once, and refuses what comes after', async () => {
    const [here, there] = createMemoryChannelPair()
    const seen = [collect(here), collect(there)]
    void here.send(message(1))
    void there.close()
    void here.close()
    await settle()
    expect(seen).toEqual([[-1], [-1]])
    await expect(here.send(message(2))).rejects.toMatchObject({ code: -32000 })
  })
})
