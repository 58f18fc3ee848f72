// A legacy source over HTTP: what it sends by its own stream, and what is under way when a connection ends.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Client, type ClientOptions } from '../../../src/exports/client.ts'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** Its log messages come by the GET stream, after the result of the call that they are about. */
async function sourceOf() {
  const heard: string[] = []
  const asked = createDeferred<void>()
  let stream: ServerResponse | undefined
  let isLogDue = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      stream = response
      return
    }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method, params } = JSON.parse(text || '{"method":"DELETE"}') as Message
    heard.push(method)
    const respond = (result: object) => {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    if (id === undefined) {
      // Long enough that the connection has ended by then.
      if (method !== 'notifications/cancelled') response.writeHead(202).end()
    } else if (method === 'initialize') {
      const serverInfo = { name: 'source', version: '1' }
      respond({ protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo })
    } else if (method === 'tools/call' && params?.name === 'slow') asked.resolve()
    else if (method === 'tools/call') {
      await vi.waitFor(() => expect(stream).toBeDefined())
      isLogDue = true
      respond({ content: [] })
    } else if (method === 'ping' && isLogDue) {
      isLogDue = false
      const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'late' } }
      stream?.write(`data: ${JSON.stringify(log)}\n\n`, () => respond({}))
    } else respond(method === 'tools/list' ? { tools: [{ name: 'log', inputSchema: { type: 'object' } }] } : {})
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard, asked: asked.promise }
}

async function connect(url: string, clientOptions: ClientOptions, options: ProxyOptions = {}) {
  const faults: Fault[] = []
  const events: string[] = []
  const proxy = createProxy(url, {
    sessions: 'call',
    onFault: (fault) => void faults.push(fault),
    onUpstream: ({ state }) => void events.push(state),
    ...options,
  })
  const client = await Client.connect(proxy, { mode: 'modern', ...clientOptions })
  open.push(proxy, client)
  return { proxy, client, faults, events }
}

describe('a legacy source over HTTP, with a connection for each call', () => {
  it('log messages that come by its own stream reach a modern caller that asked for them', async () => {
    const { url, heard } = await sourceOf()
    const logs: unknown[] = []
    const { client } = await connect(url, { logLevel: 'debug', onLog: ({ data }) => void logs.push(data) })
    await client.callTool('log')
    expect(logs).toEqual(['late'])
    expect(heard).toContain('ping')
  })

  it('nothing is waited for where the caller asked for no log messages', async () => {
    const { url, heard } = await sourceOf()
    const { client } = await connect(url, {})
    await client.callTool('log')
    expect(heard).not.toContain('ping')
  })

  it('a call that is cancelled is no fault, and the source hears of it', async () => {
    const { url, heard, asked } = await sourceOf()
    const { client, faults, proxy } = await connect(url, {})
    const abort = new AbortController()
    const calling = client.callTool('slow', {}, { signal: abort.signal })
    await asked
    abort.abort()
    await expect(calling).rejects.toThrow()
    await vi.waitFor(() => expect(heard).toContain('notifications/cancelled'))
    await vi.waitFor(async () => expect((await proxy.health())[0]?.connections).toBe(0))
    await proxy.close()
    expect(faults).toEqual([])
  })

  it('compose X39 is idle between calls, and tells of each connection that ends', async () => {
    const { url } = await sourceOf()
    const { client, proxy, events } = await connect(url, {})
    await client.callTool('log')
    await vi.waitFor(() => expect(events.at(-1)).toBe('closed'))
    const count = (state: string) => events.filter((one) => one === state).length
    expect(count('closed')).toBe(count('ready'))
    expect((await proxy.health())[0]).toMatchObject({ state: 'idle', connections: 0 })
    const before = events.length
    await proxy.close()
    await proxy.close()
    expect(events).toHaveLength(before)
    expect((await proxy.health())[0]?.state).toBe('closed')
  })

  it('compose X39 a connection that ends while it is looked at is not silent', async () => {
    const { url } = await sourceOf()
    const { client, proxy } = await connect(url, {}, { sessions: 'principal' })
    await client.callTool('log')
    const looking = proxy.health()
    await proxy.forget(undefined)
    const [health] = await looking
    expect(health).not.toHaveProperty('lastError')
    expect(health?.ping?.unanswered ?? 0).toBe(0)
    expect(health?.connections).toBe(0)
  })
})
