// Options that serveHttp, run, serveStdio and toNodeHandler only hand on: each has an effect that a client can see.
import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { Client } from 'mcpwire'
import { createHandler, serveHttp, serveStdio, toNodeHandler } from 'mcpwire/node'
import { MCPServer, Server } from 'mcpwire/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { HttpServing, ServeHttpOptions } from '../../../../src/server/http/serve-options.ts'
import { startNode } from '../../../support/child.ts'
import { freePort } from '../../../support/free-port.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'
import { openRaw } from '../../../support/raw-http.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function createMcp(): MCPServer {
  const server = new MCPServer('passing')
  server.tool('greet', {}, () => 'hello')
  return server
}

const greet = { params: { name: 'greet' } }
const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...modernHeaders(greet), ...headers },
    body: JSON.stringify(modernBody(greet)),
  })

/** What is said about the URL. */
function watchStderr(): () => string[] {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => printed.mock.calls.map(String).filter((line) => line.includes(' listens on '))
}

type Start = (server: MCPServer, options: ServeHttpOptions) => Promise<HttpServing>

const starts: [string, Start][] = [
  ['serveHttp', (server, options) => serveHttp(server, options)],
  ['run', (server, options) => server.run({ transport: 'http', handleSignals: false, announce: false, ...options })],
]

describe.each(starts)('%s', (_name, start) => {
  it('path', async () => {
    await using serving = await start(createMcp(), { port: 0, path: '/tools' })
    expect(serving.url).toBe(`http://127.0.0.1:${serving.port}/tools`)
    expect((await post(serving.url)).status).toBe(200)
  })

  it('host and port', async () => {
    const port = await freePort()
    await using serving = await start(createMcp(), { port, host: 'localhost' })
    expect(serving.url).toBe(`http://localhost:${port}/mcp`)
    expect((await post(serving.url)).status).toBe(200)
  })

  it('healthPath', async () => {
    await using serving = await start(createMcp(), { port: 0, healthPath: '/up' })
    expect(await (await fetch(new URL('/up', serving.url))).text()).toBe('ok')
    expect((await fetch(new URL('/health', serving.url))).status).toBe(404)
  })

  it('allowedHosts', async () => {
    await using serving = await start(createMcp(), { port: 0, allowedHosts: ['mcp.example'] })
    expect((await post(serving.url)).status).toBe(403)
  })

  it('allowedOrigins and cors', async () => {
    const origin = 'https://app.example'
    await using open = await start(createMcp(), { port: 0, allowedOrigins: [origin] })
    expect((await post(open.url, { origin })).headers.get('access-control-allow-origin')).toBe(origin)
    expect((await post(open.url, { origin: 'https://other.example' })).status).toBe(403)
    await using plain = await start(createMcp(), { port: 0, allowedOrigins: [origin], cors: false })
    expect((await post(plain.url, { origin })).headers.get('access-control-allow-origin')).toBeNull()
  })

  it('maxBodyBytes', async () => {
    await using serving = await start(createMcp(), { port: 0, maxBodyBytes: 10 })
    expect((await post(serving.url)).status).toBe(413)
  })

  it('auth', async () => {
    await using serving = await start(createMcp(), { port: 0, auth: () => (exchange) => exchange.reply(418) })
    expect((await post(serving.url)).status).toBe(418)
  })

  it('sessions', async () => {
    await using serving = await start(createMcp(), { port: 0, sessions: false })
    await using client = await Client.connect(serving.url, { mode: 'legacy' })
    expect((await client.callTool('greet')).content).toMatchObject([{ text: 'hello' }])
    expect((await fetch(serving.url, { headers: { accept: 'text/event-stream' } })).status).toBe(405)
  })

  it('legacySse', async () => {
    await using serving = await start(createMcp(), { port: 0, legacySse: true })
    expect((await fetch(new URL('/sse', serving.url), { method: 'PUT' })).status).toBe(405)
  })

  it('maxConnections: one more is rejected', async () => {
    await using serving = await start(createMcp(), { port: 0, maxConnections: 1 })
    const first = connect(serving.port, '127.0.0.1')
    await once(first, 'connect')
    first.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await once(first, 'data')
    const second = openRaw(serving.port)
    await once(second, 'close')
    first.destroy()
    await once(first, 'close')
  })

  it('headersTimeoutMs and bodyTimeoutMs', async () => {
    await using serving = await start(createMcp(), { port: 0, headersTimeoutMs: 50, bodyTimeoutMs: 50 })
    const slow = openRaw(serving.port)
    slow.setEncoding('utf8').write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n')
    expect(String((await once(slow, 'data'))[0])).toContain('408')
    slow.destroy()
    const half = openRaw(serving.port)
    const head = Object.entries({ host: '127.0.0.1', ...modernHeaders(greet), 'content-length': '500' })
    half.setEncoding('utf8').write(`POST /mcp HTTP/1.1\r\n${head.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n{`)
    expect(String((await once(half, 'data'))[0])).toContain('408')
    half.destroy()
  })

  it('drainMs: calls under way are not waited for longer', async () => {
    const server = createMcp()
    const begun = createDeferred()
    const aborted = createDeferred()
    server.tool('hang', {}, (_args, { signal }) => {
      begun.resolve()
      signal.addEventListener('abort', () => aborted.resolve())
      return new Promise<string>(() => {})
    })
    const serving = await start(server, { port: 0, drainMs: 1 })
    const client = await Client.connect(serving.url)
    const call = client.callTool('hang').catch(() => 'failed')
    await begun.promise
    await serving.close()
    await aborted.promise
    expect(await call).toBe('failed')
    await client.close()
  })

  it('announce prints one line with the URL on stderr, and false prints none', async () => {
    const announced = watchStderr()
    await using serving = await start(createMcp(), { port: 0, announce: true })
    expect(announced()).toEqual([`mcpwire: passing listens on ${serving.url}`])
    await using _quiet = await start(createMcp(), { port: 0, announce: false })
    expect(announced()).toHaveLength(1)
  })
})

describe('what is so unless said otherwise', () => {
  it('serveHttp(server) alone listens on port 3000 of loopback, and says nothing', async () => {
    const announced = watchStderr()
    const outcome = await serveHttp(createMcp()).catch((error: Error) => error)
    // Somebody may have that port already; then that is what it says.
    if (outcome instanceof Error) {
      expect(outcome.message).toContain('127.0.0.1:3000')
      return
    }
    expect(outcome.url).toBe('http://127.0.0.1:3000/mcp')
    expect((await post(outcome.url)).status).toBe(200)
    await outcome.close()
    expect(announced()).toEqual([])
  })

  it('run({ transport: http }) prints its URL', async () => {
    const announced = watchStderr()
    const serving = await createMcp().run({ transport: 'http', port: 0, handleSignals: false })
    expect(announced()).toEqual([`mcpwire: passing listens on ${serving.url}`])
    await serving.close()
  })

  it('serveHttp takes a Server as well', async () => {
    const server = new Server('low', { handlers: { 'tools/list': () => ({ tools: [] }) } })
    await using serving = await serveHttp(server, { port: 0 })
    await using client = await Client.connect(serving.url)
    expect((await client.listTools()).tools).toEqual([])
  })

  it('handleSignals: run() listens for signals, serveHttp does not', async () => {
    const before = process.listenerCount('SIGTERM')
    const quiet = await serveHttp(createMcp(), { port: 0 })
    expect(process.listenerCount('SIGTERM')).toBe(before)
    const asked = await serveHttp(createMcp(), { port: 0, handleSignals: true })
    const run = await createMcp().run({ transport: 'http', port: 0, announce: false })
    expect(process.listenerCount('SIGTERM')).toBe(before + 2)
    for (const serving of [quiet, asked, run]) await serving.close()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})

describe('serveStdio', () => {
  it('input and output', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = serveStdio(createMcp(), { input, output })
    input.end(`${JSON.stringify(modernBody(greet))}\n`)
    expect(JSON.parse(String((await once(output, 'data'))[0]))).toMatchObject({ id: 1, result: {} })
    await serving
  })

  it('drainMs: a call is aborted that long after the client has disconnected', async () => {
    const server = createMcp()
    const aborted = createDeferred()
    server.tool('hang', {}, (_args, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      return new Promise<string>(() => {})
    })
    const [input, output] = [new PassThrough(), new PassThrough().resume()]
    const serving = serveStdio(server, { input, output, drainMs: 1 })
    input.end(`${JSON.stringify(modernBody({ params: { name: 'hang' } }))}\n`)
    await aborted.promise
    await serving
  })
})

describe('toNodeHandler', () => {
  it('hands on the body that a framework has parsed, from either place', async () => {
    const handler = toNodeHandler(createHandler(createMcp()))
    const { createServer } = await import('node:http')
    const body = modernBody(greet)
    const ways = [
      (request: object) => [request, body],
      (request: object) => [Object.assign(request, { body }), () => {}],
    ]
    for (const way of ways) {
      const http = createServer((request, response) => {
        request.resume()
        const [given, third] = way(request)
        handler(given as typeof request, response, third)
      })
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
      const { port } = http.address() as { port: number }
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: modernHeaders(greet),
        body: '{}',
      })
      expect(await response.json()).toMatchObject({ result: { content: [{ text: 'hello' }] } })
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    }
  })
})

describe('run on stdio', () => {
  it.each([
    ['1', 'given up'],
    ['60000', 'finished'],
  ])('drainMs: %s lets a call be %s when the client has gone', async (drainMs, outcome) => {
    const program = `
      import { MCPServer } from 'mcpwire'
      const server = new MCPServer('draining')
      server.tool('wait', {}, (_args, { signal }) => new Promise((resolve) => {
        process.stderr.write('begun\\n')
        signal.addEventListener('abort', () => { process.stderr.write('given up\\n'); resolve('') })
        process.stdin.once('end', () => setTimeout(() => { process.stderr.write('finished\\n'); resolve('') }, 200))
      }))
      await server.run({ drainMs: ${drainMs} })
      process.exit()
    `
    const child = startNode(['--input-type=module', '--eval', program])
    child.process.stdin.write(`${JSON.stringify(modernBody({ params: { name: 'wait' } }))}\n`)
    await child.printed('begun', 'stderr')
    child.process.stdin.end()
    await child.ended
    expect(child.output.stderr.split('\n')[1]).toBe(outcome)
  })
})
