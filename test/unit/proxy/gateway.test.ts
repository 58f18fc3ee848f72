// Several servers behind one address: names, lists, calls, changes, failures, and sources that come and go.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client, type ClientOptions } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { rename } from '../../../src/exports/transforms.ts'
import {
  createGateway,
  type GatewayOptions,
  type GatewayServer,
  type GatewayTargets,
} from '../../../src/proxy/gateway.ts'
import { modernBody, modernHeaders } from '../../support/modern-messages.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

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
      { listTimeoutMs: 50, onFault: () => {} },
      { mode: 'modern' },
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a_who', 'a_ask'])
  })
})
