// Proxies between real streams: what ends, when, and who hears of it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import type { ConnectionEvent } from '../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { Client, streamableHttp } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { recordWire } from '../../../src/exports/testing.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import type { ProxyTarget } from '../../../src/proxy/base/targets.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { ERA_PAIRS } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

async function serve(target: ProxyTarget, options: ProxyOptions = {}) {
  const proxy = createProxy(target, { onFault: () => {}, ...options })
  const serving = await serveHttp(proxy.server, { port: 0 })
  open.push(proxy, serving)
  return { url: serving.url, proxy }
}

/** A server whose tool ends its stream before it answers. */
async function polled() {
  const server = new MCPServer('polled')
  const gate: { open: () => void } = { open: () => {} }
  server.tool('later', async (_args, ctx) => {
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve
    })
    ctx.http?.closeStream()
    await opened
    return 'after all'
  })
  const serving = await serveHttp(server, { port: 0 })
  open.push(serving)
  return { url: serving.url, gate }
}

/** `fetch`, and the requests that went through it. */
function noting() {
  const resumed: string[] = []
  const own: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    if (init?.method === 'GET' && headers.has('last-event-id')) resumed.push(headers.get('last-event-id') as string)
    return fetch(input, init)
  }
  return { fetch: own, resumed }
}

describe('streams that the source closes to be polled', () => {
  it('compose P31 compose X38 the front closes its own, and the client comes back for the answer', async () => {
    const { url: target, gate } = await polled()
    const { url } = await serve(target)
    const { fetch: own, resumed } = noting()
    const client = await Client.connect(streamableHttp(url, { fetch: own }), { mode: 'legacy' })
    open.push(client)
    const calling = client.callTool('later')
    await vi.waitFor(() => expect(resumed.length).toBeGreaterThan(0), { timeout: 20_000 })
    gate.open()
    expect((await calling).content).toEqual([{ type: 'text', text: 'after all' }])
  })

  it('compose K21 a transport tells that the server has closed a stream in good order', async () => {
    const { url, gate } = await polled()
    const events: ConnectionEvent[] = []
    const client = await Client.connect(url, { mode: 'legacy', onConnection: (event) => events.push(event) })
    open.push(client)
    const calling = client.callTool('later')
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('stream-closed'))
    gate.open()
    await calling
    expect(events.map(({ type }) => type)).toEqual(['open', 'stream-closed'])
  })
})

describe('a source that leaves', () => {
  it('compose G015 a stream that ends without an answer', async () => {
    const source = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(': nothing to say\n\n')
      })
    })
    await new Promise<void>((resolve) => void source.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => void source.close() })
    const { port } = source.address() as AddressInfo
    const { url } = await serve(`http://127.0.0.1:${port}/mcp`, { mode: '2026-07-28' })
    const client = await Client.connect(url, { mode: '2026-07-28' })
    open.push(client)
    await expect(client.callTool('any')).rejects.toMatchObject({
      code: -32603,
      data: { mcpwire: { id: 'G015', source: 'source' }, maybeExecuted: true },
    })
  })
})

describe('a proxy that closes', () => {
  it.each(ERA_PAIRS)(
    'compose G030 %s to %s: calls under way get their time, then they are cancelled',
    async (front, back) => {
      const server = new MCPServer('slow')
      const calls: { end: () => void; signal: AbortSignal }[] = []
      server.tool(
        'slow',
        (_args, ctx) => new Promise((resolve) => calls.push({ end: () => resolve('done'), signal: ctx.signal })),
      )
      for (const drainMs of [30_000, 0]) {
        const proxy = createProxy(server, { mode: back, onFault: () => {} })
        const client = await Client.connect(proxy, { mode: front })
        const calling = client.callTool('slow').then(
          ({ content }) => content,
          () => 'failed',
        )
        await vi.waitFor(() => expect(calls).toHaveLength(1))
        const [call] = calls.splice(0)
        const closing = proxy.close({ drainMs })
        if (drainMs > 0) call?.end()
        expect(await calling).toEqual(drainMs > 0 ? [{ type: 'text', text: 'done' }] : 'failed')
        await closing
        if (drainMs === 0) await vi.waitFor(() => expect(call?.signal.aborted).toBe(true))
        await client.close()
      }
    },
  )

  it.each(['modern', 'legacy'] as const)(
    'compose G030 compose X45 an open subscription of a %s source ends in good order, and holds up nobody',
    async (back) => {
      for (const isServer of [true, false]) {
        const server = new MCPServer('changing')
        server.tool('any', () => '')
        const proxy = createProxy(server, { mode: back, onFault: () => {} })
        const [here, there] = createMemoryChannelPair()
        const served = await proxy.connect(there)
        const wire = recordWire()
        const transport = wire.wrapTransport({ kind: 'memory', open: async () => here })
        const client = await Client.connect(transport, { mode: 'modern' })
        const params = { notifications: { toolsListChanged: true } }
        const listening = client.session.sendRaw('subscriptions/listen', params, { timeoutMs: Infinity })
        const methods = () => wire.received.map((message) => (message as { method?: string }).method)
        await vi.waitFor(() => expect(methods()).toContain('notifications/subscriptions/acknowledged'))
        // Until then it would be held up.
        const closing = (isServer ? proxy : served).close({ drainMs: 600_000 })
        expect(await listening).toMatchObject({ resultType: 'complete' })
        await closing
        await client.close()
        await proxy.close()
      }
    },
  )

  it('compose G030 its child processes end', async () => {
    const program = fileURLToPath(new URL('../../fixtures/stdio/proxied.js', import.meta.url))
    const proxy = createProxy({ command: process.execPath, args: [program] }, { mode: 'legacy' })
    const client = await Client.connect(proxy, { mode: 'legacy' })
    const { content } = await client.callTool('pid')
    const pid = Number((content as { text: string }[])[0]?.text)
    expect(isAlive(pid)).toBe(true)
    await proxy.close()
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
    await client.close()
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
