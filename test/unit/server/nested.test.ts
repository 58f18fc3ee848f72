// A server that is mounted in another one answers requests of its clients, and a server describes itself per caller.
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client } from '../../../src/exports/client.ts'
import { MCPServer, Server, type ServerOptions } from '../../../src/exports/server.ts'
import { type ServerSettings, SOURCE } from '../../../src/server/core.ts'
import type { Source } from '../../../src/server/source.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'

const MODES = ['modern', 'legacy'] as const

/** A server whose tools are those of another one, under their own names. */
function around(child: Server, options: ServerOptions = {}): Server {
  return new Server('parent', {
    ...options,
    handlers: {
      'tools/list': (ctx, params) => child.serveNested(ctx, 'tools/list', params as JSONObject) as never,
      'tools/call': (ctx, params) => child.serveNested(ctx, 'tools/call', params as unknown as JSONObject) as never,
    },
  })
}

describe.each(MODES)('compose K25 a mounted server, %s', (mode) => {
  it('answers with its own middleware, handlers and lifespan, for the connection of the outer one', async () => {
    const seen: string[] = []
    const child = new MCPServer('child', { lifespan: () => ({ word: 'hello' }) })
    child.tool('greet', (_args, ctx) => `${(ctx.lifespan as { word: string }).word} ${ctx.clientInfo?.name}`)
    child.use((ctx, next) => {
      seen.push(`${ctx.server.info.name} ${ctx.method}`)
      return next()
    })
    const client = await Client.connect(around(child.server), { mode, clientInfo: { name: 'ada', version: '1' } })
    const result = await client.callTool('greet')
    expect(result.content).toEqual([{ type: 'text', text: 'hello ada' }])
    expect(seen).toContain('child tools/call')
    await client.close()
  })

  it('starts once and ends with the outer server', async () => {
    const life: string[] = []
    const lifespan = () => {
      life.push('start')
      return { close: () => life.push('end') }
    }
    const child = new MCPServer('child', { lifespan })
    child.tool('one', () => 1)
    const parent = around(child.server)
    const client = await Client.connect(parent, { mode })
    await Promise.all([client.callTool('one'), client.callTool('one'), client.callTool('one')])
    await client.callTool('one')
    expect(life).toEqual(['start'])
    await client.close()
    await vi.waitFor(() => expect(life).toEqual(['start', 'end']))
  })

  it('gives its errors as they are, and is asked again where its lifespan failed', async () => {
    let starts = 0
    const faults: Fault[] = []
    const lifespan = () => {
      starts += 1
      if (starts === 1) throw new Error('no database')
    }
    const child = new MCPServer('child', { lifespan })
    child.tool('one', () => 'here')
    const parent = around(child.server, { onFault: (fault) => faults.push(fault) })
    const client = await Client.connect(parent, { mode })
    await expect(client.callTool('one')).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
    expect(faults[0]?.error).toMatchObject({ message: 'no database' })
    expect((await client.callTool('one')).content).toEqual([{ type: 'text', text: 'here' }])
    await expect(client.callTool('none')).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })

  it('asks the client of the outer server, and sees its signal', async () => {
    const child = new MCPServer('child', { requestState: { keys: ['a-key-of-thirty-two-bytes-length'] } })
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
    child.tool('ask', async (_args, ctx) => JSON.stringify(await ctx.elicit('Who?', schema)))
    const aborted = vi.fn()
    child.tool(
      'wait',
      (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(aborted()))),
    )
    const onElicitation = async () => ({ action: 'accept' as const, content: { name: 'Ada' } })
    const client = await Client.connect(around(child.server), { mode, onElicitation })
    const result = await client.callTool('ask')
    expect(result.content).toEqual([{ type: 'text', text: '{"action":"accept","content":{"name":"Ada"}}' }])
    const stop = new AbortController()
    const waiting = client.callTool('wait', {}, { signal: stop.signal })
    setTimeout(() => stop.abort(), 20)
    await expect(waiting).rejects.toThrow()
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled())
    await client.close()
  })
})

it('compose K25 results have the identity of the server that the client is connected to', async () => {
  const child = new MCPServer('child')
  child.tool('one', () => 1)
  const client = await Client.connect(around(around(child.server)), { mode: 'modern' })
  const result = await client.callTool('one')
  expect(result._meta?.['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'parent' })
  expect((await client.listTools())._meta?.['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'parent' })
  await client.close()
})

describe.each(MODES)('compose K05 a server describes itself to each caller, %s', (mode) => {
  it('from the option describe, over its source and below its other options', async () => {
    const source: Source = {
      describe: () => ({
        capabilities: { prompts: {}, experimental: { from: { source: true } } },
        instructions: 'from the source',
        info: { name: 'source', version: '1' },
        further: { _meta: { 'example.com/kept': 1 }, 'example.com/extra': [1] },
      }),
      list: () => ({ tools: [] }),
      handle: () => ({}),
      watch: () => () => {},
    }
    const settings: ServerSettings = {
      [SOURCE]: () => source,
      capabilities: { completions: {} },
      describe: (request) => {
        const client = request.clientInfo ?? (request.params?.['clientInfo'] as { name: string })
        return { instructions: `for ${client.name}`, extensions: { 'com.example/a': { for: client.name } } }
      },
    }
    const server = new Server('front', settings)
    for (const name of ['ada', 'bob']) {
      const client = await Client.connect(server, { mode, clientInfo: { name, version: '1' } })
      const { session, serverCapabilities } = client
      expect(client.instructions).toBe(`for ${name}`)
      expect(client.serverInfo).toEqual({ name: 'source', version: '1' })
      expect(serverCapabilities).toMatchObject({
        prompts: {},
        completions: {},
        experimental: { from: { source: true } },
      })
      expect(serverCapabilities.extensions).toEqual({ 'com.example/a': { for: name } })
      const result = (session.initializeResult ?? session.discoverResult) as unknown as JSONObject
      expect(result['example.com/extra']).toEqual([1])
      expect(result['_meta']).toMatchObject({ 'example.com/kept': 1 })
      await client.close()
    }
  })
})

it('compose K05 the revision of the source is the one that a handshake agrees on', async () => {
  const server = new Server('front', { describe: () => ({ protocolVersion: '2025-03-26' }) })
  const client = await Client.connect(server, { mode: 'legacy' })
  expect(client.protocolVersion).toBe('2025-03-26')
  await client.close()
})

describe.each(MODES)('compose K01 middleware may answer with any result, %s', (mode) => {
  it('which crosses as it is: no check, no sieve, no stamps', async () => {
    const raw = { content: [{ type: 'future', odd: true }], resultType: 'complete', 'example.com/x': null }
    const server = new Server('front', {
      capabilities: { tools: {} },
      middleware: [(ctx, next) => (ctx.method === 'tools/call' ? raw : next())],
    })
    const dispatcher = await server.connectInProcess({ legacy: mode === 'legacy' })
    void dispatcher.run(
      () => ({}),
      () => {},
    )
    if (mode === 'legacy') {
      await dispatcher.sendRawRequest('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      })
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'x', ...(mode === 'modern' && { _meta }) }
    expect(await dispatcher.sendRawRequest('tools/call', params)).toEqual(raw)
    await dispatcher.close()
  })
})
