// A client's life, its properties and its verbs, against a server that plays by script.
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { InMemoryResponseCacheStore } from '../../../src/client/cache/response-store.ts'
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { ClientTarget } from '../../../src/client/opening/targets.ts'
import { ClientSession } from '../../../src/client/session/session.ts'
import type { DescribesTools } from '../../../src/client/session/tool-types.ts'
import type { Channel, Transport } from '../../../src/dispatcher/channel.ts'
import { JSONRPCDispatcher } from '../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { LimitError, ListenNotSupportedError, TransportError } from '../../../src/types/errors/failures.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION } from '../../../src/types/protocol/versions.ts'
import { RawPeer, settle } from '../../support/peers.ts'
import { cacheable, listOf, ScriptedServer, text, tool } from './session/scripted-server.ts'

const modes = ['auto', 'modern', 'legacy', LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION] as const

afterEach(() => {
  vi.useRealTimers()
})

describe.each(modes)('in mode %s', (mode) => {
  const isLegacy = mode === 'legacy' || mode === LATEST_LEGACY_VERSION
  const version = isLegacy ? LATEST_LEGACY_VERSION : LATEST_MODERN_VERSION

  it('connects, calls and closes', async () => {
    const server = new ScriptedServer({ 'tools/call': (params) => text(`called ${String(params['name'])}`) })
    const client = await Client.connect(server, { mode })
    expect(client.protocolVersion).toBe(version)
    expect(client.session).toBeInstanceOf(ClientSession)
    const result = await client.callTool('greet', { name: 'Ada' })
    expect(result.content).toEqual([{ type: 'text', text: 'called greet' }])
    const call = server.calls.find(({ method }) => method === 'tools/call')
    expect(call!.params).toMatchObject({ name: 'greet', arguments: { name: 'Ada' } })
    await client.close()
    await server.ended
  })

  it('speaks to a server in process as the era does', async () => {
    const server = new ScriptedServer()
    await using _client = await Client.connect(server, { mode, raiseExceptions: true })
    expect(server.connectOptions).toEqual([{ legacy: isLegacy, raiseExceptions: true }])
  })

  it('reads all pages', async () => {
    const server = new ScriptedServer({
      'tools/list': ({ cursor }) =>
        cursor === undefined ? { ...listOf('a', 'b'), nextCursor: '' } : cursor === '' ? listOf('c') : listOf('wrong'),
    })
    await using client = await Client.connect(server, { mode })
    const names: string[] = []
    for await (const each of client.tools()) names.push(each.name)
    expect(names).toEqual(['a', 'b', 'c'])
  })

  it('F101 stops at a cursor that does not change', async () => {
    const server = new ScriptedServer({
      'prompts/list': cacheable({ prompts: [{ name: 'p' }], nextCursor: 'same' }),
    })
    await using client = await Client.connect(server, { mode })
    const reading = (async () => {
      for await (const _prompt of client.prompts());
    })()
    await expect(reading).rejects.toThrow(LimitError)
    expect(server.count('prompts/list')).toBe(2)
  })

  it('has a method for every request', async () => {
    const server = new ScriptedServer({
      'resources/list': cacheable({ resources: [{ name: 'r', uri: 'file:///r' }] }),
      'resources/templates/list': cacheable({ resourceTemplates: [{ name: 't', uriTemplate: 'file:///{t}' }] }),
      'resources/read': cacheable({ contents: [{ uri: 'file:///r', text: 'hello' }] }),
      'prompts/list': cacheable({ prompts: [{ name: 'p' }] }),
      'prompts/get': { resultType: 'complete', messages: [] },
      'completion/complete': { resultType: 'complete', completion: { values: ['x'] } },
    })
    await using client = await Client.connect(server, { mode })
    expect((await client.listResources()).resources).toHaveLength(1)
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
    expect((await client.listPrompts()).prompts).toHaveLength(1)
    expect((await client.readResource('file:///r')).contents).toHaveLength(1)
    expect((await client.getPrompt('p', { a: 'b' })).messages).toEqual([])
    const ref = { type: 'ref/prompt', name: 'p' } as const
    expect((await client.complete(ref, { name: 'a', value: 'b' }, { c: 'd' })).completion.values).toEqual(['x'])
    expect(server.calls.at(-1)!.params).toMatchObject({ context: { arguments: { c: 'd' } } })
    const found: string[] = []
    for await (const { name } of client.resources()) found.push(name)
    for await (const { name } of client.resourceTemplates()) found.push(name)
    for await (const { name } of client.prompts()) found.push(name)
    expect(found).toEqual(['r', 't', 'p'])
  })

  it('rejects with the error of the server', async () => {
    const server = new ScriptedServer({
      'prompts/get': () => {
        throw new MCPError(-32602, 'no such prompt')
      },
    })
    await using client = await Client.connect(server, { mode })
    await expect(client.getPrompt('p')).rejects.toMatchObject({ code: -32602, message: 'no such prompt', local: false })
  })
})

describe('properties', () => {
  it.each(['auto', 'legacy'] as const)('say who the server is in mode %s', async (mode) => {
    await using client = await Client.connect(new ScriptedServer(), { mode })
    expect(client.serverInfo).toEqual({ name: 'scripted', version: '1.0.0' })
    expect(client.serverCapabilities.tools).toEqual({ listChanged: true })
    expect(client.instructions).toBe('be kind')
  })

  it('are there without a message for a pinned revision', async () => {
    const server = new ScriptedServer()
    await using client = await Client.connect(server, { mode: LATEST_MODERN_VERSION })
    expect(server.calls).toEqual([])
    expect(client.serverCapabilities).toEqual({})
    expect(client.serverInfo).toBeUndefined()
    expect(client.instructions).toBeUndefined()
  })

  it('come from priorDiscover where that is given', async () => {
    await using first = await Client.connect(new ScriptedServer())
    const server = new ScriptedServer()
    const priorDiscover = first.session.discoverResult!
    await using client = await Client.connect(server, { mode: LATEST_MODERN_VERSION, priorDiscover })
    expect(server.calls).toEqual([])
    expect(client.serverInfo).toEqual({ name: 'scripted', version: '1.0.0' })
  })
})

describe('life', () => {
  const unopened = () => new Client(new ScriptedServer())

  it('rejects everything before it is open, and after it was closed', async () => {
    const client = unopened()
    const uses = [
      () => client.listTools(),
      () => client.callTool('x'),
      () => client.readResource('file:///x'),
      () => client.listen({ toolsListChanged: true }),
      () => client.sendPing(),
      async () => client.tools(),
      async () => client.session,
      async () => client.protocolVersion,
      async () => client.serverCapabilities,
    ]
    for (const use of uses) await expect(use()).rejects.toThrow(/not open\. Call open\(\)/)
    await client.open()
    await client.close()
    for (const use of uses) await expect(use()).rejects.toThrow(/not open because it was closed/)
  })

  it('F090 opens once', async () => {
    const client = unopened()
    const opening = client.open()
    await expect(client.open()).rejects.toThrow(/opened before/)
    await opening
    await expect(client.open()).rejects.toThrow(/opened before/)
    expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
    await client.close()
    await expect(client.open()).rejects.toThrow(/closed/)
  })

  it('F090 does not take a channel that another client uses, and leaves that one alone', async () => {
    const [here, there] = createMemoryChannelPair()
    serveOver(there)
    await using first = await Client.connect(here)
    await expect(Client.connect(here)).rejects.toThrow(/in use/)
    expect((await first.listTools()).tools).toHaveLength(1)
  })

  it('closes any number of times, from anywhere', async () => {
    const server = new ScriptedServer({
      'tools/call': async () => {
        await client.close()
        return text('late')
      },
    })
    const client = await Client.connect(server)
    await expect(client.callTool('x')).rejects.toMatchObject({ code: -32000, local: true })
    await Promise.all([client.close(), client.close()])
    await server.ended
  })

  it('closes while it is opening', async () => {
    const server = new ScriptedServer({ 'server/discover': () => new Promise(() => {}) })
    const client = new Client(server)
    const opening = client.open()
    await settle()
    await client.close()
    await expect(opening).rejects.toThrow(/closed while it was opening/)
    await server.ended
  })

  it('closes although the target does not open and ignores the signal, and closes the target when it opens later', async () => {
    const [here] = createMemoryChannelPair()
    const close = vi.spyOn(here, 'close')
    let finish: (channel: Channel) => void = () => {}
    const transport: Transport = { kind: 'slow', open: () => new Promise((resolve) => (finish = resolve)) }
    const client = new Client(transport)
    const opening = client.open()
    await client.close()
    await expect(opening).rejects.toThrow(/closed while/)
    finish(here)
    await settle()
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('leaves no target open, at whichever step of opening it is closed', async () => {
    for (let steps = 0; steps < 30; steps++) {
      const [here] = createMemoryChannelPair()
      const close = vi.spyOn(here, 'close')
      const client = new Client({ kind: 'mute', open: async () => here })
      const opening = client.open()
      opening.catch(() => {})
      for (let step = 0; step < steps; step++) await Promise.resolve()
      await client.close()
      await expect(opening).rejects.toThrow(/closed while/)
      await settle()
      expect(close, `after ${steps} steps`).toHaveBeenCalled()
    }
  })

  it('closes before it was opened', async () => {
    const client = unopened()
    await client.close()
    await expect(client.open()).rejects.toThrow(/closed/)
  })

  it('leaves nothing open when it fails to open', async () => {
    const server = new ScriptedServer({
      'server/discover': () => {
        throw new MCPError(-32021, 'no')
      },
    })
    const client = new Client(server)
    await expect(client.open()).rejects.toMatchObject({ cause: { code: -32021 } })
    await server.ended
    expect(() => client.session).toThrow(/not open/)
  })
})

describe('targets', () => {
  it('may be channels', async () => {
    const [here, there] = createMemoryChannelPair()
    serveOver(there)
    await using client = await Client.connect(here)
    expect((await client.listTools()).tools).toHaveLength(1)
  })

  it('may be transports', async () => {
    const transport = transportTo(() => new ScriptedServer({ 'tools/list': listOf('a') }))
    await using client = await Client.connect(transport)
    expect((await client.listTools()).tools).toHaveLength(1)
    expect(transport.opened).toBe(1)
  })

  it('F220 that exit on the probe are started again, once, without a probe', async () => {
    const transport = transportTo((count) => (count === 1 ? 'dies' : new ScriptedServer()))
    await using client = await Client.connect(transport)
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    expect(transport.opened).toBe(2)
  })

  it('F220 that always exit are not started a third time', async () => {
    const transport = transportTo(() => 'dies')
    await expect(Client.connect(transport)).rejects.toMatchObject({ cause: { code: -32000, local: true } })
    expect(transport.opened).toBe(2)
  })

  it.each(['legacy', LATEST_MODERN_VERSION] as const)(
    'F220 that die in mode %s are not started again',
    async (mode) => {
      const transport = transportTo(() => 'dies')
      const connecting = Client.connect(transport, { mode }).then((client) => client.listTools())
      const closed = { code: -32000, local: true }
      await expect(connecting).rejects.toMatchObject(mode === 'legacy' ? { cause: closed } : closed)
      expect(transport.opened).toBe(1)
    },
  )

  it('whose way is broken are reported as that', async () => {
    const broken = new TransportError('ECONNREFUSED')
    const transport: Transport = { kind: 'broken', open: () => Promise.reject(broken) }
    await expect(Client.connect(transport)).rejects.toMatchObject({ name: 'ConnectError', cause: broken })
  })

  it('F220 that never answer the question are spoken to in the legacy era', async () => {
    vi.useFakeTimers()
    const [here, there] = createMemoryChannelPair()
    const peer = new RawPeer(there)
    const connecting = Client.connect(here, { probeTimeoutMs: 200 })
    expect(await peer.next()).toMatchObject({ method: 'server/discover' })
    await vi.advanceTimersByTimeAsync(200)
    const initialize = await peer.next()
    expect(initialize).toMatchObject({ method: 'initialize' })
    peer.send({
      jsonrpc: '2.0',
      id: initialize['id'],
      result: {
        protocolVersion: LATEST_LEGACY_VERSION,
        capabilities: {},
        serverInfo: { name: 'old', version: '1' },
      },
    })
    await using client = await connecting
    expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
    expect(await peer.next()).toMatchObject({ method: 'notifications/initialized' })
  })

  it('F001 that is a command which does not exist fails with the reason, and leaves nothing behind', async () => {
    const failure = await Client.connect({ command: 'mcpwire-no-such-command' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
    expect((failure as TransportError).message).toContain("Cannot start 'mcpwire-no-such-command' (ENOENT)")
  })

  it.each(['http://localhost/mcp', new URL('https://host/mcp'), 'https://user:secret@host/mcp'])(
    'can be the URL %s, and nothing is sent before it is opened',
    (target) => {
      expect(() => new Client(target)).not.toThrow()
    },
  )

  it('can be no URL whose password would travel in the clear, and the password is not repeated', () => {
    expect(() => new Client('http://user:secret@example.com/mcp')).toThrow(/Use https/)
    expect(() => new Client('http://user:secret@example.com/mcp')).not.toThrow(/secret/)
  })

  it('can be no URL of another scheme', () => {
    expect(() => new Client('ftp://host/mcp')).toThrow(TypeError)
  })

  it.each(['no url', {}, null, 7, { command: 7 }, []])('cannot be %j at all', (target) => {
    expect(() => new Client(target as unknown as ClientTarget)).toThrow(TypeError)
  })
})

describe('options', () => {
  it('name the new word where an old one is given', () => {
    const withOptions = (options: object) => () => new Client(new ScriptedServer(), options)
    expect(withOptions({ mode: 'handshake' })).toThrow(
      new RangeError(
        "mode cannot be 'handshake'. 'handshake' is now called 'legacy'. Use one of auto, modern, legacy, " +
          '2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.',
      ),
    )
    expect(withOptions({ mode: 'stateless' })).toThrow(/'stateless' is now called 'modern'\./)
    expect(withOptions({ era: 'handshake' })).toThrow(TypeError)
    expect(withOptions({ era: 'handshake' })).toThrow(/Unknown option "era" .* It is now called mode/)
  })

  it.each<ClientOptions>([
    { mode: 'toString' as 'auto' },
    { mode: null as unknown as 'auto' },
    { mode: '2031-01-01' as 'auto' },
    { probeTimeoutMs: -1 },
    { inputRequiredMaxRounds: -1 },
    { inputRequiredMaxRounds: 1.5 },
    { timeoutMs: Number.NaN },
    { cache: { defaultTtlMs: -1 } },
    { cache: { maxEntries: -1 } },
  ])('%j are rejected at once', (options) => {
    expect(() => new Client(new ScriptedServer(), options)).toThrow(RangeError)
  })

  it('a store without a partition is rejected at once', () => {
    const cache = { store: new InMemoryResponseCacheStore(), targetId: 'x' }
    expect(() => new Client(new ScriptedServer(), { cache })).toThrow(TypeError)
  })

  it('middleware stands around every request', async () => {
    const seen: string[] = []
    await using client = await Client.connect(new ScriptedServer({ 'tools/list': listOf('a') }), {
      middleware: [
        (ctx, next) => {
          seen.push(ctx.method)
          return next()
        },
      ],
    })
    await client.listTools()
    expect(seen).toEqual(['server/discover', 'tools/list'])
  })
})

describe('verbs of the legacy era', () => {
  const done = { resultType: 'complete' }
  const script = {
    ping: done,
    'logging/setLevel': done,
    'resources/subscribe': done,
    'resources/unsubscribe': done,
  }
  const use = async (client: Client) => {
    await client.sendPing()
    await client.setLoggingLevel('info')
    await client.subscribeResource('file:///a')
    await client.unsubscribeResource('file:///a')
    await client.sendProgressNotification('token', 1, 2, 'half')
    await client.sendRootsListChanged()
  }

  it('work there', async () => {
    const server = new ScriptedServer(script)
    await using client = await Client.connect(server, { mode: 'legacy' })
    await use(client)
    expect(server.calls.map(({ method }) => method).slice(1)).toEqual(Object.keys(script))
    await settle()
    expect(server.notifications.map(({ method }) => method)).toEqual([
      'notifications/initialized',
      'notifications/progress',
      'notifications/roots/list_changed',
    ])
  })
})

describe('the cache', () => {
  const server = (ttlMs = 60_000) => {
    let version = 0
    return new ScriptedServer({
      'tools/list': () => {
        version += 1
        return cacheable({ tools: [tool(`v${version}`)] }, ttlMs)
      },
    })
  }
  const nameOf = async (client: Client, options = {}) => (await client.listTools(options)).tools[0]!.name

  it('serves a listing again while it is fresh', async () => {
    const scripted = server()
    await using client = await Client.connect(scripted)
    expect(await nameOf(client)).toBe('v1')
    expect(await nameOf(client)).toBe('v1')
    expect(await nameOf(client, { cacheMode: 'bypass' })).toBe('v2')
    expect(await nameOf(client)).toBe('v1')
    expect(await nameOf(client, { meta: { mine: 1 } })).toBe('v3')
    expect(await nameOf(client)).toBe('v3')
    expect(scripted.count('tools/list')).toBe(3)
  })

  it('is off when it is turned off, and for the session below', async () => {
    const scripted = server()
    await using client = await Client.connect(scripted, { cache: false })
    await Promise.all([nameOf(client), nameOf(client)])
    expect(scripted.count('tools/list')).toBe(2)
    await using other = await Client.connect(scripted)
    await nameOf(other)
    await other.session.listTools()
    expect(scripted.count('tools/list')).toBe(4)
  })

  it('keeps nothing in the legacy era unless told how long', async () => {
    const scripted = server()
    await using client = await Client.connect(scripted, { mode: 'legacy' })
    await nameOf(client)
    expect(await nameOf(client)).toBe('v2')
    await using told = await Client.connect(server(), { mode: 'legacy', cache: { defaultTtlMs: 1_000 } })
    await nameOf(told)
    expect(await nameOf(told)).toBe('v1')
  })

  it('F221 forgets a listing before anybody hears that it changed', async () => {
    const scripted = server()
    const heard: string[] = []
    await using client: Client = await Client.connect(scripted, {
      mode: 'legacy',
      cache: { defaultTtlMs: 60_000 },
      onMessage: async () => {
        heard.push(await nameOf(client))
      },
    })
    await nameOf(client)
    await scripted.announce('notifications/tools/list_changed')
    await vi.waitFor(() => expect(heard).toEqual(['v2']))
  })

  it('F221 forgets a listing before the reader of a subscription hears that it changed', async () => {
    const scripted = server()
    await using client = await Client.connect(scripted)
    await using subscription = await client.listen({ toolsListChanged: true })
    expect(await nameOf(client)).toBe('v1')
    await scripted.announce('notifications/tools/list_changed')
    expect((await subscription.next()).value).toEqual({ type: 'toolsListChanged' })
    expect(await nameOf(client)).toBe('v2')
  })

  it('does not keep further pages, and forgets the first when one of them is rejected', async () => {
    let isRefusing = false
    const scripted = new ScriptedServer({
      'tools/list': ({ cursor }) => {
        if (cursor === undefined) return cacheable({ tools: [tool('a')], nextCursor: 'next' }, 60_000)
        if (isRefusing) throw new MCPError(-32602, 'unknown cursor')
        return cacheable({ tools: [tool('b')] }, 60_000)
      },
    })
    await using client = await Client.connect(scripted)
    for (let round = 0; round < 2; round++) for await (const _tool of client.tools());
    expect(scripted.count('tools/list')).toBe(3)
    isRefusing = true
    await expect(client.listTools({ cursor: 'next', cacheMode: 'bypass' })).rejects.toThrow('unknown cursor')
    await client.listTools()
    expect(scripted.count('tools/list')).toBe(4)
    await expect(client.listTools({ cursor: 'next' })).rejects.toThrow('unknown cursor')
    await client.listTools()
    expect(scripted.count('tools/list')).toBe(6)
  })

  it('keeps reads by their uri', async () => {
    const scripted = new ScriptedServer({
      'resources/read': ({ uri }) => cacheable({ contents: [{ uri, text: String(uri) }] }, 60_000),
    })
    await using client = await Client.connect(scripted)
    await client.readResource('file:///a')
    await client.readResource('file:///a')
    await client.readResource('file:///b')
    expect(scripted.count('resources/read')).toBe(2)
    await client.readResource('file:///a', { requestState: 'seed' })
    expect(scripted.count('resources/read')).toBe(3)
  })

  it('shares one request among identical calls, and cancels it when the last of them leaves', async () => {
    let answer: (listing: ReturnType<typeof listOf>) => void = () => {}
    const scripted = new ScriptedServer({ 'tools/list': () => new Promise((resolve) => (answer = resolve)) })
    await using client = await Client.connect(scripted)
    const controller = new AbortController()
    const first = client.listTools({ signal: controller.signal })
    const second = client.listTools()
    await settle()
    controller.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect(scripted.calls.at(-1)!.signal.aborted).toBe(false)
    answer(listOf('a'))
    expect((await second).tools).toHaveLength(1)
    expect(scripted.count('tools/list')).toBe(1)

    const alone = client.listTools({ signal: AbortSignal.timeout(0) })
    await expect(alone).rejects.toThrow()
    await settle()
    expect(scripted.calls.at(-1)!.signal.aborted).toBe(true)
  })

  it('teaches the session what it serves', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const script = {
      'tools/list': cacheable({ tools: [{ ...tool('count'), outputSchema }] }, 60_000),
      'tools/call': { resultType: 'complete', content: [], structuredContent: { n: 'one' } },
    }
    const cache = { store: new InMemoryResponseCacheStore(), partition: 'ada', targetId: 'server' }
    await using first = await Client.connect(new ScriptedServer(script), { cache })
    await first.listTools()
    const server = new ScriptedServer(script)
    await using second = await Client.connect(server, { cache })
    await second.listTools()
    await expect(second.callTool('count')).rejects.toThrow(/output schema/)
    expect(server.count('tools/list')).toBe(0)
  })
})

describe('listen', () => {
  it('gives changes until the server ends it', async () => {
    const server = new ScriptedServer()
    await using client = await Client.connect(server)
    await using subscription = await client.listen({
      promptsListChanged: true,
      resourceSubscriptions: ['file:///a'],
    })
    expect(subscription.honored).toEqual({ promptsListChanged: true, resourceSubscriptions: ['file:///a'] })
    await server.announce('notifications/prompts/list_changed')
    await server.announce('notifications/resources/updated', { uri: 'file:///a' })
    server.endSubscriptions()
    const events: unknown[] = []
    for await (const event of subscription) events.push(event)
    expect(events).toEqual([{ type: 'promptsListChanged' }, { type: 'resourceUpdated', uri: 'file:///a' }])
  })

  it('ends without an error when the client closes', async () => {
    const client = await Client.connect(new ScriptedServer())
    const subscription = await client.listen({ toolsListChanged: true })
    const next = subscription.next()
    await client.close()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('is not there in the legacy era where the server declares no changes', async () => {
    const server = new ScriptedServer({}, { capabilities: { tools: {}, resources: {} } })
    await using client = await Client.connect(server, { mode: 'legacy' })
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(ListenNotSupportedError)
  })
})

describe('types', () => {
  interface Tools {
    add: { arguments: { a: number; b: number }; result: { sum: number } }
    [name: string]: { arguments: object; result: unknown }
  }

  it('are the plain ones unless the server tells more', () => {
    expectTypeOf<Awaited<ReturnType<typeof plain>>>().toEqualTypeOf<Client>()
    const plain = () => Client.connect(new ScriptedServer())
  })

  it('follow the server that tells its tools', async () => {
    type Server = ScriptedServer & DescribesTools<Pick<Tools, 'add'>>
    const server: Server = new ScriptedServer({ 'tools/call': text('3') })
    await using client = await Client.connect(server)
    const result = await client.callTool('add', { a: 1, b: 2 })
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number } | undefined>()
    // What the type does not tell of may have been registered all the same.
    expectTypeOf(await client.callTool('subtract', { a: 1, b: 2 })).toEqualTypeOf<CallToolResult>()
    // @ts-expect-error: b is a number
    await client.callTool('add', { a: 1, b: 'two' })
    expect(server.count('tools/call')).toBe(3)
  })
})

/** A scripted server with one tool, over a channel. */
function serveOver(channel: Channel): void {
  const server = new ScriptedServer({ 'tools/list': listOf('a') })
  bridge(server, channel)
}

/** Answers over a channel what the server answers in process. */
function bridge(server: ScriptedServer, channel: Channel): void {
  const outside = new JSONRPCDispatcher(channel)
  void (async () => {
    const inside = await server.connectInProcess()
    void inside.run(
      (_context, method) => outside.sendRawRequest(method),
      () => {},
    )
    void server.ended.then(() => outside.close())
    await outside.run(
      (_context, method, params) => inside.sendRawRequest(method, params),
      (_context, method, params) => inside.notify(method, params),
    )
  })()
}

/** A transport to what `create` makes each time it is opened: a server, or one that dies of the first message. */
function transportTo(create: (count: number) => ScriptedServer | 'dies') {
  const transport = {
    kind: 'test',
    opened: 0,
    async open(): Promise<Channel> {
      transport.opened += 1
      const [here, there] = createMemoryChannelPair()
      const server = create(transport.opened)
      if (server !== 'dies') bridge(server, there)
      else void there.start({ message: () => void there.close(), lost() {}, fault() {}, closed() {} })
      return here
    },
  }
  return transport
}
