// Options of a proxy: what they change of the way to its source.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { Client, type ClientMiddleware } from '../../../src/exports/client.ts'
import { type Channel, createMemoryChannelPair, type Transport } from '../../../src/exports/dispatcher.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { ERA_PAIRS } from '../../support/raw-peers.ts'
import { closedAfterEach, connectThrough } from './pair.ts'

const open = closedAfterEach()
const connect = connectThrough(open)
const text = ({ content }: { content: unknown }) => (content as { text: string }[])[0]?.text

/** A server whose connection ends in the middle of the first call of each tool. */
function fragile() {
  const server = new MCPServer('fragile')
  const channels: Channel[] = []
  const calls: string[] = []
  const broken = new Set<string>()
  const run = (name: string) => async () => {
    calls.push(name)
    if (broken.has(name)) return 'done'
    broken.add(name)
    await channels.at(-1)?.close()
    return 'lost'
  }
  server.tool('read', { annotations: { readOnlyHint: true } }, run('read'))
  server.tool('write', run('write'))
  const transport: Transport = {
    kind: 'test',
    open: async () => {
      const [here, there] = createMemoryChannelPair()
      channels.push(there)
      await server.connect(there)
      return here
    },
  }
  return { transport, calls }
}

describe('cache', () => {
  it.each([
    [undefined, 1],
    [true, 1],
    [false, 2],
  ])('compose X44 %s: of two lists that the source lets be kept, it is asked for %i', async (cache, expected) => {
    const asked: string[] = []
    const server = new MCPServer('source', { cacheHints: { 'tools/list': { ttlMs: 60_000, scope: 'public' } } })
    server.tool('one', () => 1)
    server.use((ctx, next) => {
      asked.push(ctx.method)
      return next()
    })
    const proxy = createProxy(server, cache === undefined ? {} : { cache })
    const client = await Client.connect(proxy, { mode: 'modern', cache: false })
    open.push(proxy, client)
    await client.listTools()
    await client.listTools()
    expect(asked.filter((method) => method === 'tools/list')).toHaveLength(expected)
  })
})

describe('client', () => {
  it.each(ERA_PAIRS)('middleware stands around what goes to the source, %s to %s', async (front, back) => {
    const seen: string[] = []
    const changing: ClientMiddleware = async ({ method, params }, next) => {
      seen.push(method)
      if (method !== 'tools/call') return next()
      return { ...(await next({ ...params, arguments: { changed: true } })), added: 1 }
    }
    const onNotification: ClientMiddleware['onNotification'] = ({ method }, next) => {
      seen.push(method)
      return next()
    }
    const middleware = [Object.assign(changing, { onNotification })]
    const { server, client } = await connect(front, back, { client: { middleware } })
    server.on('tools/call', { resultType: 'complete', content: [] })
    expect(await client.result('tools/call', { name: 'a', arguments: { mine: 1 } })).toMatchObject({ added: 1 })
    expect(server.paramsOf('tools/call')).toMatchObject({ name: 'a', arguments: { changed: true } })
    client.notify('notifications/vendor/hello', {})
    await vi.waitFor(() => expect(seen).toContain('notifications/vendor/hello'))
    expect(seen).toContain(back === 'modern' ? 'server/discover' : 'initialize')
  })

  it.each([
    [true, ['done', 'lost'], ['read', 'read', 'write']],
    [undefined, ['lost', 'lost'], ['read', 'write']],
  ])(
    'repeatSafeTools %s: tools that only read are called once more on a new connection, others never',
    async (given, ends, calls) => {
      const source = fragile()
      const options: ProxyOptions = { onFault: () => {}, ...(given === true && { client: { repeatSafeTools: given } }) }
      const proxy = createProxy(source.transport, options)
      const client = await Client.connect(proxy, { mode: '2026-07-28' })
      open.push(proxy, client)
      await client.listTools()
      const outcomeOf = (name: string) =>
        client.callTool(name).then(text, ({ data }) => (data.maybeExecuted ? 'lost' : data))
      expect([await outcomeOf('read'), await outcomeOf('write')]).toEqual(ends)
      expect(source.calls).toEqual(calls)
    },
  )

  it.each<[false | { initialDelayMs: number }, number]>([
    [false, 1],
    [{ initialDelayMs: 1 }, 2],
  ])('reconnect %j: a list that a busy source refuses is asked for %i time(s)', async (reconnect, expected) => {
    const server = new MCPServer('busy')
    const behind = await serveHttp(server, { port: 0 })
    open.push(behind)
    let lists = 0
    const front = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', async () => {
        const body = Buffer.concat(chunks).toString()
        if (body.includes('"tools/list"') && ++lists === 1) return void response.writeHead(503).end()
        const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
        const init = { method: 'POST', body, headers: headers as Record<string, string> }
        const answer = await fetch(behind.url, init)
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        response.end(await answer.text())
      })
    })
    await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => front.closeAllConnections() }, front)
    const target = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`
    const proxy = createProxy(target, { mode: 'modern', onFault: () => {}, client: { reconnect } })
    const client = await Client.connect(proxy, { mode: '2026-07-28' })
    open.push(proxy, client)
    await client.listTools().catch(() => {})
    expect(lists).toBe(expected)
  })

  it('compose G001 options of options that are none are refused at once', () => {
    const target = 'https://example.com/mcp'
    const refused = (options: object) => () => createProxy(target, options as ProxyOptions)
    expect(refused({ client: { timeoutMs: 1 } })).toThrow(TypeError)
    expect(refused({ client: { reconnect: { deadlineMs: -1 } } })).toThrow(RangeError)
    expect(refused({ client: { headers: { 'mcp-session-id': 'x' } } })).toThrow()
    expect(refused({ cache: { listMs: -1 } })).toThrow(RangeError)
    expect(refused({ cache: { ttlMs: 1 } })).toThrow(TypeError)
    expect(refused({ cache: 1 })).toThrow(TypeError)
    expect(() => createGateway({ a: { target, client: { nope: 1 } as never } })).toThrow(TypeError)
  })
})

describe('start', () => {
  it('compose X40 eager: the source is open, and listed, before the first client', async () => {
    const asked: string[] = []
    const server = new MCPServer('source')
    server.tool('one', () => 1)
    server.use((ctx, next) => {
      asked.push(ctx.method)
      return next()
    })
    const proxy = createProxy(server, { start: 'eager' })
    open.push(proxy)
    await proxy.server.start()
    expect(asked).toContain('tools/list')
    expect((await proxy.health())[0]).toMatchObject({ listed: { 'tools/list': 1 } })
  })
})

describe('an option that is undefined', () => {
  it('is one that is not given: the default stays, and that of the gateway', async () => {
    const server = new MCPServer('source')
    server.tool('x', () => 'x')
    const nothing = { sessions: undefined, idleMs: undefined, forward: undefined, client: undefined, start: undefined }
    const events: string[] = []
    const onUpstream = ({ name }: { name: string }) => void events.push(name)
    const gateway = createGateway(
      { one: { target: server, ...nothing, as: undefined, optional: undefined, onUpstream: undefined } },
      { ...nothing, listTimeoutMs: undefined, naming: undefined, onFailure: undefined, onUpstream },
    )
    const client = await Client.connect(gateway, { mode: undefined, timeoutMs: undefined, onLog: undefined })
    open.push(gateway, client)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['one_x'])
    expect(events).toContain('one')
    const reconnect = { initialDelayMs: undefined, maxAttempts: undefined }
    expect(() => createProxy('http://127.0.0.1:9/mcp', { client: { reconnect } })).not.toThrow()
  })
})
