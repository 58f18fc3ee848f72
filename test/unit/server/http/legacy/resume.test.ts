// Coming back to a stream: polling, replay, and an event store that has a bad day.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../../src/server/context.ts'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import type { HandshakeOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import type { EventStore } from '../../../../../src/server/http/streams/event-store.ts'
import { MemoryEventStore } from '../../../../../src/server/http/streams/event-store.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import { jsonOf, LegacyClient } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

type Tool = (ctx: ServerRequestContext) => unknown

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

async function connect(tools: Record<string, Tool>, options: HandshakeOptions = {}, version = '2025-11-25') {
  const faults: string[] = []
  const server = new Server('resume', {
    onFault: ({ message }) => void faults.push(message),
    logging: true,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': (ctx, { name }) => tools[name]?.(ctx) as never,
    },
  })
  const endpoint = createLegacyEndpoint(coreOf(server), options)
  const client = await LegacyClient.open(endpoint, { version })
  return { endpoint, client, faults, [Symbol.asyncDispose]: () => endpoint.close() }
}

const STREAM = { responseMode: 'stream' } as const

const log = (ctx: ServerRequestContext, data: unknown) => ctx.session.sendLogMessage('info', data)

/** A store that does as the test says before each write. */
class MoodyStore extends MemoryEventStore implements EventStore {
  before: (data: string) => Promise<void> | void = () => {}
  after: () => void = () => {}
  override append(stream: string, data: string): string {
    const appended = () => {
      const id = super.append(stream, data)
      this.after()
      return id
    }
    const waiting = this.before(data)
    return (waiting === undefined ? appended() : waiting.then(appended)) as string
  }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('polling', () => {
  it('S-HTTPL-06 closes the stream of a request that asks for it, after an event with an id and retry', async () => {
    const done = createDeferred()
    await using host = await connect({
      poll: async (ctx) => {
        ctx.dispatch.transport.closeStream?.()
        await done.promise
        return text('polled')
      },
    })
    const call = host.client.tool('poll')
    await call.sink?.ended.promise
    expect(call.sink?.events).toMatchObject([{ data: '', retryMs: 1000 }])
    expect(call.sink?.isDestroyed).toBe(false)

    const early = host.client.get(call.sink?.events[0]?.id)
    await early.answered
    expect(early.sink?.messages).toEqual([])
    done.resolve()
    await early.sink?.ended.promise
    expect(early.sink?.messages).toMatchObject([{ id: 1, result: text('polled') }])
  })

  it('has the answer ready for a client that comes back later', async () => {
    await using host = await connect({
      poll: async (ctx) => {
        ctx.dispatch.transport.closeStream?.()
        await log(ctx, 'while away')
        return text('polled')
      },
    })
    const call = host.client.tool('poll')
    await call.sink?.ended.promise
    const back = host.client.get(call.sink?.events[0]?.id)
    await back.answered
    await back.sink?.ended.promise
    expect(back.sink?.messages).toMatchObject([{ method: 'notifications/message' }, { result: text('polled') }])
    // A second time too: nobody knows whether the first one has arrived.
    const again = host.client.get(back.sink?.events[0]?.id)
    await again.answered
    await again.sink?.ended.promise
    expect(again.sink?.messages).toMatchObject([{ result: text('polled') }])
  })

  it.each([
    ['an older revision', {}, '2025-06-18'],
    ['no event store', { eventStore: false as const }, '2025-11-25'],
    ['JSON only', { responseMode: 'json' as const }, '2025-11-25'],
  ])('S-HTTPL-04 does nothing with %s', async (_what, options, version) => {
    await using host = await connect(
      {
        poll: (ctx) => {
          ctx.dispatch.transport.closeStream?.()
          return text('at once')
        },
      },
      options,
      version,
    )
    expect(await jsonOf(host.client.tool('poll'))).toMatchObject({ result: text('at once') })
  })
})

describe('resuming', () => {
  it('F110 continues after the last event that was seen, with past and new events', async () => {
    const steps = [createDeferred(), createDeferred()] as const
    await using host = await connect({
      work: async (ctx) => {
        await log(ctx, 1)
        await log(ctx, 2)
        await steps[0].promise
        await log(ctx, 3)
        await steps[1].promise
        return text('done')
      },
    })
    const call = host.client.tool('work')
    await call.sink?.received(3)
    const seen = call.sink?.events[1]?.id
    call.leave()
    steps[0].resolve()
    await new Promise((resolve) => setImmediate(resolve))

    const back = host.client.get(seen)
    await back.answered
    steps[1].resolve()
    await back.sink?.ended.promise
    expect(back.sink?.messages).toMatchObject([{ params: { data: 2 } }, { params: { data: 3 } }, { id: 1 }])
    expect(new Set([...(call.sink?.events ?? []), ...(back.sink?.events ?? [])].map(({ id }) => id)).size).toBe(5)
  })

  it('shows every event once, wherever the connection breaks', async () => {
    const scenario = fc.record({
      total: fc.integer({ min: 1, max: 8 }),
      breaks: fc.array(fc.nat({ max: 8 }), { maxLength: 4 }),
      isSlowStore: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ total, breaks, isSlowStore }) => {
        const eventStore = new MoodyStore()
        if (isSlowStore) eventStore.before = () => Promise.resolve()
        await using host = await connect(
          {
            count: async (ctx) => {
              for (let i = 0; i < total; i++) await log(ctx, i)
              return text('done')
            },
          },
          { eventStore },
        )
        const seen: unknown[] = []
        let exchange = host.client.tool('count')
        for (const after of breaks) {
          await exchange.answered
          await exchange.sink?.received(1)
          // The client has read only so much when the connection goes.
          const read = exchange.sink?.events.slice(0, after + 1) ?? []
          exchange.leave()
          const last = read.at(-1)?.id
          seen.push(...read.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data)))
          exchange = host.client.get(last)
          await exchange.answered
          if (seen.some((message) => (message as { id?: number }).id === 1)) break
        }
        await exchange.sink?.ended.promise
        seen.push(...(exchange.sink?.messages ?? []))
        const expected = [...Array.from({ length: total }, (_, data) => ({ params: { data } })), { id: 1 }]
        expect(seen).toHaveLength(expected.length)
        expect(seen).toMatchObject(expected)
      }),
      { seed: 25, numRuns: 40 },
    )
  })

  it('replaces a connection that is still open', async () => {
    const done = createDeferred()
    await using host = await connect({ work: (ctx) => log(ctx, 1).then(() => done.promise.then(() => text(''))) })
    const call = host.client.tool('work')
    await call.sink?.received(2)
    const back = host.client.get(call.sink?.events[1]?.id)
    await back.answered
    expect(call.sink?.isClosed).toBe(true)
    done.resolve()
    await back.sink?.ended.promise
    expect(back.sink?.messages).toMatchObject([{ id: 1 }])
  })

  it('F130 S-HTTPL-15 rejects ids that are unknown, of another session or malformed, and never opens a stream for them', async () => {
    await using host = await connect({ speak: (ctx) => log(ctx, 'mine').then(() => text('')) })
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    const mine = call.sink?.events[0]?.id ?? ''
    const other = await LegacyClient.open(host.endpoint)
    const foreign = other.get(mine)
    await foreign.answered
    expect(foreign.status).toBe(400)
    expect(foreign.sink).toBeUndefined()

    const [stream] = mine.split('.')
    const ids = ['x', '', `${stream}.99`, `${stream}.`, '.1', `${stream}.1\r\n`, 'x'.repeat(1_000_000), "' OR 1=1 --"]
    for (const id of [...ids, `${stream}.../1`, '__proto__.1']) {
      const exchange = host.client.get(id)
      await exchange.answered
      expect(exchange.status).toBe(400)
    }
    expect(host.client.get(undefined, { headers: { 'last-event-id': [mine, mine] } }).status).toBe(400)
  })

  it('F130 says so when too much was pruned', async () => {
    const eventStore = new MemoryEventStore({ maxEventsPerStream: 2 })
    await using host = await connect(
      {
        speak: async (ctx) => {
          for (let i = 0; i < 5; i++) await log(ctx, i)
          return text('')
        },
      },
      { eventStore },
    )
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    const [first, , , , fourth] = call.sink?.events ?? []
    const gap = host.client.get(first?.id)
    await gap.answered
    expect(gap.status).toBe(400)
    const whole = host.client.get(fourth?.id)
    await whole.answered
    await whole.sink?.ended.promise
    expect(whole.sink?.messages).toHaveLength(2)
  })

  it('S-HTTPL-13 S-HTTPL-14 R17 keeps sessions apart in one store, and gives each stream a name of its own', async () => {
    const names = new Set<string>()
    class Watched extends MemoryEventStore {
      override append(stream: string, data: string): string {
        names.add(stream)
        return super.append(stream, data)
      }
    }
    const eventStore = new Watched()
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
    const other = await LegacyClient.open(host.endpoint)
    const ids: unknown[] = []
    for (const client of [host.client, other, host.client]) {
      const { sink } = client.tool('speak')
      await sink?.ended.promise
      ids.push(...(sink?.events.map(({ id }) => id) ?? []))
    }
    expect(names.size).toBe(3)
    expect([ids.length, new Set(ids).size]).toEqual([9, 9])
    for (const name of names) expect(name).not.toContain(host.client.sessionId)
    expect(new Set([...names].map((name) => name.split(':')[0])).size).toBe(2)
  })

  it('stores nothing for a stream that has only begun, and resumes it from its beginning all the same', async () => {
    const eventStore = new MemoryEventStore()
    const done = createDeferred()
    await using host = await connect({ work: () => done.promise.then(() => text('done')) }, { eventStore, ...STREAM })
    const call = host.client.tool('work')
    await call.sink?.received(1)
    expect(call.sink?.events).toMatchObject([{ id: expect.stringMatching(/^[\w-]{22}\.0$/), data: '' }])
    expect(eventStore.streamCount).toBe(0)
    const back = host.client.get(call.sink?.events[0]?.id)
    await back.answered
    done.resolve()
    await back.sink?.ended.promise
    expect(back.sink?.messages).toMatchObject([{ result: text('done') }])
    expect(eventStore.streamCount).toBe(1)
  })

  it('refuses to resume from the beginning of a stream whose first events the store has dropped', async () => {
    const eventStore = new MemoryEventStore()
    let name = ''
    const append = vi.spyOn(eventStore, 'append')
    await using host = await connect(
      {
        speak: async (ctx) => {
          await log(ctx, 1)
          name = append.mock.lastCall?.[0] ?? ''
          eventStore.drop(name)
          return text('')
        },
      },
      { eventStore },
    )
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    expect(eventStore.replayAll(name)).toHaveLength(1)
    const back = host.client.get(call.sink?.events[0]?.id)
    await back.answered
    expect(back.status).toBe(400)
  })

  it('gives a store without replayAll the empty event that begins a stream', async () => {
    const kept: { id: string; data: string }[] = []
    const eventStore: EventStore = {
      append: (_stream, data) => {
        kept.push({ id: `${kept.length}`, data })
        return `${kept.length - 1}`
      },
      replayAfter: (_stream, id) => kept.slice(Number(id) + 1),
      drop: () => {},
    }
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    expect(kept.map(({ data }) => data === '')).toEqual([true, false, false])
    const back = host.client.get(call.sink?.events[0]?.id)
    await back.answered
    await back.sink?.ended.promise
    expect(back.sink?.messages).toHaveLength(2)
  })

  it('F124 drops the streams of a session with it, and old ones when there are many', async () => {
    const eventStore = new MemoryEventStore()
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
    for (let i = 0; i < 50; i++) await host.client.tool('speak').sink?.ended.promise
    expect(eventStore.streamCount).toBe(32)
    await host.client.delete()
    expect(eventStore.streamCount).toBe(0)
  })
})

describe('an event store in trouble', () => {
  it('F126 F128 costs an event its id, not its delivery, and is used again when it recovers', async () => {
    const eventStore = new MoodyStore()
    const failures = [
      () => Promise.reject(new Error('gone')),
      () => {
        throw new Error('gone')
      },
    ]
    await using host = await connect(
      {
        speak: async (ctx) => {
          for (const fail of failures) {
            eventStore.before = fail
            await log(ctx, 'live')
          }
          eventStore.before = () => {}
          await log(ctx, 'kept')
          return text('')
        },
      },
      { eventStore },
    )
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    expect(call.sink?.messages).toHaveLength(4)
    const withoutId = call.sink?.events.filter(({ id, data }) => id === undefined && data.includes('live'))
    expect(withoutId).toHaveLength(2)
    // The beginning, the message that was kept, and the answer.
    expect(call.sink?.events.filter(({ id }) => id !== undefined)).toHaveLength(3)
    expect(host.faults).toContain('The event store failed to store an event.')
  })

  it('F126 with replayAll that gives an event the id of the beginning costs that id', async () => {
    class Zero extends MemoryEventStore {
      override append(): string {
        return '0'
      }
    }
    const options = { eventStore: new Zero() }
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, options)
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    expect(call.sink?.events.map(({ id }) => id?.split('.')[1])).toEqual(['0', undefined, undefined])
    expect(host.faults).toContain('The event store failed to store an event.')
  })

  it.each(['a\r\ndata: forged', '', 'x'.repeat(65), 'a.b'])(
    'F126 whose id %j cannot be used costs the id',
    async (id) => {
      const eventStore: EventStore = { append: () => id, replayAfter: () => undefined, drop: () => {} }
      await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
      const call = host.client.tool('speak')
      await call.sink?.ended.promise
      expect(call.sink?.events.map((event) => event.id)).toEqual([undefined, undefined])
    },
  )

  it('F126 that loses an event nobody saw makes the stream impossible to resume, instead of silent', async () => {
    const eventStore = new MoodyStore()
    await using host = await connect(
      {
        speak: async (ctx) => {
          await log(ctx, 'seen')
          const exchange = call
          exchange.leave()
          eventStore.before = () => Promise.reject(new Error('gone'))
          return text('lost')
        },
      },
      { eventStore },
    )
    const call = host.client.tool('speak')
    await call.sink?.ended.promise
    await vi.waitFor(() => expect(host.faults).toContain('The event store failed to store an event.'))
    eventStore.before = () => {}
    const back = host.client.get(call.sink?.events[1]?.id)
    await back.answered
    expect(back.status).toBe(400)
  })

  it('F126 that stores an event and fails all the same: nothing is resumed across it, so that it does not come twice', async () => {
    const eventStore = new MoodyStore()
    const gate = createDeferred()
    await using host = await connect(
      {
        speak: async (ctx) => {
          await log(ctx, 'before')
          eventStore.after = () => {
            throw new Error('no answer')
          }
          await log(ctx, 'unheard')
          eventStore.after = () => {}
          await log(ctx, 'after')
          await gate.promise
          return text('')
        },
      },
      { eventStore },
    )
    const call = host.client.tool('speak')
    await call.sink?.received(4)
    const ids = call.sink?.events.map(({ id }) => id) ?? []
    expect(ids.map((id) => id === undefined)).toEqual([false, false, true, false])
    call.leave()
    for (const id of ids.slice(0, 2)) {
      const refused = host.client.get(id)
      await refused.answered
      expect(refused.status).toBe(400)
    }
    const back = host.client.get(ids[3])
    await back.answered
    gate.resolve()
    await back.sink?.ended.promise
    expect(back.sink?.messages).toMatchObject([{ result: { content: [{ text: '' }] } }])
  })

  it.each([
    ['replayAfter', 1, 1],
    ['replayAll', 0, 2],
  ] as const)(
    'F127 whose %s fails is a 503 before any stream is opened, and the client may try again',
    async (method, seen, missed) => {
      const eventStore = new MemoryEventStore()
      const replay = vi.spyOn(eventStore, method).mockImplementationOnce(() => {
        throw new Error('gone')
      })
      await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
      const call = host.client.tool('speak')
      await call.sink?.ended.promise
      const id = call.sink?.events[seen]?.id
      const failed = host.client.get(id)
      await failed.answered
      expect(failed.status).toBe(503)
      const back = host.client.get(id)
      await back.answered
      await back.sink?.ended.promise
      expect(back.sink?.messages).toHaveLength(missed)
      expect(replay).toHaveBeenCalledTimes(2)
    },
  )

  it.each([
    [
      'throws',
      () => {
        throw new Error('gone')
      },
    ],
    ['rejects', () => Promise.reject(new Error('gone'))],
  ])('that %s when a stream is dropped is reported, and the session ends all the same', async (_how, drop) => {
    const eventStore = new MemoryEventStore()
    vi.spyOn(eventStore, 'drop').mockImplementation(drop as () => void)
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
    await host.client.tool('speak').sink?.ended.promise
    expect((await host.client.delete()).status).toBe(204)
    await vi.waitFor(() => expect(host.faults).toEqual(['The event store failed to drop a stream.']))
  })

  it('F128 that does not answer is waited for only so long', async () => {
    vi.useFakeTimers()
    const eventStore = new MoodyStore()
    eventStore.before = () => new Promise(() => {})
    await using host = await connect(
      { speak: (ctx) => log(ctx, 'x').then(() => text('done')) },
      { eventStore, storeTimeoutMs: 2_000 },
    )
    const call = host.client.tool('speak')
    await vi.advanceTimersByTimeAsync(7_000)
    await call.sink?.ended.promise
    expect(call.sink?.messages).toMatchObject([{ params: { data: 'x' } }, { result: text('done') }])
    expect(call.sink?.events.every(({ id, data }) => id === undefined || data === '')).toBe(true)
  })

  it('F129 that is slow holds the handler back and keeps the order', async () => {
    vi.useFakeTimers()
    const eventStore = new MoodyStore()
    let wait = 600
    eventStore.before = () => {
      wait -= 100
      return new Promise((resolve) => setTimeout(resolve, wait))
    }
    const sent: number[] = []
    await using host = await connect(
      {
        speak: async (ctx) => {
          void log(ctx, 1)
          void log(ctx, 2)
          await log(ctx, 3)
          sent.push(Math.round(performance.now()))
          return text('')
        },
      },
      { eventStore },
    )
    const from = Math.round(performance.now())
    const call = host.client.tool('speak')
    await vi.advanceTimersByTimeAsync(2_000)
    await call.sink?.ended.promise
    expect(call.sink?.messages).toMatchObject(
      [1, 2, 3].map((data) => ({ params: { data } })).concat([{ id: 1 } as never]),
    )
    expect((sent[0] ?? 0) - from).toBeGreaterThanOrEqual(1_000)
  })

  it('F129 that is slower than a handler that does not wait is bounded', async () => {
    vi.useFakeTimers()
    const eventStore = new MoodyStore()
    eventStore.before = () => new Promise((resolve) => setTimeout(resolve, 100))
    await using host = await connect(
      {
        flood: (ctx) => {
          for (let i = 0; i < 100; i++) void log(ctx, 'x'.repeat(1_000))
          return new Promise(() => {})
        },
      },
      { eventStore, maxQueuedBytes: 20_000 },
    )
    const call = host.client.tool('flood')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(host.faults).toContain('The event store is too slow. An event was dropped.')
    expect(call.sink?.isDestroyed).toBe(true)
    vi.useRealTimers()
  })

  it('F131 stores before it sends: what a client has seen can always be found again', async () => {
    const order: string[] = []
    const eventStore = new MoodyStore()
    eventStore.before = async (data) => {
      await Promise.resolve()
      order.push(`store ${data.slice(0, 40)}`)
    }
    await using host = await connect({ speak: (ctx) => log(ctx, 'x').then(() => text('')) }, { eventStore })
    const call = host.client.tool('speak')
    const send = call.sink?.send.bind(call.sink)
    if (call.sink !== undefined && send !== undefined) {
      call.sink.send = (event) => {
        order.push(`send ${event.data.slice(0, 40)}`)
        return send(event)
      }
    }
    await call.sink?.ended.promise
    const stored = order.filter((entry) => entry.startsWith('store')).map((entry) => entry.slice(6))
    const written = order.filter((entry) => entry.startsWith('send')).map((entry) => entry.slice(5))
    expect(written).toEqual(stored)
    for (const entry of written) expect(order.indexOf(`store ${entry}`)).toBeLessThan(order.indexOf(`send ${entry}`))
  })
})
