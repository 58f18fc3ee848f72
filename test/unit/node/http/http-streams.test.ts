// Many open streams, long answers and HTTP/2, over the sockets of Node.
import { createServer, type Server as HttpServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createHandler, type ServerHandler } from '../../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../../src/server/http/handler-options.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'
import { volume } from '../../../support/volume.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function serve(
  server: MCPServer,
  options: HandlerOptions = {},
): Promise<{ port: number; handler: ServerHandler }> {
  const handler = createHandler(server, options)
  const http: HttpServer = createServer(toNodeHandler(handler))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(async () => {
    await handler.close({ drainMs: 0 })
    http.closeAllConnections()
    http.close()
  })
  return { port: (http.address() as AddressInfo).port, handler }
}

function post(port: number, request: Parameters<typeof modernBody>[0]): Promise<Response> {
  const headers = { ...modernHeaders(request), 'content-type': 'application/json', accept: BOTH }
  return fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: JSON.stringify(modernBody(request)) })
}

const BOTH = 'application/json, text/event-stream'

function listenRequest(id: number) {
  return { id, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }
}

/** A stream over a socket that can be cut; resolves with the status once its head has come. */
function listen(port: number, id: number): Promise<{ socket: Socket; status: number }> {
  const request = listenRequest(id)
  const body = JSON.stringify(modernBody(request))
  const headers = { ...modernHeaders(request), 'content-type': 'application/json', accept: BOTH, host: 'localhost' }
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) })
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', (head) => resolve({ socket, status: Number(String(head).slice(9, 12)) }))
    socket.write(
      `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`,
    )
  })
}

function createCalculator(options: { maxSubscriptions?: number } = {}): MCPServer {
  const server = new MCPServer('calculator', options)
  server.tool('add', {}, () => 3)
  return server
}

describe('open streams', () => {
  it('F139 all give their places back when the network drops', async () => {
    // Both ends of each are in this process, and all of it has to fit into its file descriptors; ten thousand are in the soak.
    const STREAMS = volume(300, 5_000)
    const limits = { maxStreams: STREAMS, maxConcurrentRequests: 16 }
    const { port } = await serve(createCalculator({ maxSubscriptions: STREAMS }), limits)
    const openAll = async () => {
      const streams = []
      for (let id = 0; id < STREAMS; id++) streams.push(await listen(port, id))
      return streams
    }
    const streams = await openAll()
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    const oneMore = await listen(port, STREAMS)
    expect(oneMore.status).toBe(503)
    for (const { socket } of [...streams, oneMore]) socket.destroy()
    const again = await vi.waitFor(async () => {
      const opened = await openAll()
      const isWhole = opened.every(({ status }) => status === 200)
      if (!isWhole) for (const { socket } of opened) socket.destroy()
      expect(isWhole).toBe(true)
      return opened
    })
    for (const { socket } of again) socket.destroy()
  })

  it('do not take the places of requests', async () => {
    const { port } = await serve(createCalculator(), { maxConcurrentRequests: 2 })
    const streams = [await listen(port, 1), await listen(port, 2), await listen(port, 3)]
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    const response = await post(port, { params: { name: 'add' } })
    expect(response.status).toBe(200)
    await response.text()
    for (const { socket } of streams) socket.destroy()
  })

  it('are limited by the server that is listened to', async () => {
    const { port } = await serve(createCalculator({ maxSubscriptions: 1 }))
    const { socket } = await listen(port, 1)
    const response = await post(port, listenRequest(2))
    expect(await response.text()).toContain('Subscription limit reached')
    socket.destroy()
  })
})

describe('the head of a stream', () => {
  /** What each write of a connection begins with. */
  async function writesOf(server: MCPServer, tool: string): Promise<string[]> {
    const handler = createHandler(server)
    const http = createServer(toNodeHandler(handler))
    const writes: string[] = []
    http.on('connection', (socket) => {
      const { _write: one, _writev: many } = socket
      socket._write = (chunk, encoding, done) => {
        writes.push(String(chunk))
        one.call(socket, chunk, encoding, done)
      }
      socket._writev = (chunks, done) => {
        writes.push(chunks.map(({ chunk }) => String(chunk)).join(''))
        many?.call(socket, chunks, done)
      }
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    cleanups.push(async () => {
      await handler.close({ drainMs: 0 })
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as AddressInfo
    const params = { name: tool, arguments: {} }
    const response = await post(port, { id: 1, method: 'tools/call', params, meta: { progressToken: 1 } })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toContain('"progress":1')
    return writes
  }

  it('goes out with the first event, where that comes at once', async () => {
    const server = createCalculator()
    server.tool('report', {}, async (_, ctx) => {
      await ctx.reportProgress(1, 2)
      return 'done'
    })
    const [first] = await writesOf(server, 'report')
    expect(first).toMatch(/^HTTP\/1\.1 200[\s\S]*"progress":1/)
  })

  it('does not wait for an event that comes late', async () => {
    const { port } = await serve(createCalculator())
    const { socket, status } = await listen(port, 1)
    expect(status).toBe(200)
    socket.destroy()
  })
})

describe('a long list', () => {
  it('is whole, in bytes and in characters', async () => {
    const server = new MCPServer('many')
    for (let i = 0; i < 500; i++) server.tool(`tool-${i}`, { description: `Größe ${i} 🦉` }, () => 'x')
    const { port } = await serve(server)
    for (const id of ['first', 'second "quoted"']) {
      const response = await post(port, { id, method: 'tools/list', params: {} })
      const bytes = await response.arrayBuffer()
      expect(Number(response.headers.get('content-length'))).toBe(bytes.byteLength)
      const answer = JSON.parse(new TextDecoder().decode(bytes)) as { id: string; result: { tools: object[] } }
      expect([answer.id, answer.result.tools.length]).toEqual([id, 500])
      expect(answer.result.tools[7]).toMatchObject({ name: 'tool-7', description: 'Größe 7 🦉' })
    }
  })
})

describe('HTTP/2', () => {
  it('F141 serves calls, and rejects a body without harm to what shares its connection', async () => {
    const handler = createHandler(createCalculator(), { maxBodyBytes: 1_000 })
    const http = createHttp2Server(toNodeHandler(handler) as never)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    cleanups.push(async () => {
      session.destroy()
      http.close()
      await handler.close({ drainMs: 0 })
    })
    const send = (padding: string) => {
      const request = { params: { name: 'add' }, meta: { 'example.com/padding': padding } }
      const head = { ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json', accept: BOTH }
      const stream = session.request({ ...head, ...modernHeaders(request) })
      stream.end(JSON.stringify(modernBody(request)))
      return new Promise<{ status: unknown; text: string }>((resolve, reject) => {
        let status: unknown
        let text = ''
        stream.on('response', (headers) => {
          status = headers[':status']
        })
        stream.on('error', reject).on('data', (piece) => {
          text += piece
        })
        stream.on('end', () => resolve({ status, text }))
      })
    }
    const [small, large, another] = await Promise.all([send(''), send('x'.repeat(5_000)), send('y')])
    expect([small.status, large.status, another.status]).toEqual([200, 413, 200])
    expect(JSON.parse(small.text)).toMatchObject({ result: { structuredContent: { result: 3 } } })
  })
})
