import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toFetch } from '../../../../src/http/to-fetch.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../src/node/http/serve-http.ts'
import { toNodeHandler } from '../../../../src/node/http/to-node-handler.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { type ModernRequest, modernBody, modernHeaders } from '../../../support/modern-messages.ts'
import { openRaw, rawRequest } from '../../../support/raw-http.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function createMcp(options: ConstructorParameters<typeof MCPServer>[1] = {}): MCPServer {
  const server = new MCPServer('shelf', options)
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, (args) =>
    String((args as { text?: string }).text),
  )
  server.tool('count', {}, async (_args, ctx) => {
    await ctx.reportProgress(1, 1, 'half\nway')
    return 'counted'
  })
  return server
}

const echo: ModernRequest = { params: { name: 'echo', arguments: { text: 'grüße 🌍' } } }

async function listen(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const http = createServer(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

function post(url: string, request: ModernRequest, body = JSON.stringify(modernBody(request))): Promise<Response> {
  return fetch(url, { method: 'POST', headers: modernHeaders(request), body })
}

async function textOf(response: Response): Promise<string | undefined> {
  const message = (await response.json()) as { result?: { content: { text: string }[] } }
  return message.result?.content[0]?.text
}

describe('toNodeHandler', () => {
  it('fits http.createServer, with answers whole and in streams', async () => {
    const url = await listen(toNodeHandler(createHandler(createMcp())))
    const whole = await post(`${url}/mcp`, echo)
    expect(whole.headers.get('content-type')).toBe('application/json')
    expect(await textOf(whole)).toBe('grüße 🌍')
    const streamed = await post(`${url}/mcp`, { params: { name: 'count' }, meta: { progressToken: 1 } })
    expect(streamed.headers.get('content-type')).toBe('text/event-stream')
    const events = (await streamed.text()).trim().split('\n\n')
    expect(events.map((event) => JSON.parse(event.slice('data: '.length)).method)).toEqual([
      'notifications/progress',
      undefined,
    ])
  })

  it('answers a long list whole, whatever the id is made of, over HTTP/1 and HTTP/2', async () => {
    const mcp = createMcp()
    for (let n = 0; n < 200; n++) mcp.tool(`tool-${n}`, { description: 'grün '.repeat(40) }, () => n)
    const handler = toNodeHandler(createHandler(mcp))
    const url = await listen(handler)
    for (const id of [7, 'ä'.repeat(100)]) {
      const response = await post(`${url}/mcp`, { id, method: 'tools/list' })
      const body = await response.text()
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
      const message = JSON.parse(body) as { id: unknown; result: { tools: unknown[] } }
      expect([message.id, message.result.tools.length]).toEqual([id, 202])
    }
    const listener = handler as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void
    const http2 = createHttp2Server(listener)
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve))
    const client = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
    cleanups.push(() => new Promise((resolve) => http2.close(resolve)))
    cleanups.push(() => client.destroy())
    const list = { method: 'tools/list' }
    const stream = client.request({ ':method': 'POST', ':path': '/mcp', ...modernHeaders(list) })
    stream.end(JSON.stringify(modernBody(list)))
    let text = ''
    for await (const piece of stream.setEncoding('utf8')) text += piece
    expect(JSON.parse(text).result.tools).toHaveLength(202)
  })

  it('S-HTTP-13 F135 tells proxies not to hold a stream back', async () => {
    const url = await listen(toNodeHandler(createHandler(createMcp())))
    const { headers } = await post(`${url}/mcp`, { params: { name: 'count' }, meta: { progressToken: 1 } })
    expect([headers.get('x-accel-buffering'), headers.get('cache-control')]).toEqual([
      'no',
      'no-cache, no-store, no-transform',
    ])
  })

  it('takes a body in many pieces, split within a character', async () => {
    const url = new URL(await listen(toNodeHandler(createHandler(createMcp()))))
    const body = Buffer.from(JSON.stringify(modernBody(echo)))
    const text = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(
        { port: url.port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: modernHeaders(echo) },
        (response) => {
          let all = ''
          response.setEncoding('utf8').on('data', (piece) => {
            all += piece
          })
          response.on('end', () => resolve(all))
        },
      )
      request.on('error', reject)
      for (const byte of body) request.write(Buffer.from([byte]))
      request.end()
    })
    expect(JSON.parse(text).result.content[0].text).toBe('grüße 🌍')
  })

  it('F140 fits Express 5, parsed or not, mounted or not', async () => {
    const handler = toNodeHandler(createHandler(createMcp()))
    const plain = express()
    plain.all('/mcp', handler)
    const parsed = express()
    parsed.use(express.json())
    parsed.use('/mcp', handler)
    for (const app of [plain, parsed]) {
      const url = await listen(app)
      expect(await textOf(await post(`${url}/mcp`, echo))).toBe('grüße 🌍')
      expect((await fetch(`${url}/mcp`, { method: 'PUT' })).status).toBe(405)
    }
  })

  it('F140 fits Fastify 5, which has parsed the body', async () => {
    const app = fastify()
    const handler = toNodeHandler(createHandler(createMcp()))
    app.all('/mcp', (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw, request.body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    cleanups.push(() => app.close())
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
    expect(await textOf(await post(url, echo))).toBe('grüße 🌍')
  })

  it('F140 holds parsed bodies against the limits too', async () => {
    const handler = toNodeHandler(createHandler(createMcp(), { maxBodyBytes: 1_000 }))
    let deep: unknown = 1
    for (let n = 0; n < 100; n++) deep = [deep]
    const bodies = [{ ...modernBody(echo), deep }, modernBody({ params: { name: 'echo', text: 'x'.repeat(2_000) } })]
    const statuses: number[] = []
    for (const body of bodies) {
      const url = await listen((request, response) => {
        request.resume()
        handler(request, response, body)
      })
      statuses.push((await post(`${url}/mcp`, echo)).status)
    }
    expect(statuses).toEqual([400, 413])
  })

  it('F140 says what is wrong, to the author, where the body was read and not passed on', async () => {
    const faults: unknown[] = []
    const handler = toNodeHandler(createHandler(createMcp({ onFault: (fault) => faults.push(fault.error) })))
    const url = await listen((request, response) => {
      request.resume()
      request.on('end', () => handler(request, response))
    })
    const response = await post(`${url}/mcp`, echo)
    expect([response.status, (await response.text()).includes('read before')]).toEqual([500, false])
    expect(String(faults.at(-1))).toContain('third argument')
  })

  it('F141 serves a connection on after a rejected request that was read', async () => {
    const url = new URL(await listen(toNodeHandler(createHandler(createMcp()))))
    const socket = openRaw(Number(url.port))
    const pieces: unknown[] = []
    const next = () =>
      new Promise<void>((resolve) =>
        socket.once('data', (piece) => {
          pieces.push(piece)
          resolve()
        }),
      )
    socket.write(rawRequest({ headers: Object.entries(modernHeaders(echo)), body: '{' }))
    await next()
    socket.write(rawRequest({ headers: Object.entries(modernHeaders(echo)), body: JSON.stringify(modernBody(echo)) }))
    await next()
    expect(pieces.join('').match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200'])
    socket.destroy()
  })

  it.each([
    ['a server', () => createMcp()],
    ['undefined', () => undefined],
    ['an object', () => ({})],
  ])('refuses %s in the place of a handler at once, and shows createHandler', (kind, make) => {
    const given = make() as never
    const says = (owner: string) =>
      new TypeError(
        `${owner}() takes an HTTP handler, which is a function, not ${kind}. Write ${owner}(createHandler(server)).`,
      )
    expect(() => toNodeHandler(given)).toThrow(says('toNodeHandler'))
    expect(() => toFetch(given)).toThrow(says('toFetch'))
  })

  it('writes what a handler threw to the standard error, and not as often as somebody asks for it', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => {})
    cleanups.push(() => written.mockRestore())
    const failure = new Error('the lamp is broken')
    const line = 'mcpwire: an HTTP handler failed, and its caller got a 500.'
    const url = await listen(
      toNodeHandler(() => {
        throw failure
      }),
    )
    expect((await fetch(url)).status).toBe(500)
    expect(written.mock.calls).toEqual([[line, failure]])
    const answer = toFetch(() => Promise.reject(failure))
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    cleanups.push(() => clock.mockRestore())
    for (let count = 0; count < 20; count += 1) {
      expect((await answer(new Request('http://localhost/mcp'))).status).toBe(500)
    }
    expect(written.mock.calls).toEqual(Array.from({ length: 9 }, () => [line, failure]))
  })

  it('a handler that throws is a 500, and one that rejects too', async () => {
    const url = await listen(
      toNodeHandler((exchange) => {
        if (exchange.path === '/throw') throw new Error('secret')
        return Promise.reject(new Error('secret'))
      }),
    )
    for (const path of ['/throw', '/reject']) {
      const response = await fetch(url + path)
      expect([response.status, await response.text()]).toEqual([500, ''])
    }
  })

  it('F110 R22 aborts the handler when its client leaves before the answer, and in the middle of a stream', async () => {
    const left: string[] = []
    const bothLeft = createDeferred()
    const started = [createDeferred(), createDeferred()] as const
    const server = new MCPServer('slow')
    server.tool('wait', {}, async (_args, ctx) => {
      started[0].resolve()
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      left.push('silent')
      if (left.length === 2) bothLeft.resolve()
      await ctx.reportProgress(1)
      return 'late'
    })
    server.tool('talk', {}, async (_args, ctx) => {
      await ctx.reportProgress(1)
      started[1].resolve()
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      left.push('talking')
      if (left.length === 2) bothLeft.resolve()
      await ctx.reportProgress(2)
      return 'late'
    })
    const url = new URL(await listen(toNodeHandler(createHandler(server))))
    const sockets = ['wait', 'talk'].map((name) => {
      const request = { params: { name }, meta: { progressToken: 1 } }
      const socket = openRaw(Number(url.port))
      socket.write(
        rawRequest({ headers: Object.entries(modernHeaders(request)), body: JSON.stringify(modernBody(request)) }),
      )
      return socket
    })
    await Promise.all(started.map(({ promise }) => promise))
    for (const socket of sockets) socket.destroy()
    await bothLeft.promise
    expect(left.sort()).toEqual(['silent', 'talking'])
    expect((await fetch(`${url.origin}/health`)).status).toBe(200)
  })

  it('F111 cuts the stream of a client that does not read', async () => {
    const cut = createDeferred<number>()
    const server = new MCPServer('flood')
    server.tool('flood', {}, async (_args, ctx) => {
      let sent = 0
      while (!ctx.signal.aborted && sent < 100_000) {
        void ctx.reportProgress(++sent, undefined, 'x'.repeat(10_000))
        if (sent % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      cut.resolve(sent)
      return 'done'
    })
    const url = new URL(await listen(toNodeHandler(createHandler(server, { maxQueuedBytes: 1_000_000 }))))
    const request = { params: { name: 'flood' }, meta: { progressToken: 1 } }
    const socket = openRaw(Number(url.port))
    socket.pause()
    socket.write(
      rawRequest({ headers: Object.entries(modernHeaders(request)), body: JSON.stringify(modernBody(request)) }),
    )
    expect(await cut.promise).toBeLessThan(10_000)
    socket.destroy()
  })
})

describe('toFetch', () => {
  it('fits Hono', async () => {
    const app = new Hono()
    const fetchHandler = toFetch(createHandler(createMcp()))
    app.all('/mcp', (context) => fetchHandler(context.req.raw))
    const response = await app.request('http://localhost/mcp', {
      method: 'POST',
      headers: modernHeaders(echo),
      body: JSON.stringify(modernBody(echo)),
    })
    expect(await textOf(response)).toBe('grüße 🌍')
  })

  it.each([{}, { trustsLength: true }])('fits Hono on Node, with %o', async (options) => {
    const app = new Hono()
    const fetchHandler = toFetch(createHandler(createMcp(), { maxBodyBytes: 1_000 }), options)
    app.all('/mcp', (context) => fetchHandler(context.req.raw))
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
    const url = await listen((request, response) => void listener(request, response))
    expect(await textOf(await post(`${url}/mcp`, echo))).toBe('grüße 🌍')
    const streamed = await post(`${url}/mcp`, { params: { name: 'count' }, meta: { progressToken: 1 } })
    expect((await streamed.text()).split('data: ').length).toBe(3)
    const long = { params: { name: 'echo', arguments: { text: 'x'.repeat(2_000) } } }
    expect((await post(`${url}/mcp`, long)).status).toBe(413)
  })
})

describe('serveHttp', () => {
  it('S-HTTP-04 listens on loopback and gives the url of the endpoint', async () => {
    const serving = await serveHttp(createMcp(), { port: 0 })
    expect(serving.url).toBe(`http://127.0.0.1:${serving.port}/mcp`)
    expect(await textOf(await post(serving.url, echo))).toBe('grüße 🌍')
    await serving.close()
    await serving.close()
    await serving.closed
    await expect(post(serving.url, echo)).rejects.toThrow()
  })

  it.each([
    ['abc', '"abc"'],
    ['', '""'],
    ['0x10', '"0x10"'],
    [' 80', '" 80"'],
    ['99999', '"99999"'],
    [99_999, '99999'],
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [{}, 'an object'],
    [null, 'null'],
  ])('refuses %j as a port before anything is opened, also from run()', async (port, shown) => {
    const says = new RangeError(`port must be a whole number from 0 to 65535, not ${shown}`)
    const server = createMcp({ lifespan: () => expect.fail('was started') })
    await expect(serveHttp(server, { port: port as number })).rejects.toThrow(says)
    await expect(server.run({ transport: 'http', port: port as number })).rejects.toThrow(says)
  })

  it('takes a port in decimal digits, as an environment variable has it', async () => {
    const serving = await serveHttp(createMcp(), { port: '0' as unknown as number })
    cleanups.push(() => serving.close())
    expect(serving.url).toBe(`http://127.0.0.1:${serving.port}/mcp`)
    expect(serving.port).toBeGreaterThan(0)
  })

  it.each([
    ['', '""'],
    [' ', '" "'],
    [5, '5'],
    [null, 'null'],
  ])('refuses %j as a host', async (host, shown) => {
    const says = new RangeError(`host must be a name or an address, as in '127.0.0.1', not ${shown}`)
    await expect(serveHttp(createMcp(), { port: 0, host: host as string })).rejects.toThrow(says)
  })

  it('F142 rejects with a typed error when the port is in use', async () => {
    await using first = await serveHttp(createMcp(), { port: 0 })
    const ended: string[] = []
    const second = createMcp({ lifespan: () => ({ close: () => ended.push('ended') }) })
    const failure = await serveHttp(second, { port: first.port }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
    expect(String(failure)).toContain('the port is in use')
    expect(ended).toEqual(['ended'])
  })

  it('rejects with what the lifespan throws, and lets go of everything', async () => {
    const server = createMcp({
      lifespan: () => {
        throw new Error('no database')
      },
    })
    await expect(serveHttp(server, { port: 0 })).rejects.toThrow('no database')
  })

  it('S-HTTP-05 warns when other machines can reach it and no token is required', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    cleanups.push(() => warn.mockRestore())
    await using _open = await serveHttp(createMcp(), { port: 0, host: '0.0.0.0' })
    await using _guarded = await serveHttp(createMcp(), { port: 0, host: '0.0.0.0', auth: (handler) => handler })
    await using _local = await serveHttp(createMcp(), { port: 0 })
    expect(warn.mock.calls.flat().filter((text) => String(text).includes('without authorization'))).toHaveLength(1)
  })

  it('F132 closes in bounded time although clients hold on to their connections', async () => {
    const started = createDeferred()
    const server = new MCPServer('slow')
    server.tool('deaf', {}, () => {
      started.resolve()
      return new Promise<string>(() => {})
    })
    const serving = await serveHttp(server, { port: 0 })
    const pending = post(serving.url, { params: { name: 'deaf' } })
    await started.promise
    await serving.close({ drainMs: 1 })
    expect((await pending).status).toBe(503)
  })

  it('F132 closes with its server, and lets go of the port', async () => {
    const server = createMcp()
    const serving = await serveHttp(server, { port: 0 })
    expect((await fetch(new URL('/health', serving.url))).status).toBe(200)
    await server.close()
    await serving.closed
    await expect(fetch(new URL('/health', serving.url))).rejects.toThrow()
    await serving.close()
    const again = await serveHttp(server, { port: 0 })
    cleanups.push(() => again.close({ drainMs: 0 }))
    expect((await fetch(new URL('/health', again.url))).status).toBe(200)
  })

  it('does not listen if its server was closed before', async () => {
    const server = createMcp()
    const serving = serveHttp(server, { port: 0 })
    await server.close()
    await expect(serving).rejects.toThrow(/closed before it listened/)
  })

  it('R01 checks the host also where it listens on every address', async () => {
    await using serving = await serveHttp(createMcp(), { port: 0, host: '0.0.0.0', auth: (handler) => handler })
    const status = await new Promise((resolve, reject) => {
      const options = { port: serving.port, host: '127.0.0.1', path: '/mcp', headers: { host: 'evil.example' } }
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(403)
  })

  it('is what run({ transport: "http" }) resolves to', async () => {
    const server = createMcp()
    await using serving = await server.run({ transport: 'http', port: 0, handleSignals: false })
    expect(await textOf(await post(serving.url, echo))).toBe('grüße 🌍')
  })
})
