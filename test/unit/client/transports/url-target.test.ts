// A URL as the target of a client: Streamable HTTP first, then HTTP+SSE.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'

interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

type Handle = (request: Seen, response: ServerResponse) => void

async function listen(handle: Handle): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => {
      body += chunk
    })
    incoming.on('end', () => {
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
      seen.push(request)
      handle(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen }
}

async function connect(url: string, options?: ClientOptions): Promise<Client> {
  const client = await Client.connect(url, options)
  onTestFinished(() => client.close())
  return client
}

/** A server of 2024-11-05 at the same path, which answers this to a POST there. */
function olderServer(status: number): Handle {
  const streams: ServerResponse[] = []
  return (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: endpoint\ndata: /messages?session=1\n\n')
      streams.push(response)
      return
    }
    if (request.path === '/mcp') {
      response.writeHead(status).end()
      return
    }
    response.writeHead(202).end()
    const { id, method } = JSON.parse(request.body) as { id?: number; method: string }
    if (id === undefined) return
    const result =
      method === 'initialize'
        ? { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
        : {}
    streams.at(-1)?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  }
}

const MODES = ['auto', 'legacy'] as const

describe('a server of 2024-11-05', () => {
  it.each(MODES.flatMap((mode) => [400, 404, 405].map((status) => [mode, status] as const)))(
    'C-HTTPL-12 is reached in mode %s where it answers %i to a POST',
    async (mode, status) => {
      const { url, seen } = await listen(olderServer(status))
      const client = await connect(url, { mode })
      expect(client.protocolVersion).toBe('2024-11-05')
      await client.sendPing()
      const posts = seen.filter(({ method, path }) => method === 'POST' && path === '/mcp')
      expect(posts).toHaveLength(mode === 'auto' ? 2 : 1)
    },
  )

  it('is not tried with a modern mode', async () => {
    const { url, seen } = await listen(olderServer(404))
    const client = await connect(url, { mode: LATEST_MODERN_VERSION })
    await expect(client.listTools()).rejects.toMatchObject({ status: 404 })
    expect(seen.every(({ method }) => method === 'POST')).toBe(true)
  })

  it.each([401, 403, 500])('is not tried after status %i', async (status) => {
    const { url, seen } = await listen(olderServer(status))
    await expect(connect(url)).rejects.toMatchObject({ status })
    expect(seen.every(({ method }) => method === 'POST')).toBe(true)
  })

  it('is not tried if the server is modern', async () => {
    const { url, seen } = await listen((_request, response) => {
      const error = { code: -32021, message: 'no', data: { requiredCapabilities: {} } }
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
    })
    await expect(connect(url)).rejects.toMatchObject({ cause: { code: -32021 } })
    expect(seen).toHaveLength(1)
  })
})

it('if no server responds, the error names both attempts', async () => {
  const { url } = await listen((_request, response) => void response.writeHead(404).end('nothing here'))
  const failure = await connect(url).catch((error: unknown) => error as Error)
  expect(failure).toMatchObject({
    status: 404,
    message: expect.stringMatching(/Streamable HTTP: .*404.* HTTP\+SSE: .*404/s),
  })
})

it('F166 a server with ten connections answers a thousand concurrent calls', async () => {
  const seen = new Set<number>()
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    incoming.on('end', () => {
      const { id } = JSON.parse(body) as { id: number }
      seen.add(id)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } }))
    })
  })
  server.maxConnections = 10
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const client = await Client.connect(streamableHttp(url, { maxConnections: 10 }), { mode: LATEST_MODERN_VERSION })
  onTestFinished(() => client.close())
  await Promise.all(Array.from({ length: 1_000 }, () => client.callTool('x')))
  expect(seen.size).toBe(1_000)
})

describe('credentials in a URL', () => {
  it('are sent as a header, and appear in no error', async () => {
    const { url, seen } = await listen((_request, response) => void response.writeHead(403).end())
    const failure = await connect(url.replace('http://', 'http://ada:s%C3%A9cret@')).catch(
      (error: unknown) => error as Error,
    )
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ada:sécret').toString('base64')}`)
    expect(seen[0]?.path).toBe('/mcp')
    expect(JSON.stringify([String(failure), (failure as Error).stack])).not.toMatch(/cret|ada/)
  })
})
