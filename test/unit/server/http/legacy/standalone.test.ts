// The stream that a client opens with GET: what goes there, what waits for it, and who may have it.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ConnectionCore } from '../../../../../src/server/connection.ts'
import { connectionOfRequest } from '../../../../../src/server/context.ts'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import type { HandshakeOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import { jsonOf, LegacyClient, messageOn } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'
import { volume } from '../../../../support/volume.ts'

await loadParts()

const CHANGED = 'notifications/tools/list_changed'

async function connect(options: HandshakeOptions = {}, version = '2025-11-25') {
  const faults: string[] = []
  const connections: ConnectionCore[] = []
  const server = new Server('standalone', {
    onFault: ({ message }) => void faults.push(message),
    handlers: {
      'tools/list': (ctx) => {
        connections.push(connectionOfRequest(ctx))
        return { tools: [] }
      },
      'tools/call': async (ctx) => {
        await ctx.session.sendToolListChanged()
        await ctx.session.sendLogMessage('info', 'related')
        return { content: [] }
      },
    },
  })
  const endpoint = createLegacyEndpoint(coreOf(server), options)
  const client = await LegacyClient.open(endpoint, { version, capabilities: { roots: {} } })
  await jsonOf(client.call('tools/list'))
  const connection = connections[0] as ConnectionCore
  const announce = (number: number) => connection.backChannel.notify(CHANGED, { number })
  return { endpoint, client, connection, announce, faults, [Symbol.asyncDispose]: () => endpoint.close() }
}

const numbersOf = (messages: unknown[] | undefined) =>
  messages?.map((message) => (message as { params: { number: number } }).params.number)

afterEach(() => {
  vi.useRealTimers()
})

describe('the standalone stream', () => {
  it('S-HTTPL-01 S-HTTPL-03 S-HTTPL-09 S-HTTPL-10 S-HTTPL-11 S-HTTPL-12 carries what belongs to no request, and only that', async () => {
    await using host = await connect()
    const listening = host.client.get()
    expect(listening.sink?.events).toMatchObject([{ data: '', retryMs: 1000 }])
    const call = host.client.tool('any')
    await call.answered
    await call.sink?.ended.promise
    expect(listening.sink?.messages).toEqual([{ jsonrpc: '2.0', method: CHANGED }])
    expect(call.sink?.messages).toMatchObject([{ method: 'notifications/message' }, { id: 2 }])
    expect(listening.sink?.isClosed).toBe(false)
  })

  it('F122 R18 is one: a second is rejected, and the first continues', async () => {
    await using host = await connect()
    const first = host.client.get()
    const second = host.client.get()
    expect(second.status).toBe(409)
    await host.announce(1)
    expect(numbersOf(first.sink?.messages)).toEqual([1])
    first.leave()
    expect(host.client.get().sink?.isClosed).toBe(false)
  })

  it('brings what was said before anybody listened', async () => {
    await using host = await connect()
    await host.announce(1)
    await host.announce(2)
    expect(numbersOf(host.client.get().sink?.messages)).toEqual([1, 2])
  })

  it.each([
    ['with an event store', {}],
    ['without one', { eventStore: false as const }],
  ])('brings a client that begins anew what it missed, once (%s)', async (_what, options) => {
    await using host = await connect(options)
    const first = host.client.get()
    await host.announce(1)
    first.leave()
    await host.announce(2)
    const second = host.client.get()
    await host.announce(3)
    expect(numbersOf(second.sink?.messages)).toEqual([2, 3])
    second.leave()
    const third = host.client.get()
    expect(third.sink?.messages).toEqual([])
  })

  it('brings a client that resumes what came after its last event, once', async () => {
    await using host = await connect()
    const first = host.client.get()
    await host.announce(1)
    await host.announce(2)
    const seen = first.sink?.events[1]?.id
    first.leave()
    await host.announce(3)
    const second = host.client.get(seen)
    await second.sink?.received(2)
    await vi.waitFor(() => expect(numbersOf(second.sink?.messages)).toEqual([2, 3]))
    await host.announce(4)
    expect(numbersOf(second.sink?.messages)).toEqual([2, 3, 4])
    expect(second.sink?.isClosed).toBe(false)
    expect(host.client.get().status).toBe(409)
    second.leave()
    expect(host.client.get().sink?.messages).toEqual([])
  })

  it('keeps a bounded number of messages for a client that never listens', async () => {
    await using host = await connect()
    for (let number = 1; number <= 300; number++) await host.announce(number)
    const { sink } = host.client.get()
    expect(numbersOf(sink?.messages)).toEqual(Array.from({ length: 256 }, (_, index) => index + 45))
    // Reported once: a client must not fill the log.
    expect(host.faults).toEqual(['A client has no event stream open. Its oldest messages were dropped.'])
  })

  it('keeps a bounded amount of text for a client that never listens', async () => {
    await using host = await connect()
    for (let number = 1; number <= 10; number++) {
      await host.connection.backChannel.notify(CHANGED, { number, text: 'x'.repeat(300_000) })
    }
    expect(numbersOf(host.client.get().sink?.messages)).toEqual([8, 9, 10])
  })

  it('carries questions to a client that listens, and to one that is about to', async () => {
    await using host = await connect()
    const asked = host.connection.backChannel.sendRawRequest('roots/list')
    const { id } = messageOn(host.client.get())
    host.client.post({ jsonrpc: '2.0', id, result: { roots: [] } })
    expect(await asked).toEqual({ roots: [] })
  })

  it('is no way to ask a client that has not listened for long', async () => {
    vi.useFakeTimers()
    await using host = await connect()
    expect(host.connection.canSendRequest).toBe(true)
    await vi.advanceTimersByTimeAsync(10_001)
    expect(host.connection.canSendRequest).toBe(false)
    await expect(host.connection.backChannel.sendRawRequest('roots/list')).rejects.toThrow('roots/list')
    host.client.get()
    expect(host.connection.canSendRequest).toBe(true)
    vi.useRealTimers()
  })

  it('F111 is cut when its reader reads nothing, and what it missed can be had again', async () => {
    await using host = await connect({ maxQueuedBytes: 1_000 })
    const listening = host.client.get()
    if (listening.sink !== undefined) listening.sink.isReading = false
    for (let number = 1; number <= 40; number++) void host.announce(number)
    expect(listening.sink?.isDestroyed).toBe(true)
    const back = host.client.get(listening.sink?.events[0]?.id)
    await vi.waitFor(() => expect(back.sink?.messages).toHaveLength(40))
    expect(numbersOf(back.sink?.messages)?.at(-1)).toBe(40)
  })

  it('F135 is kept alive by comments, on one timer for all streams', async () => {
    vi.useFakeTimers()
    await using host = await connect({ keepAliveMs: 1_000, eventStore: false })
    const other = await LegacyClient.open(host.endpoint)
    const timers = vi.getTimerCount()
    const streams = [host.client.get(), other.get()]
    expect(vi.getTimerCount()).toBe(timers + 1)
    await vi.advanceTimersByTimeAsync(3_100)
    for (const { sink } of streams) expect(sink?.comments).toHaveLength(3)
    for (const stream of streams) stream.leave()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(vi.getTimerCount()).toBe(timers)
    vi.useRealTimers()
  })

  it('F139 frees every session whose stream was lost, when the idle time is over', async () => {
    vi.useFakeTimers()
    const server = new Server('many', { handlers: { 'tools/list': () => ({ tools: [] }) } })
    const endpoint = createLegacyEndpoint(coreOf(server), { sessions: { idleMs: 60_000 } })
    const count = volume(500, 10_000)
    const streams = []
    for (let i = 0; i < count; i++) streams.push((await LegacyClient.open(endpoint)).get())
    await vi.advanceTimersByTimeAsync(300_000)
    expect(endpoint.sessionCount).toBe(count)
    for (const stream of streams) stream.leave()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(endpoint.sessionCount).toBe(0)
    vi.useRealTimers()
    await endpoint.close()
  })
})
