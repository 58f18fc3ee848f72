// The rules that hold in all pairs of eras: what crosses unchanged, what is minted, bounded and reported.
import { describe, expect, it, vi } from 'vitest'
import type { Channel } from '../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { LimitError } from '../../../src/exports/types.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { Outbox } from '../../../src/proxy/back/outbox.ts'
import { createGateway } from '../../../src/proxy/gateway.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import type { JSONRPCMessage } from '../../../src/types/protocol/jsonrpc.ts'
import { ERA_PAIRS, META, RawClient, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach, connectThrough, NO_TOOLS, openCall } from './pair.ts'

const open = closedAfterEach()

const connect = connectThrough(open)

describe('_meta', () => {
  it.each(ERA_PAIRS)(
    'compose P06 %s to %s: all keys cross both ways, trace context too; those of the other era do not',
    async (front, back) => {
      const { server, client } = await connect(front, back)
      const own = { traceparent: '00-1-2-01', tracestate: 'a=b', baggage: 'c=d', 'vendor/x': [{ '': 1 }], plain: null }
      const theirs = { 'vendor/y': { a: [] }, traceparent: 'not ours' }
      server.on('tools/call', { resultType: 'complete', content: [], _meta: theirs })
      const result = await client.result('tools/call', { name: 'a', _meta: own })
      expect(result['_meta']).toMatchObject(theirs)
      const sent = server.paramsOf('tools/call')['_meta'] as RawMessage
      expect(sent).toMatchObject(own)
      const reserved = Object.keys(sent).filter((key) => key.startsWith('io.modelcontextprotocol/'))
      expect(reserved.length > 0).toBe(back === 'modern')
      if (front === 'legacy') expect(Object.keys(result['_meta'] as object)).not.toContain(META.server)
    },
  )
})

describe('time', () => {
  it.each(ERA_PAIRS)(
    'compose P09 compose K17 %s to %s: no limit but the patience of the caller',
    async (front, back) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
      const { server, client } = await connect(front, back, { idleMs: 1_000 })
      const { end, answered } = await openCall(server, client)
      await vi.advanceTimersByTimeAsync(6 * 3_600_000)
      expect(server.received('notifications/cancelled')).toEqual([])
      end()
      expect(await answered).toMatchObject({ result: { content: [] } })
    },
  )

  it('compose P09 timeoutMs is a limit of the back', async () => {
    const { server, client } = await connect('modern', 'modern', { timeoutMs: 100 })
    const { answered } = await openCall(server, client)
    expect(await answered).toHaveProperty('error')
    expect(server.received('notifications/cancelled')).toHaveLength(1)
  })
})

describe('a connection of several callers', () => {
  it('compose P12 ids and tokens are the proxy’s own, so that equal ones of two callers never meet', async () => {
    const { server, client, proxy } = await connect('modern', 'modern', { sessions: 'shared' })
    const other = await RawClient.open(proxy, 'modern')
    open.push(other)
    server.on('tools/call', () => undefined)
    const calls = [client, other].map((one, index) =>
      one.request('tools/call', { name: `call ${index}`, _meta: { progressToken: 1 } }, 'same'),
    )
    await vi.waitFor(() => expect(server.received('tools/call')).toHaveLength(2))
    const sent = server.received('tools/call')
    const sentAs = (name: string) => sent.find(({ params }) => (params as RawMessage)['name'] === name) as RawMessage
    const [first, second] = [sentAs('call 0'), sentAs('call 1')]
    const tokenOf = ({ params }: RawMessage) => ((params as RawMessage)['_meta'] as RawMessage)['progressToken']
    expect(first['id']).not.toBe(second['id'])
    expect(tokenOf(first)).not.toBe(tokenOf(second))
    server.notify('notifications/progress', { progressToken: tokenOf(second), progress: 2 })
    server.respond(second['id'], { resultType: 'complete', content: ['second'] })
    server.respond(first['id'], { resultType: 'complete', content: ['first'] })
    expect(await Promise.all(calls)).toMatchObject([
      { id: 'same', result: { content: ['first'] } },
      { id: 'same', result: { content: ['second'] } },
    ])
    expect(client.told('notifications/progress')).toEqual([])
    expect(other.told('notifications/progress')).toMatchObject([{ params: { progressToken: 1, progress: 2 } }])
  })

  it('compose P12 log messages that name no call go to the only caller; of several nobody gets them, which is told once', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const { server, client, proxy, faults } = await connect(era, era, { sessions: 'shared' })
      const other = await RawClient.open(proxy, era)
      open.push(other)
      await other.result('tools/list')
      const one = await openCall(server, client)
      server.notify('notifications/message', { level: 'info', data: 'for one' })
      const two = await openCall(server, other)
      for (const data of ['for', 'nobody']) server.notify('notifications/message', { level: 'info', data })
      one.end()
      two.end()
      await Promise.all([one.answered, two.answered])
      expect(client.told('notifications/message').map(({ params }) => (params as RawMessage)['data'])).toEqual([
        'for one',
      ])
      expect(other.told('notifications/message')).toEqual([])
      expect(faults.filter(({ method }) => method === 'notifications/message')).toHaveLength(1)
    }
  })
})

/** A client that stops to read: nothing that the server sends is taken until `read` is called. */
async function slowClient(proxy: { connect(channel: Channel): Promise<unknown> }) {
  const gate = {
    reading: undefined as ReturnType<typeof createDeferred<void>> | undefined,
    refuse: ((): boolean => false) as (message: JSONRPCMessage) => boolean,
  }
  const client = await RawClient.open(
    {
      connect: (there) =>
        proxy.connect({
          start: (receiver) => there.start(receiver),
          close: () => there.close(),
          send: (message, hints) => {
            if (gate.refuse(message as JSONRPCMessage)) return Promise.reject(new LimitError('maxMessageBytes', 1_000))
            void there.send(message, hints)
            return gate.reading?.promise
          },
        }),
    },
    'modern',
  )
  open.push(client)
  return { client, gate }
}

describe('a front that does not read', () => {
  it('compose P14 compose G027 of a flood the latest progress and the result arrive, log messages are dropped and counted', async () => {
    const server = rawServer('modern').on('tools/list', NO_TOOLS)
    const faults: Fault[] = []
    const proxy = createProxy(targetOf(server), { mode: 'modern', onFault: (fault) => faults.push(fault) })
    open.push(proxy)
    const { client, gate } = await slowClient(proxy)
    await client.result('tools/list')
    const { token, end, answered } = await openCall(server, client, {
      _meta: { progressToken: 'p', [META.level]: 'debug' },
    })
    gate.reading = createDeferred<void>()
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0))
    let sent = 0
    const flood = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        sent += 1
        server.notify('notifications/progress', { progressToken: token, progress: sent })
        server.notify('notifications/message', { level: 'debug', data: sent })
        if (i % 100 === 99) await turn()
      }
    }
    await flood(10_000)
    const held = client.received.length
    expect(held).toBeLessThan(3_000)
    gate.reading.resolve()
    gate.reading = undefined
    end()
    await answered
    const progress = client
      .told('notifications/progress')
      .map(({ params }) => (params as RawMessage)['progress'] as number)
    expect(progress.at(-1)).toBe(sent)
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress.length + client.told('notifications/message').length).toBeLessThan(6_000)
    expect(client.received.at(-1)).toHaveProperty('result')
    expect(
      faults.filter(({ kind, message }) => kind === 'overflow' && /\d+ messages of a call were dropped/.test(message)),
    ).toHaveLength(1)
  })

  it('compose P13 compose P14 one that reads gets all of a burst, in order', async () => {
    const sent: number[] = []
    const outbox = new Outbox(async (_method, params) => void sent.push(params?.['n'] as number))
    for (let n = 0; n < 5_000; n += 1) expect(outbox.put('notifications/odd', { n })).toBeUndefined()
    outbox.flush()
    expect(sent).toEqual(Array.from({ length: 5_000 }, (_, n) => n))
    expect(outbox.dropped).toBe(0)
  })

  it('compose P14 who can wait is asked to, until the front reads again', async () => {
    const reading = createDeferred<void>()
    const sent: unknown[] = []
    const outbox = new Outbox((_method, params) => {
      sent.push(params?.['n'])
      return reading.promise
    })
    for (let n = 0; n < 64; n += 1) void outbox.put('notifications/odd', { n })
    await new Promise((resolve) => setTimeout(resolve, 1))
    const waiting = outbox.put('notifications/odd', { n: 64 })
    expect(waiting).toBeInstanceOf(Promise)
    expect(sent).toHaveLength(64)
    reading.resolve()
    await waiting
    expect(sent).toHaveLength(65)
  })

  it('compose P14 slows the reading of the stream of its own call, and of no other one', async () => {
    const server = rawServer('modern').on('tools/list', NO_TOOLS)
    const target = targetOf(server)
    const stream = { of: undefined as unknown }
    const pressures: (Promise<void> | undefined)[] = []
    const shared: (Promise<void> | undefined)[] = []
    // A transport with a stream for each call, as HTTP has, which waits before it reads on.
    const proxy = createProxy(
      {
        kind: 'test',
        open: async () => {
          const channel = await target.open()
          return {
            send: (message, hints) => channel.send(message, hints),
            close: () => channel.close(),
            start: (receiver) =>
              channel.start({
                ...receiver,
                message: (message, hints) => {
                  const isTold = (message as RawMessage)['id'] === undefined
                  if (!isTold) return receiver.message(message, hints)
                  if (stream.of === undefined) {
                    shared.push(receiver.message(message, hints))
                    return undefined
                  }
                  const pressure = receiver.message(message, { relatedRequestId: stream.of as string })
                  pressures.push(pressure)
                  return pressure
                },
              }),
          }
        },
      },
      { mode: 'modern', onFault: () => {} },
    )
    open.push(proxy)
    const { client, gate } = await slowClient(proxy)
    const { token, id, end, answered } = await openCall(server, client, { _meta: { progressToken: 'p' } })
    const burst = async () => {
      for (let progress = 0; progress < 200; progress += 1) {
        server.notify('notifications/progress', { progressToken: token, progress })
        if (progress % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 0))
      }
    }
    const isOpen = async () => {
      let isRead = false
      void pressures.at(-1)?.then(() => {
        isRead = true
      })
      await new Promise((resolve) => setTimeout(resolve, 0))
      return pressures.at(-1) === undefined || isRead
    }
    // Where several calls share one stream, none of them holds up the others.
    gate.reading = createDeferred<void>()
    await burst()
    expect(shared).toHaveLength(200)
    expect(shared.every((pressure) => pressure === undefined)).toBe(true)
    stream.of = id
    await burst()
    expect(await isOpen()).toBe(false)
    stream.of = undefined
    gate.reading.resolve()
    gate.reading = undefined
    await pressures.at(-1)
    expect(await isOpen()).toBe(true)
    end()
    await answered
  })

  it('compose G033 a result that is too large for the front is an error with the limit; the call is done', async () => {
    const server = rawServer('modern').on('tools/list', NO_TOOLS)
    const proxy = createProxy(targetOf(server), { mode: 'modern' })
    open.push(proxy)
    const { client, gate } = await slowClient(proxy)
    gate.refuse = (message) => JSON.stringify(message).length > 1_000
    server.on('tools/call', { resultType: 'complete', content: [{ type: 'text', text: 'x'.repeat(2_000) }] })
    expect(await client.error('tools/call', { name: 'a' })).toMatchObject({
      code: -32603,
      data: { limit: 'maxMessageBytes', max: 1_000 },
    })
    expect(server.received('tools/call')).toHaveLength(1)
    expect(await client.result('tools/list')).toEqual(NO_TOOLS)
  })
})

describe('capabilities', () => {
  const described = (capabilities: RawMessage) => rawServer('modern', { capabilities })

  it('compose P17 of several sources: what any of them can, and changes only where one announces them', async () => {
    const gateway = createGateway({
      a: {
        target: targetOf(
          described({ tools: {}, extensions: { 'x/same': { n: 1 }, 'x/other': { n: 1 }, 'x/one': {} } }),
        ),
        mode: 'modern',
      },
      b: {
        target: targetOf(
          described({
            tools: { listChanged: true },
            prompts: {},
            completions: {},
            extensions: { 'x/same': { n: 1 }, 'x/other': { n: 2 } },
          }),
        ),
        mode: 'modern',
      },
    })
    const client = await RawClient.open(gateway, 'modern')
    open.push(gateway, client)
    const { capabilities } = (await client.result('server/discover')) as { capabilities: RawMessage }
    expect(capabilities['tools']).toEqual({ listChanged: true })
    expect(capabilities['prompts']).toBeDefined()
    expect(capabilities['completions']).toEqual({})
    expect(capabilities['resources']).toBeUndefined()
    expect(capabilities['extensions']).toEqual({ 'x/same': { n: 1 }, 'x/one': {} })
  })

  it('compose P17 of one source: all that it says, extensions with their settings', async () => {
    const capabilities = { tools: {}, extensions: { 'x/one': { deep: [1] } }, experimental: { y: {} } }
    const proxy = createProxy(targetOf(described(capabilities)), { mode: 'modern' })
    const client = await RawClient.open(proxy, 'modern')
    open.push(proxy, client)
    expect(await client.result('server/discover')).toMatchObject({ capabilities })
  })
})

describe('results of types that are not in the specification', () => {
  it('compose P19 cross; where the caller declared no extension, that is told once', async () => {
    const { server, client, faults } = await connect('modern', 'modern')
    const result = { resultType: 'x/later', ticket: [1] }
    server.on('tools/call', result)
    const meta = { [META.capabilities]: { extensions: { 'x/later': {} } } }
    expect(await client.result('tools/call', { name: 'a', _meta: meta })).toEqual(result)
    expect(faults).toEqual([])
    for (let i = 0; i < 2; i += 1) expect(await client.result('tools/call', { name: 'a' })).toEqual(result)
    expect(faults).toMatchObject([{ kind: 'invalid-message', method: 'tools/call' }])
  })
})

describe('tools that change between their listing and a call', () => {
  const listed = (header: string) => ({
    ...NO_TOOLS,
    tools: [
      { name: 'a', inputSchema: { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': header } } } },
    ],
  })
  const MISMATCH = { error: { code: -32020, message: 'the headers do not fit' } }

  it.each(['legacy', 'modern'] as const)(
    'compose G034 compose K10 from %s: listed anew and called once more, with the new headers',
    async (front) => {
      const { server, client } = await connect(front, 'modern')
      server.on('tools/list', listed('Old'))
      await client.result('tools/list')
      server.on('tools/list', listed('New'))
      server.on('tools/call', () =>
        server.received('tools/call').length === 1 ? MISMATCH : { resultType: 'complete', content: [] },
      )
      expect(await client.result('tools/call', { name: 'a', arguments: { x: 'y' } })).toMatchObject({ content: [] })
      expect(server.headersOf('tools/call', 0)).toMatchObject({ 'Mcp-Name': 'a', 'Mcp-Param-Old': 'y' })
      expect(server.headersOf('tools/call', 1)).toMatchObject({ 'Mcp-Name': 'a', 'Mcp-Param-New': 'y' })
    },
  )

  it('compose G034 once: what the source says then is the answer', async () => {
    const { server, client } = await connect('modern', 'modern')
    server.on('tools/list', listed('Old')).on('tools/call', () => MISMATCH)
    expect(await client.error('tools/call', { name: 'a', arguments: { x: 'y' } })).toEqual(MISMATCH.error)
    expect(server.received('tools/call')).toHaveLength(2)
  })
})

describe('what stands in for the kernel', () => {
  it('compose K16 compose K19 a call that the caller cancelled is answered by nobody', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    const { end, id } = await openCall(server, client)
    client.notify('notifications/cancelled', { requestId: client.received.length })
    client.notify('notifications/cancelled', { requestId: 'c2' })
    await vi.waitFor(() =>
      expect(server.received('notifications/cancelled')).toMatchObject([{ params: { requestId: id } }]),
    )
    end()
    await client.result('tools/list')
    expect(client.received.filter((message) => message['id'] === 'c2')).toEqual([])
  })

  it('compose K22 each subscription has a request of its own at the source', async () => {
    const { server, client } = await connect('modern', 'modern')
    server.on('subscriptions/listen', () => undefined)
    for (const id of ['one', 'two'])
      void client.request('subscriptions/listen', { notifications: { toolsListChanged: true } }, id)
    await vi.waitFor(() => expect(server.received('subscriptions/listen')).toHaveLength(2))
    for (const { id } of server.received('subscriptions/listen')) {
      server.notify('notifications/tools/list_changed', { _meta: { [META.subscription]: id } })
    }
    const told = await client.untilTold('notifications/tools/list_changed', 2)
    expect(told.map(({ params }) => ((params as RawMessage)['_meta'] as RawMessage)[META.subscription])).toEqual([
      'one',
      'two',
    ])
  })

  it('compose K04 compose K24 a session at the source for each session at the front, which ends with it', async () => {
    const servers = [rawServer('legacy'), rawServer('legacy')]
    const proxy = createProxy(targetOf(...servers), { mode: 'legacy' })
    const clients = [await RawClient.open(proxy, 'legacy'), await RawClient.open(proxy, 'legacy')]
    open.push(proxy)
    expect(servers.map((server) => server.received('initialize').length)).toEqual([1, 1])
    await clients[0]?.close()
    await vi.waitFor(() => expect(servers.map(({ isClosed }) => isClosed)).toEqual([true, false]))
  })
})
