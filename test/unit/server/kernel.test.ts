// The kernel without a client of ours: exact messages in, exact messages out.
import { describe, expect, it, vi } from 'vitest'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { coreOf } from '../../../src/server/internals.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { RawPeer, settle } from '../../support/peers.ts'

const META = 'io.modelcontextprotocol/'
const envelope = (extra: JSONObject = {}) => ({
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientCapabilities`]: {},
  ...extra,
})
const clientInfo = { name: 'test', version: '1' }

async function connect(options: ServerOptions = {}) {
  const server = new Server('kernel', { version: '2.0.0', ...options })
  const [here, there] = createMemoryChannelPair()
  const served = await server.connect(there)
  const peer = new RawPeer(here)
  let id = 0
  const call = async (method: string, params?: JSONObject) => {
    id += 1
    peer.send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
    return peer.next()
  }
  const initialize = async (protocolVersion = '2025-11-25', capabilities: JSONObject = {}) => {
    const answer = await call('initialize', { protocolVersion, capabilities, clientInfo })
    peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return answer
  }
  const modern = (method: string, params: JSONObject = {}, meta: JSONObject = {}) =>
    call(method, { ...params, _meta: envelope(meta) })
  return { server, served, peer, call, initialize, modern, [Symbol.asyncDispose]: () => served.close() }
}

const echo: ServerOptions = {
  handlers: {
    'tools/list': () => ({ tools: [] }),
    'tools/call': (_ctx, { name, arguments: args = {} }) => ({
      content: [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }],
    }),
  },
}

describe('the handshake', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'agrees on %s when asked for it',
    async (version) => {
      await using link = await connect({ ...echo, instructions: 'Be kind.' })
      expect(await link.initialize(version)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: version,
          capabilities: { tools: {} },
          serverInfo: { name: 'kernel', version: '2.0.0' },
          instructions: 'Be kind.',
        },
      })
    },
  )

  it.each(['2023-01-01', '2026-07-28', 'nonsense'])(
    'answers %s with the newest revision that has one',
    async (version) => {
      await using link = await connect(echo)
      expect(await link.initialize(version)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    },
  )

  it('offers the newest revision that the server supports, in whatever order these are given', async () => {
    await using link = await connect({ ...echo, supportedVersions: ['2025-06-18', '2024-11-05', '2025-03-26'] })
    expect(await link.initialize('2025-11-25')).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
  })

  it('keeps to the revisions that the server supports', async () => {
    await using link = await connect({ ...echo, supportedVersions: ['2024-11-05', '2025-03-26'] })
    expect(await link.initialize('2025-11-25')).toMatchObject({ result: { protocolVersion: '2025-03-26' } })
    await using modernOnly = await connect({ ...echo, supportedVersions: ['2026-07-28'] })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    expect(await modernOnly.call('initialize', params)).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-11-25' } },
    })
  })

  it('F089 refuses requests before it, but not ping, and unknown methods stay unknown', async () => {
    await using link = await connect(echo)
    expect(await link.call('tools/list')).toMatchObject({ error: { code: -32600 } })
    expect(await link.call('nobody/knows')).toMatchObject({ error: { code: -32601 } })
    expect(await link.call('ping')).toMatchObject({ result: {} })
    expect(await link.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    expect(await link.call('tools/list')).toEqual({ jsonrpc: '2.0', id: 5, result: { tools: [] } })
  })

  it('F089 happens once', async () => {
    await using link = await connect(echo)
    await link.initialize('2025-03-26')
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'other', version: '2' } }
    expect(await link.call('initialize', params)).toMatchObject({ error: { code: -32600 } })
    // The first agreement stands: batches exist at 2025-03-26 only.
    link.peer.send([{ jsonrpc: '2.0', id: 'b', method: 'ping' }])
    expect(await link.peer.next()).toEqual([{ jsonrpc: '2.0', id: 'b', result: {} }])
  })

  it('commits nothing when a middleware refuses it', async () => {
    let refusals = 1
    await using link = await connect({
      ...echo,
      middleware: [
        async (ctx, next) => {
          const result = await next()
          if (ctx.method === 'initialize' && refusals-- > 0) throw new Error('not today')
          return result
        },
      ],
    })
    expect(await link.initialize()).toMatchObject({ error: { code: -32603 } })
    // `notifications/initialized` alone opens the gate, so look at the facts of the connection instead.
    expect(await link.initialize('2025-06-18')).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
  })

  it('lets a pipelined request see what was agreed', async () => {
    await using link = await connect(echo)
    link.peer.send({
      jsonrpc: '2.0',
      id: 'i',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    })
    link.peer.send({ jsonrpc: '2.0', id: 't', method: 'tools/list' })
    expect(await link.peer.next()).toMatchObject({ id: 'i', result: {} })
    expect(await link.peer.next()).toEqual({ jsonrpc: '2.0', id: 't', result: { tools: [] } })
  })
})

describe('the modern era', () => {
  it('serves each request by its own envelope', async () => {
    await using link = await connect(echo)
    expect(await link.modern('tools/call', { name: 'add', arguments: { a: 1 } })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: 'add {"a":1}' }],
        _meta: { [`${META}serverInfo`]: { name: 'kernel', version: '2.0.0' } },
      },
    })
  })

  it('discovers', async () => {
    await using link = await connect({ ...echo, subscriptions: true })
    expect(await link.modern('server/discover')).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        ttlMs: 0,
        cacheScope: 'private',
      },
    })
  })

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])(
    'answers %s with modern metadata as an unknown method',
    async (method) => {
      await using link = await connect({ ...echo, subscriptions: true, logging: true })
      expect(await link.modern(method)).toMatchObject({ error: { code: -32601 } })
    },
  )

  it('refuses a request without the required metadata', async () => {
    await using link = await connect(echo)
    await link.modern('tools/list')
    expect(await link.call('tools/list')).toMatchObject({ error: { code: -32602 } })
    expect(await link.call('tools/list', { _meta: { [`${META}protocolVersion`]: '2026-07-28' } })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('clientCapabilities') },
    })
  })

  it('is not settled by a notification', async () => {
    await using link = await connect(echo)
    link.peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } })
    expect(await link.modern('tools/list')).toMatchObject({ result: { tools: [] } })
  })

  it('F094 has no way back, and says so at once', async () => {
    await using link = await connect({
      handlers: {
        'tools/call': async (ctx) => {
          const failure = await ctx.session.listRoots().catch((error: Error) => error.constructor.name)
          return { content: [{ type: 'text', text: `${failure} ${ctx.session.canSendRequest}` }] }
        },
      },
    })
    expect(await link.modern('tools/call', { name: 'x' })).toMatchObject({
      result: { content: [{ text: 'NoBackChannelError false' }] },
    })
  })
})

describe('results', () => {
  const superset = {
    handlers: {
      'tools/list': () => ({
        tools: [
          {
            name: 'add',
            title: 'Add',
            inputSchema: { type: 'object' as const },
            outputSchema: { type: 'object' as const },
            annotations: { readOnlyHint: true },
            icons: [{ src: 'https://example.com/i.png' }],
            _meta: { vendor: 1 },
            vendorField: true,
          },
        ],
      }),
    },
  } satisfies ServerOptions

  it.each<[string, string[]]>([
    ['2024-11-05', ['name', 'inputSchema', 'vendorField']],
    ['2025-03-26', ['name', 'inputSchema', 'annotations', 'vendorField']],
    ['2025-06-18', ['name', 'title', 'inputSchema', 'outputSchema', 'annotations', '_meta', 'vendorField']],
    ['2025-11-25', ['name', 'title', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta', 'vendorField']],
  ])('at %s have the members of that revision, and those that no revision knows', async (version, members) => {
    await using link = await connect(superset)
    await link.initialize(version)
    const answer = (await link.call('tools/list')) as { result: { tools: object[] } }
    expect(Object.keys(answer.result.tools[0]!).sort()).toEqual([...members].sort())
    expect(Object.keys(answer.result)).toEqual(['tools'])
  })

  it('say what older revisions can say of newer content', async () => {
    const handlers: ServerOptions['handlers'] = {
      'tools/call': () => ({
        content: [
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        ],
        structuredContent: [1, 2],
      }),
    }
    await using old = await connect({ handlers })
    await old.initialize('2024-11-05')
    expect(await old.call('tools/call', { name: 'x' })).toMatchObject({
      result: {
        content: [
          { type: 'text', text: 'a: file:///a' },
          { type: 'text', text: '[audio, audio/wav]' },
        ],
      },
    })
    await using modern = await connect({ handlers })
    expect(await modern.modern('tools/call', { name: 'x' })).toMatchObject({
      result: { content: [{ type: 'resource_link' }, { type: 'audio' }], structuredContent: [1, 2] },
    })
  })

  it('that were prepared are shaped once per revision', async () => {
    const listing = { tools: [{ name: 'add', title: 'Add', inputSchema: { type: 'object' as const } }] }
    const server = new Server('kernel', { handlers: { 'tools/list': () => listing } })
    coreOf(server).prepared.add(listing)
    const client = await server.connectInProcess()
    void client.run(
      () => ({}),
      () => {},
    )
    const list = () => client.sendRawRequest('tools/list', { _meta: envelope() })
    const [first, second] = [await list(), await list()]
    expect(first).toMatchObject({ resultType: 'complete', tools: listing.tools })
    expect(second).toBe(first)
    await client.close()
    await using old = await connect({ handlers: { 'tools/list': () => listing } })
    coreOf(old.server).prepared.add(listing)
    await old.initialize('2024-11-05')
    expect(await old.call('tools/list')).toMatchObject({ result: { tools: [{ name: 'add' }] } })
    expect(JSON.stringify(await old.call('tools/list'))).not.toContain('title')
  })

  it('carry cache hints in the modern era only', async () => {
    const options: ServerOptions = { ...echo, cacheHints: { 'tools/list': { ttlMs: 5_000, scope: 'public' } } }
    await using modern = await connect(options)
    expect(await modern.modern('tools/list')).toMatchObject({ result: { ttlMs: 5_000, cacheScope: 'public' } })
    await using legacy = await connect(options)
    await legacy.initialize()
    expect(await legacy.call('tools/list')).toEqual({ jsonrpc: '2.0', id: 2, result: { tools: [] } })
  })
})

describe('errors', () => {
  it.each([true, false])('leave no cleanup behind in the modern era, thrown at once: %s', async (atOnce) => {
    const cleanup = vi.fn()
    await using link = await connect({
      handlers: {
        'tools/call': (ctx) => {
          ctx.connection.defer(cleanup)
          const error = new MCPError(-32602, 'no')
          if (atOnce) throw error
          return Promise.reject(error)
        },
      },
    })
    expect(await link.modern('tools/call', { name: 'x' })).toMatchObject({ error: { code: -32602 } })
    expect(cleanup).toHaveBeenCalledTimes(1)
  })

  it('say that a resource is missing with the code of the revision (B-RPC-18)', async () => {
    const handlers: ServerOptions['handlers'] = {
      'resources/read': (_ctx, { uri }) => {
        throw new MCPError(-32002, 'Resource not found', { uri })
      },
    }
    await using legacy = await connect({ handlers })
    await legacy.initialize()
    expect(await legacy.call('resources/read', { uri: 'x:y' })).toMatchObject({ error: { code: -32002 } })
    await using modern = await connect({ handlers })
    expect(await modern.modern('resources/read', { uri: 'x:y' })).toMatchObject({
      error: { code: -32602, message: 'Resource not found', data: { uri: 'x:y' } },
    })
  })
})

describe('middleware', () => {
  it('observes, rewrites, answers and refuses, the first one outermost', async () => {
    const events: string[] = []
    await using link = await connect({
      ...echo,
      middleware: [
        async (ctx, next) => {
          events.push(`outer ${ctx.method}`)
          const result = await next()
          events.push('outer done')
          return result
        },
        (ctx, next) => {
          events.push('inner')
          const name = ctx.params?.['name']
          if (name === 'answer') return { content: [], structuredContent: { answered: true } }
          if (name === 'refuse') throw new Error('secret')
          return name === 'rewrite' ? next({ ...ctx.params, name: 'rewritten' }) : next()
        },
      ],
    })
    await link.initialize()
    await settle()
    events.length = 0
    expect(await link.call('tools/call', { name: 'rewrite' })).toMatchObject({
      result: { content: [{ text: 'rewritten {}' }] },
    })
    expect(events).toEqual(['outer tools/call', 'inner', 'outer done'])
    expect(await link.call('tools/call', { name: 'answer' })).toMatchObject({
      result: { structuredContent: { answered: true } },
    })
    expect(await link.call('tools/call', { name: 'refuse' })).toMatchObject({
      error: { code: -32603, message: 'Internal error' },
    })
  })

  it('sees notifications and unknown methods too', async () => {
    const seen: string[] = []
    await using link = await connect({
      ...echo,
      middleware: [
        (ctx, next) => {
          seen.push(`${ctx.method} ${ctx.requestId !== undefined}`)
          return next()
        },
      ],
    })
    await link.initialize()
    await link.call('unknown/method')
    expect(seen).toEqual(['initialize true', 'notifications/initialized false', 'unknown/method true'])
  })
})

describe('a server', () => {
  it('that is closed right after its first answer closes that connection as any other, also where connect() has not returned', async () => {
    const [here, there] = createMemoryChannelPair()
    const server = new Server('brief')
    let isConnected = false
    const connecting = server.connect(there).finally(() => {
      isConnected = true
    })
    const peer = new RawPeer(here)
    peer.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await peer.next()
    expect(isConnected).toBe(false)
    await server.close()
    await (await connecting).ended
  })

  it('F090 rejects a channel that is in use, and whatever a channel throws at its start; the first connection goes on', async () => {
    await using first = await connect(echo)
    await first.initialize()
    const [here, there] = createMemoryChannelPair()
    const server = new Server('first')
    await using served = await server.connect(there)
    for (const other of [server, new Server('other')]) {
      await expect(other.connect(there)).rejects.toThrow('This channel is in use')
      expect(coreOf(other).lifespan).toBeUndefined()
    }
    const peer = new RawPeer(here)
    peer.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(await peer.next()).toMatchObject({ id: 1, result: {} })

    const cause = new Error('no wire')
    const sync = () => {
      throw cause
    }
    for (const start of [sync, async () => sync(), async () => settle().then(() => Promise.reject(cause))]) {
      const channel = { start, send: async () => {}, close: () => {} }
      const connected = server.connect(channel)
      // One that takes its time to fail is a connection that ends.
      await expect(connected.then(({ ended }) => ended)).rejects.toBe(cause)
    }
    await expect(server.connect({ start: async () => sync(), send: async () => {}, close: () => {} })).rejects.toBe(
      cause,
    )
    // One that reads in its start until the end is served meanwhile.
    const reading = await server.connect({ start: () => new Promise(() => {}), send: async () => {}, close: () => {} })
    await reading.close()
    expect(served.ended).toBeInstanceOf(Promise)
  })

  it('takes functions as handlers; undefined is none', async () => {
    const wrong = 5 as never
    const message = "The handler of 'tools/list' must be a function, not a number."
    expect(() => new Server('x', { handlers: { 'tools/list': wrong } })).toThrow(message)
    expect(() => new Server('x').setRequestHandler('tools/list', wrong)).toThrow(TypeError)
    expect(() => new Server('x', { notifications: { 'notifications/initialized': wrong } })).toThrow(TypeError)
    expect(() => new Server('x').setNotificationHandler('acme/x', undefined as never)).toThrow(TypeError)
    await using own = await connect({ handlers: { 'tools/list': undefined as never } })
    expect(await own.modern('server/discover')).toMatchObject({ result: { capabilities: {} } })
    expect(await own.modern('tools/list')).toMatchObject({ error: { code: -32601 } })
  })
})

describe('lifespan', () => {
  it('is entered once for all connections, and left with the last', async () => {
    const events: string[] = []
    const server = new Server('life', {
      lifespan: async () => {
        events.push('enter')
        return { value: 42, [Symbol.asyncDispose]: async () => void events.push('leave') }
      },
      handlers: {
        'tools/call': (ctx) => ({
          content: [],
          structuredContent: { value: (ctx.lifespan as { value: number }).value },
        }),
      },
    })
    const first = await server.connectInProcess()
    const second = await server.connectInProcess({ legacy: true })
    expect(events).toEqual(['enter'])
    void first.run(
      () => ({}),
      () => {},
    )
    void second.run(
      () => ({}),
      () => {},
    )
    expect(await first.sendRawRequest('tools/call', { name: 'x', _meta: envelope() })).toMatchObject({
      structuredContent: { value: 42 },
    })
    await first.close()
    await settle()
    expect(events).toEqual(['enter'])
    await second.close()
    await settle()
    expect(events).toEqual(['enter', 'leave'])
  })

  it('may be a generator, which goes on after its yield with the last connection', async () => {
    const events: string[] = []
    const server = new Server('life', {
      lifespan: async function* () {
        events.push('enter')
        try {
          yield { value: 42 }
          events.push('leave')
        } finally {
          events.push('closed')
        }
      },
    })
    for (let start = 0; start < 2; start += 1) {
      events.length = 0
      const first = await server.connectInProcess()
      const second = await server.connectInProcess()
      expect(coreOf(server).lifespan).toEqual({ value: 42 })
      await first.close()
      await settle()
      expect(events).toEqual(['enter'])
      await second.close()
      await settle()
      expect(events).toEqual(['enter', 'leave', 'closed'])
      expect(coreOf(server).lifespan).toBeUndefined()
    }
  })

  it('that is a generator without a value, or one that throws, fails to start', async () => {
    const empty = new Server('life', { lifespan: async function* () {} })
    await expect(empty.connectInProcess()).rejects.toThrow('The lifespan is a generator that yields no value')
    const failing = new Server('life', {
      lifespan: async function* () {
        yield await Promise.reject(new Error('no database'))
      },
    })
    await expect(failing.connectInProcess()).rejects.toThrow('no database')
  })

  it('that yields twice is ended all the same', async () => {
    const events: string[] = []
    const server = new Server('life', {
      lifespan: async function* () {
        try {
          yield 1
          yield 2
        } finally {
          events.push('closed')
        }
      },
    })
    const connection = await server.connectInProcess()
    await connection.close()
    await settle()
    expect(events).toEqual(['closed'])
  })

  it('that fails to start fails the connection, and the next one tries again', async () => {
    let attempts = 0
    const server = new Server('life', {
      lifespan: () => {
        attempts += 1
        if (attempts === 1) throw new Error('no database')
        return { attempts }
      },
    })
    await expect(server.connectInProcess()).rejects.toThrow('no database')
    const client = await server.connectInProcess()
    expect(coreOf(server).lifespan).toEqual({ attempts: 2 })
    await client.close()
  })
})
