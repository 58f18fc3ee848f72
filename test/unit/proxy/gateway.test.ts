// Several servers behind one address: names, lists, calls, changes, failures, and sources that come and go.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client, type ClientOptions } from '../../../src/exports/client.ts'
import { createMemoryChannelPair } from '../../../src/exports/dispatcher.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createProxy, type ProxyTarget } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { rename } from '../../../src/exports/transforms.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { GatewayOptions } from '../../../src/proxy/gateway/gateway-options.ts'
import type { GatewayTargets } from '../../../src/proxy/gateway/gateway-targets.ts'
import { createGateway, type GatewayServer } from '../../../src/proxy/gateway.ts'
import { modernBody, modernHeaders } from '../../support/modern-messages.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

function named(name: string): MCPServer {
  const server = new MCPServer(name, { instructions: `about ${name}` })
  server.tool('who', { input: { type: 'object' } }, () => name)
  server.tool('ask', async (_args, ctx) =>
    JSON.stringify(await ctx.elicit('Who?', { type: 'object', properties: { a: { type: 'string' } } })),
  )
  server.resource(`${name}://one`, { name: 'one' }, () => `${name} one`)
  server.prompt('greet', () => `Hello from ${name}`)
  return server
}

const PAIRS = [
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const

async function connect(
  targets: GatewayTargets,
  options: GatewayOptions = {},
  clientOptions: ClientOptions = {},
): Promise<{ client: Client; gateway: GatewayServer }> {
  const gateway = createGateway(targets, options)
  const client = (await Client.connect(gateway, clientOptions)) as Client
  open.push(gateway, client)
  return { client, gateway }
}

describe.each(PAIRS)('a gateway, front %s, back %s', (front, back) => {
  it('compose X45 shows the components of its sources under their names, and calls them', async () => {
    const { client } = await connect({ a: named('a'), b: named('b') }, { mode: back }, { mode: front })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask', 'b_who', 'b_ask'])
    expect((await client.callTool('b_who')).content).toEqual([{ type: 'text', text: 'b' }])
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a://one', 'b://one'])
    expect((await client.readResource('b://one')).contents).toMatchObject([{ text: 'b one' }])
    expect((await client.getPrompt('a_greet')).messages).toHaveLength(1)
    expect(client.instructions).toBe('a:\nabout a\n\nb:\nabout b')
    await expect(client.callTool('c_who')).rejects.toMatchObject({ code: -32602 })
  })

  it('questions of a source reach the client', async () => {
    const onElicitation = async () => ({ action: 'accept' as const, content: { a: 'x' } })
    const { client } = await connect({ a: named('a') }, { mode: back }, { mode: front, onElicitation })
    const { content } = await client.callTool('a_ask')
    expect(content).toEqual([{ type: 'text', text: '{"action":"accept","content":{"a":"x"}}' }])
  })

  it('changes of sources are heard, once, and so are sources that come and go', async () => {
    const a = named('a')
    const { client, gateway } = await connect({ a }, { mode: back }, { mode: front })
    await client.listTools()
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['a://one'] })
    const events: string[] = []
    const reading = (async () => {
      for await (const { type } of subscription) events.push(type)
    })().catch(() => {})
    a.tool('later', () => 1)
    await vi.waitFor(() => expect(events).toEqual(['toolsListChanged']))
    await a.notifyResourceUpdated('a://one')
    await vi.waitFor(() => expect(events).toEqual(['toolsListChanged', 'resourceUpdated']))
    gateway.add('b', named('b'))
    await vi.waitFor(() => expect(events.length).toBe(3))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('b_who')
    await gateway.remove('a')
    await vi.waitFor(() => expect(events.length).toBe(4))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['b_who', 'b_ask'])
    expect(gateway.sources).toEqual(['b'])
    await subscription.close()
    await reading
  })
})

it('compose G007 compose G030 a gateway that has closed has closed the sources that were removed before', async () => {
  const [here, there] = createMemoryChannelPair()
  const server = new MCPServer('slow')
  const calls = vi.fn()
  server.tool('x', () => {
    calls()
    return new Promise(() => {})
  })
  await server.connect(there)
  const close = vi.spyOn(here, 'close')
  const gateway = createGateway({ a: { target: { kind: 'test', open: async () => here } } }, { onFault: () => {} })
  const client = (await Client.connect(gateway)) as Client
  const failed = client.callTool('a_x').catch((error: unknown) => error)
  await vi.waitFor(() => expect(calls).toHaveBeenCalled())
  const removing = gateway.remove('a')
  expect(close).not.toHaveBeenCalled()
  await gateway.close({ drainMs: 0 })
  expect(close).toHaveBeenCalled()
  expect(await failed).toBeInstanceOf(Error)
  await removing
})

describe.each(PAIRS)('a source that is removed, front %s, back %s', (front, back) => {
  it('compose G007 calls under way go on to their end, new ones find nobody', async () => {
    const slow = new MCPServer('slow')
    const [started, ended] = [createDeferred<void>(), createDeferred<void>()]
    slow.tool('wait', async () => {
      started.resolve()
      await ended.promise
      return 'done'
    })
    const { client, gateway } = await connect({ slow, a: named('a') }, { mode: back }, { mode: front })
    const calling = client.callTool('slow_wait')
    await started.promise
    const removing = gateway.remove('slow')
    await expect(client.callTool('slow_wait')).rejects.toMatchObject({ code: -32602 })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask'])
    ended.resolve()
    expect((await calling).content).toEqual([{ type: 'text', text: 'done' }])
    await removing
    expect((await gateway.health()).map(({ name }) => name)).toEqual(['a'])
  })
})

describe.each(['legacy', 'modern'] as const)('names of a %s gateway that a transform maps back', (mode) => {
  it('compose T02 compose N02 work before any listing, as they do after one', async () => {
    const server = named('up')
    const input = { type: 'object', properties: { who: { type: 'string' } } } as const
    server.prompt('meet', { input }, ({ who }) => `Meet ${who}`)
    server.completion({ type: 'ref/prompt', name: 'meet' }, 'who', () => ['Ada'])
    const back = rename((name) => name.slice('up_'.length))
    const gateway = () => connect({ up: server }, { transforms: [back] }, { mode })
    const completed = { completion: { values: ['Ada'] } }
    const complete = ({ client }: { client: Client }) =>
      client.complete({ type: 'ref/prompt', name: 'meet' }, { name: 'who', value: 'A' })
    const first = await gateway()
    expect(await complete(first)).toMatchObject(completed)
    await first.client.listPrompts()
    expect(await complete(first)).toMatchObject(completed)
    expect((await (await gateway()).client.callTool('who')).content).toEqual([{ type: 'text', text: 'up' }])
    expect((await (await gateway()).client.getPrompt('greet')).messages).toHaveLength(1)
  })
})

describe.each(['legacy', 'modern'] as const)('over HTTP, from a %s client', (mode) => {
  it('compose N02 the first calls need no listing, also where several come at once', async () => {
    const gateway = createGateway({ up: named('up') })
    const serving = await serveHttp(gateway.server, { port: 0 })
    open.push(gateway, serving)
    const client = await Client.connect(serving.url, { mode })
    open.push(client)
    const answers = await Promise.all([1, 2, 3].map(async () => client.callTool('up_who')))
    expect(answers.map(({ content }) => content)).toEqual(Array(3).fill([{ type: 'text', text: 'up' }]))
  })
})

describe('header annotations', () => {
  it('compose X42 compose K07 of a tool that was renamed are checked at the front, as its last listing had them', async () => {
    const server = new MCPServer('up')
    const input = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const
    server.tool('find', { input }, () => 'found')
    const gateway = createGateway({ up: server }, { transforms: [rename({ up_find: 'find' })] })
    const serving = await serveHttp(gateway.server, { port: 0 })
    open.push(gateway, serving)
    const client = await Client.connect(serving.url, { mode: 'modern' })
    open.push(client)
    await client.listTools()
    expect((await client.callTool('find', { region: 'eu' })).content).toEqual([{ type: 'text', text: 'found' }])
    const params = { name: 'find', arguments: { region: 'eu' } }
    const send = (region: string) =>
      fetch(serving.url, {
        method: 'POST',
        headers: { ...modernHeaders({ params }), 'mcp-param-region': region },
        body: JSON.stringify(modernBody({ params })),
      })
    expect((await send('eu')).status).toBe(200)
    const refused = await send('us')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: -32020 } })
  })
})

describe.each(['legacy', 'modern'] as const)('a client over HTTP that listens, its source %s', (back) => {
  const board = () => {
    const source = new MCPServer('board')
    source.resource('board://state', () => 'one')
    source.tool('move', () => 1)
    return source
  }

  it.each(['gateway', 'mounted'])('hears of changes, also with a session for each call (%s)', async (kind) => {
    const source = board()
    const gateway = createGateway({ a: named('a'), board: source }, { mode: back, onFault: () => {} })
    const main = new MCPServer('main')
    if (kind === 'mounted') main.mount(gateway)
    const serving = await serveHttp(kind === 'mounted' ? main.server : gateway.server, { port: 0 })
    open.push(gateway, main, serving)
    const client = await Client.connect(serving.url, { mode: 'modern' })
    open.push(client)
    const heard: unknown[] = []
    const changes = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['board://state'] })
    const reading = (async () => {
      for await (const event of changes) heard.push(event)
    })()
    source.tool('undo', () => 2)
    await vi.waitFor(() => expect(heard).toContainEqual({ type: 'toolsListChanged' }))
    await source.notifyResourceUpdated('board://state')
    await vi.waitFor(() => expect(heard).toContainEqual({ type: 'resourceUpdated', uri: 'board://state' }))
    expect((await gateway.health()).map(({ connections }) => connections)).toEqual([1, 1])
    // Sources go at once, though somebody listens.
    await gateway.remove('a')
    await changes.close()
    await reading
    if (back === 'legacy') {
      await vi.waitFor(async () => expect((await gateway.health()).map(({ connections }) => connections)).toEqual([0]))
    }
  })
})

describe('failures of sources', () => {
  it('compose G010 a source that cannot be listed is left out and reported; or the list fails', async () => {
    const faults: Fault[] = []
    const targets = { a: named('a'), gone: 'http://127.0.0.1:1/mcp' }
    const { client } = await connect(targets, { onFault: (fault) => faults.push(fault) }, { mode: 'modern' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask'])
    expect(faults.some(({ message }) => message.includes("'gone' can't be listed"))).toBe(true)
    const strict = createGateway(targets, { onFailure: 'fail', onFault: () => {} })
    open.push(strict)
    const failed = await Client.connect(strict, { mode: '2026-07-28' })
    open.push(failed)
    await expect(failed.listTools()).rejects.toMatchObject({
      code: -32603,
      data: { mcpwire: { id: 'G010', source: 'gone' } },
    })
  })

  it('compose G010 lists go on without an optional source, whatever onFailure says, and without others as it says', async () => {
    const gone = 'http://127.0.0.1:1/mcp'
    const listed = async (optional: boolean, onFailure: 'omit' | 'fail') => {
      const faults: Fault[] = []
      const onFault = (fault: Fault) => faults.push(fault)
      const targets = { a: named('a'), gone: { target: gone, optional } }
      const { client } = await connect(targets, { onFailure, onFault }, { mode: '2026-07-28' })
      const outcome = await client.listTools().then(
        ({ tools }) => tools.map(({ name }) => name),
        (error: { data?: unknown }) => error.data,
      )
      expect(faults.some(({ message }) => message.includes("'gone' can't be listed"))).toBe(true)
      return outcome
    }
    expect(await listed(true, 'fail')).toEqual(['a_who', 'a_ask'])
    expect(await listed(false, 'omit')).toEqual(['a_who', 'a_ask'])
    expect(await listed(false, 'fail')).toMatchObject({ mcpwire: { id: 'G010', source: 'gone' } })
  })

  it('compose X40 an optional source that is not there does not keep an eager gateway from its start', async () => {
    const gone = 'http://127.0.0.1:1/mcp'
    const start = async (optional: boolean | undefined) => {
      const faults: Fault[] = []
      const target = { target: gone, ...(optional !== undefined && { optional }) }
      const gateway = createGateway(
        { a: named('a'), gone: target },
        { start: 'eager', onFault: (one) => faults.push(one) },
      )
      open.push(gateway)
      await gateway.server.start()
      return { gateway, faults }
    }
    const { gateway, faults } = await start(true)
    expect(faults.some(({ message }) => message.includes("'gone' can't be listed"))).toBe(true)
    const client = await Client.connect(gateway, { mode: 'modern' })
    open.push(client)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask'])
    for (const optional of [false, undefined])
      await expect(start(optional)).rejects.toMatchObject({ data: { mcpwire: { id: 'G013' } } })
  })

  it('compose G010 optional is true or false', () => {
    const target = { target: 'http://127.0.0.1:1/mcp', optional: 'yes' as never }
    expect(() => createGateway({ gone: target })).toThrow('optional of \'gone\' is "yes"')
  })

  it.each(PAIRS)(
    'compose G010 leaves out the components that are broken, and no others (%s, %s)',
    async (mode, back) => {
      const broken = named('broken')
      const good = { name: 'good', inputSchema: { type: 'object' } }
      const wrong = [
        { name: 'bare' },
        { name: 'told', inputSchema: { type: 'object' }, description: 7 },
        { name: 'icons', inputSchema: { type: 'object' }, annotations: 'none' },
        null,
      ]
      const lists: Record<string, object> = {
        'tools/list': { tools: [wrong[0], good, ...wrong.slice(1)], _meta: 7 },
        'resources/list': {
          resources: [
            { uri: 'broken://one', name: 7 },
            { uri: 'broken://two', name: 'two' },
          ],
        },
        'prompts/list': { prompts: [{ name: 'x', arguments: 'none' }, { name: 'y' }] },
      }
      // What middleware returns is not checked.
      broken.use((ctx, next) => (lists[ctx.method] as never) ?? next())
      const faults: Fault[] = []
      const options: GatewayOptions = { mode: back, onFault: (fault) => faults.push(fault) }
      const { client } = await connect({ a: named('a'), broken }, options, { mode })
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask', 'broken_good'])
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a://one', 'broken://two'])
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a_greet', 'broken_y'])
      await client.listTools()
      const told = faults.map(({ message }) => message).filter((message) => message.includes('"told"'))
      expect(told).toEqual([
        'The tool "told" of "broken" is left out, since it is not formed as clients expect: description: expected string, got number',
      ])
    },
  )

  it('compose G001 wrong targets and names are refused at once', () => {
    expect(() => createGateway({ a: 7 as never })).toThrow(TypeError)
    expect(() => createGateway({ 'a b': named('a') })).toThrow(RangeError)
    const gateway = createGateway({ a: named('a') })
    open.push(gateway)
    expect(() => gateway.add('a', named('a'))).toThrow(RangeError)
    expect(() => createGateway(7 as never)).toThrow(TypeError)
  })

  it('lists its sources at the same time, and leaves out a slow one', async () => {
    const slow = new MCPServer('slow')
    slow.tool('x', () => 1)
    slow.use(async (ctx, next) => {
      if (ctx.method === 'tools/list') await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      return next()
    })
    const { client } = await connect(
      { a: named('a'), slow },
      { listTimeoutMs: 1_000, onFault: () => {} },
      { mode: 'modern' },
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask'])
  })
})

describe('servers that a configuration has disabled', () => {
  const off = { command: 'mcpwire-no-such-command', disabled: true }
  const list = {
    off,
    off2: { command: 'mcpwire-no-such-command', enabled: false },
    on: { url: 'http://127.0.0.1:9/mcp' },
  }
  const shapes: [string, GatewayTargets][] = [
    ['mcpServers', { mcpServers: list }],
    ['servers, as VS Code has them', { servers: list }],
    ['the entries alone', list],
    ['a map', new Map(Object.entries(list) as unknown as [string, ProxyTarget][])],
  ]

  it.each(shapes)('%s: are left out, and it is said', (_form, targets) => {
    const faults: Fault[] = []
    const gateway = createGateway(targets, { onFault: (fault) => faults.push(fault) })
    open.push(gateway)
    expect(gateway.sources).toEqual(['on'])
    expect(faults.map(({ kind, message }) => [kind, message])).toEqual([
      ['configuration-warning', "'off' is disabled and was skipped"],
      ['configuration-warning', "'off2' is disabled and was skipped"],
    ])
  })

  it('a file: are left out, and it is said', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-gateway-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'mcp.json')
    writeFileSync(file, JSON.stringify({ mcpServers: list }))
    const faults: Fault[] = []
    const { gateway } = await connect(file, { onFault: (fault) => faults.push(fault) })
    expect(gateway.sources).toEqual(['on'])
    expect(faults.filter(({ message }) => /'off2?' is disabled and was skipped/.test(message))).toHaveLength(2)
  })

  it('are an error where they are named themselves', async () => {
    const { gateway } = await connect({})
    expect(() => gateway.add('off', off)).toThrow("The server 'off' is disabled. Enable it")
    expect(() => createProxy({ mcpServers: { off } })).toThrow("The server 'off' is disabled. Enable it")
  })

  it('a source that is called servers is a source', () => {
    const gateway = createGateway({ servers: { command: 'x' }, other: 'http://127.0.0.1:9/mcp' })
    const wrapped = createGateway({ servers: { target: { command: 'x' }, optional: true } })
    open.push(gateway, wrapped)
    expect([gateway.sources, wrapped.sources]).toEqual([['servers', 'other'], ['servers']])
  })
})
