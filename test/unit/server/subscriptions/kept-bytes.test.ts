import { describe, expect, it } from 'vitest'
import { ConnectionCore } from '../../../../src/server/connection.ts'
import { KeptBytes } from '../../../../src/server/subscriptions/kept-bytes.ts'
import { createLegacySubscriptions } from '../../../../src/server/subscriptions/legacy.ts'
import { createListenHandler, type ListenContext } from '../../../../src/server/subscriptions/listen.ts'
import { createSubscriptionBus } from '../../../../src/server/subscriptions/subscriptions.ts'

const FULL = { code: -32603, data: { limit: 'bytes kept for clients', max: 20_000 } }
const isFull = (kept: KeptBytes) => {
  try {
    kept.change(0, 5_000)
    kept.change(5_000, 0)
    return false
  } catch {
    return true
  }
}

describe('KeptBytes', () => {
  it('bounds what all clients together make the server keep, and names the limit', () => {
    const kept = new KeptBytes(20_000)
    kept.change(0, 10_000)
    kept.change(0, 10_000)
    expect(() => kept.change(0, 5_000)).toThrow(expect.objectContaining(FULL))
    kept.change(10_000, 5_000)
    kept.change(0, 5_000)
    expect(isFull(kept)).toBe(true)
  })

  it('lets ordinary clients in, however much the large ones keep', () => {
    const kept = new KeptBytes(20_000)
    kept.change(0, 20_000)
    for (let client = 0; client < 1_000; client++) kept.change(0, 4_096)
    expect(() => kept.change(0, 4_097)).toThrow(expect.objectContaining(FULL))
  })

  it('always takes less', () => {
    const kept = new KeptBytes(20_000)
    kept.change(0, 20_000)
    expect(() => kept.change(20_000, 19_000)).not.toThrow()
    kept.change(19_000, 0)
    expect(isFull(kept)).toBe(false)
  })
})

describe('what a client makes the server keep', () => {
  it('is given back when its connection ends, once', async () => {
    const kept = new KeptBytes(20_000)
    const connection = ConnectionCore.awaitingHandshake()
    connection.keep(18_000, kept)
    // A second try of a client whose first `initialize` was refused takes the place of the first.
    connection.keep(19_000, kept)
    expect(isFull(kept)).toBe(true)
    await connection.close()
    await connection.close()
    const another = ConnectionCore.awaitingHandshake()
    another.keep(20_000, kept)
    expect(() => kept.change(0, 5_000)).toThrow(expect.objectContaining(FULL))
  })

  it('is not counted for a connection that has ended', async () => {
    const kept = new KeptBytes(20_000)
    const connection = ConnectionCore.awaitingHandshake()
    await connection.close()
    connection.keep(20_000, kept)
    expect(isFull(kept)).toBe(false)
  })

  it('counts the uris that clients of the legacy era watch', () => {
    const kept = new KeptBytes(20_000)
    const open = () => createLegacySubscriptions(createSubscriptionBus(), { notify: async () => {}, kept })
    const [first, second] = [open(), open()]
    const uri = (name: string) => name.padEnd(8_000, 'a')
    first.subscribe(uri('1'))
    first.subscribe(uri('2'))
    expect(() => second.subscribe(uri('3'))).toThrow(expect.objectContaining(FULL))
    first.unsubscribe(uri('1'))
    second.subscribe(uri('3'))
    first.close()
    first.close()
    second.subscribe(uri('4'))
    expect(() => first.subscribe(uri('5'))).toThrow(expect.objectContaining(FULL))
  })

  it('counts what open subscriptions hold, until they end', async () => {
    const kept = new KeptBytes(20_000)
    const listen = createListenHandler(createSubscriptionBus(), { kept })
    const aborts: (() => void)[] = []
    const context = (requestId: number): ListenContext => ({
      requestId,
      onAbort: (listener) => void aborts.push(() => listener(undefined as never)),
      outbound: { notify: async () => {} },
    })
    const large = { notifications: { resourceSubscriptions: ['1', '2'].map((name) => name.padEnd(8_000, 'a')) } }
    const open = listen(context(1), large as never)
    await expect(listen(context(2), large as never)).rejects.toMatchObject(FULL)
    aborts[0]?.()
    await open
    const again = listen(context(3), large as never)
    expect(isFull(kept)).toBe(true)
    await listen.close()
    await again
    expect(isFull(kept)).toBe(false)
  })
})
