import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type SseOptions, sse } from '../../../../src/client/transports/sse.ts'
import type { Channel } from '../../../../src/dispatcher/channel.ts'
import { EncodeError } from '../../../../src/dispatcher/encode.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import type { JSONRPCMessage } from '../../../../src/types/protocol/jsonrpc.ts'
import { type Answer, bodyOf, serveLocally } from '../../http/local-server.ts'

interface OldServer {
  readonly url: string
  readonly origin: string
  readonly posts: { path: string | undefined; body: JSONRPCMessage; headers: Record<string, unknown> }[]
  readonly gets: Record<string, unknown>[]
  readonly underWay: number
  /** Writes raw text to the open stream. */
  write(text: string): void
  say(message: unknown): void
  end(): void
}

/** A server of 2024-11-05 that is told what to say. */
async function serveOld(options: { endpoint?: string; onPost?: Answer; onGet?: Answer } = {}): Promise<OldServer> {
  const { endpoint = '/messages?sessionId=1' } = options
  const streams: ServerResponse[] = []
  const posts: OldServer['posts'] = []
  const gets: OldServer['gets'] = []
  const server = await serveLocally(async (request, response) => {
    if (request.method === 'GET') {
      gets.push(request.headers)
      if (options.onGet) {
        options.onGet(request, response)
        return
      }
      streams.push(response)
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      response.write(endpoint === '' ? ': hello\n\n' : `event: endpoint\ndata: ${endpoint}\n\n`)
      return
    }
    posts.push({ path: request.url, headers: request.headers, body: JSON.parse(await bodyOf(request)) })
    if (options.onPost) options.onPost(request, response)
    else response.writeHead(202).end('Accepted')
  })
  return {
    url: `${server.origin}/sse`,
    origin: server.origin,
    posts,
    gets,
    get underWay() {
      return server.underWay
    },
    write: (text) => streams.at(-1)?.write(text),
    say: (message) => streams.at(-1)?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    end: () => streams.at(-1)?.end(),
  }
}

function listenOn(channel: Channel) {
  const messages: unknown[] = []
  const lost: [unknown, Error][] = []
  const faults: Fault[] = []
  const closed = createDeferred<Error | undefined>()
  void channel.start({
    message: (message, hints) => {
      expect(hints?.transport).toEqual({ kind: 'sse', canSendRequest: true })
      messages.push(message)
      return undefined
    },
    lost: (id, reason) => lost.push([id, reason]),
    fault: (fault) => faults.push(fault),
    closed: (reason) => closed.resolve(reason),
  })
  return { messages, lost, faults, closed: closed.promise }
}

async function open(server: { url: string }, options?: SseOptions): Promise<Channel> {
  const channel = await sse(server.url, options).open()
  onTestFinished(() => channel.close())
  return channel
}

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' })
const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }

describe('the HTTP+SSE transport', () => {
  it('C-HTTPL-13 C-HTTPL-14 opens the stream, posts to the endpoint and reads messages from events', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const { messages, closed } = listenOn(channel)
    await channel.send(ping(1))
    expect(server.posts).toMatchObject([{ path: '/messages?sessionId=1', body: ping(1) }])
    expect(server.posts[0]?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(server.gets[0]).toMatchObject({ accept: 'text/event-stream' })
    server.say({ jsonrpc: '2.0', id: 1, result: {} })
    await vi.waitFor(() => expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]))
    await channel.close()
    expect(await closed).toBeUndefined()
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('carries calls in both directions under a dispatcher', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const dispatcher = new JSONRPCDispatcher(channel)
    dispatcher
      .run(
        async () => ({ pong: true }),
        () => {},
      )
      .catch(() => {})
    const answer = dispatcher.sendRawRequest('ping')
    await vi.waitFor(() => expect(server.posts).toHaveLength(1))
    server.say({ jsonrpc: '2.0', id: 'theirs', method: 'ask' })
    await vi.waitFor(() =>
      expect(server.posts[1]?.body).toEqual({ jsonrpc: '2.0', id: 'theirs', result: { pong: true } }),
    )
    server.say({ ...server.posts[0]?.body, method: undefined, result: { a: 1 } })
    expect(await answer).toEqual({ a: 1 })
    await dispatcher.close()
  })

  it('holds back messages that arrive before start', async () => {
    const server = await serveOld({ endpoint: `/m\n\ndata: ${JSON.stringify(note)}` })
    const channel = await open(server)
    await channel.send(ping(1))
    const { messages } = listenOn(channel)
    await vi.waitFor(() => expect(messages).toEqual([note]))
  })

  it('sends headers and the token with every request', async () => {
    const server = await serveOld()
    let count = 0
    const auth = async () => {
      count += 1
      return `token-${count}`
    }
    const channel = await open(server, { headers: { 'X-Tenant': 'a' }, auth })
    listenOn(channel)
    await channel.send(note)
    expect(server.gets[0]).toMatchObject({ 'x-tenant': 'a', authorization: 'Bearer token-1' })
    expect(server.posts[0]?.headers).toMatchObject({ 'x-tenant': 'a', authorization: 'Bearer token-2' })
  })

  it('uses the given fetch', async () => {
    const server = await serveOld()
    const fetch = vi.fn(globalThis.fetch)
    const channel = await open(server, { fetch })
    const { messages } = listenOn(channel)
    await channel.send(note)
    server.say(note)
    await vi.waitFor(() => expect(messages).toEqual([note]))
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('skips events that are empty, unknown, or not valid JSON', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const { messages, faults } = listenOn(channel)
    server.write(': ping\n\ndata:\n\nevent: other\ndata: {}\n\ndata: {"half\n\n')
    server.say(note)
    await vi.waitFor(() => expect(messages).toEqual([note]))
    expect(faults).toMatchObject([{ kind: 'transport', message: 'Skipped an event that is not valid JSON' }])
  })

  it('rejects a message that JSON cannot represent before anything is sent', async () => {
    const server = await serveOld()
    const channel = await open(server)
    listenOn(channel)
    const message = { jsonrpc: '2.0', id: 1, method: 'x', params: { n: 1n } } as unknown as JSONRPCMessage
    await expect(channel.send(message)).rejects.toBeInstanceOf(EncodeError)
    expect(server.posts).toEqual([])
  })

  it.each(['not a url', 'ftp://localhost/', 'http://user:pw@localhost/'])('%s is no server URL', (url) => {
    expect(() => sse(url)).toThrow(TypeError)
  })

  it('rejects invalid headers and limits when it is created', () => {
    expect(() => sse('http://localhost/', { headers: { 'a b': 'c' } })).toThrow(TypeError)
    expect(() => sse('http://localhost/', { headers: { a: 'b\r\nc: d' } })).toThrow(TypeError)
    expect(() => sse('http://localhost/', { maxEventBytes: 0 })).toThrow(RangeError)
    expect(() => sse('http://localhost/', { endpointTimeoutMs: -1 })).toThrow(RangeError)
  })

  it('does not send a token over plain http to another machine', async () => {
    await expect(sse('http://example.com/sse', { auth: 'abc' }).open()).rejects.toThrow('plain http')
  })
})

describe('the endpoint event', () => {
  it.each([
    ['/messages', '/messages'],
    ['messages?id=1', '/messages?id=1'],
    ['?id=1', '/sse?id=1'],
    ['/a#fragment', '/a'],
  ])('F160 %s is resolved against the URL of the stream', async (endpoint, path) => {
    const server = await serveOld({ endpoint })
    const channel = await open(server)
    listenOn(channel)
    await channel.send(note)
    expect(server.posts[0]?.path).toBe(path)
  })

  it('F160 R36 another origin, port or scheme is rejected, and nothing is sent there', async () => {
    const other = await serveLocally((_request, response) => response.end())
    const endpoints = [
      other.origin,
      `//127.0.0.1:${other.port}/x`,
      'https://127.0.0.1/x',
      'javascript:alert(1)',
      'data:text/plain,x',
      'http://',
      `/${'x'.repeat(9_000)}`,
    ]
    for (const endpoint of endpoints) {
      const server = await serveOld({ endpoint })
      await expect(sse(server.url).open()).rejects.toThrow('Rejected the endpoint')
      await vi.waitFor(() => expect(server.underWay).toBe(0))
    }
    expect(other.connections).toBe(0)
  })

  it('F160 R36 credentials in it are rejected', async () => {
    const server = await serveOld({
      onGet: ({ headers }, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`event: endpoint\ndata: http://user:pw@${headers.host}/x\n\n`)
      },
    })
    await expect(sse(server.url).open()).rejects.toThrow('credentials')
  })

  it('F160 a second one is ignored and reported; a second one of another origin ends the connection', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const { faults, closed } = listenOn(channel)
    server.write('event: endpoint\ndata: /messages?sessionId=1\n\nevent: endpoint\ndata: /elsewhere\n\n')
    await vi.waitFor(() => expect(faults).toHaveLength(1))
    await channel.send(note)
    expect(server.posts[0]?.path).toBe('/messages?sessionId=1')
    server.write('event: endpoint\ndata: http://evil.example/\n\n')
    expect(await closed).toMatchObject({ message: expect.stringContaining('another origin') })
  })

  it('one that comes after a message fails at once', async () => {
    const server = await serveOld({ endpoint: '' })
    const opening = sse(server.url, { endpointTimeoutMs: 600_000 }).open()
    await vi.waitFor(() => expect(server.gets).toHaveLength(1))
    server.write('data: {}\n\nevent: endpoint\ndata: /messages\n\n')
    await expect(opening).rejects.toThrow(`${server.origin} sent a message before its endpoint`)
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('F160 one that never comes fails after the timeout', async () => {
    const server = await serveOld({ endpoint: '' })
    await expect(sse(server.url, { endpointTimeoutMs: 30 }).open()).rejects.toThrow('no endpoint within 30 ms')
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('F160 an HTTP response that never comes fails after the timeout', async () => {
    const server = await serveOld({ onGet: () => {} })
    await expect(sse(server.url, { endpointTimeoutMs: 30 }).open()).rejects.toThrow('no endpoint within 30 ms')
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('aborting before it comes rejects with the reason and leaves nothing open', async () => {
    const controller = new AbortController()
    const server = await serveOld({ endpoint: '' })
    const opening = sse(server.url).open({ signal: controller.signal })
    await vi.waitFor(() => expect(server.gets).toHaveLength(1))
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(opening).rejects.toBe(reason)
    await vi.waitFor(() => expect(server.underWay).toBe(0))
    await expect(sse(server.url).open({ signal: controller.signal })).rejects.toBe(reason)
  })

  it.each([
    [404, 'text/html', 'check the path'],
    [401, 'text/plain', 'authorization'],
    [200, 'text/html', 'HTTP 200'],
    [200, 'text/event-stream-not', 'HTTP 200'],
  ])('F151 a %i with %s instead of a stream is explained', async (status, type, words) => {
    const server = await serveOld({
      onGet: (_request, response) => response.writeHead(status, { 'content-type': type }).end('<html>'),
    })
    const failure = await sse(server.url)
      .open()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransportError)
    expect(failure).toMatchObject({ status, message: expect.stringContaining(words) })
  })

  it('F155 a stream that redirects within the origin is followed, to another it is not', async () => {
    const other = await serveLocally((_request, response) => response.end())
    const targets = ['/moved', other.origin]
    const server = await serveOld({
      onGet: (request, response) => {
        if (request.url === '/sse') response.writeHead(302, { location: targets.shift() }).end()
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: m\n\n')
      },
    })
    const channel = await open(server)
    listenOn(channel)
    await channel.send(note)
    expect(server.posts[0]?.path).toBe('/m')
    await expect(sse(server.url).open()).rejects.toThrow('another origin')
    expect(other.connections).toBe(0)
  })
})

describe('when something breaks', () => {
  it('a rejected POST fails its call, and the connection continues', async () => {
    const statuses = [400, 500, 202]
    const server = await serveOld({
      onPost: (_request, response) =>
        response.writeHead(statuses.shift() ?? 500, { 'content-type': 'text/plain' }).end('no'),
    })
    const channel = await open(server)
    const { lost, faults, messages } = listenOn(channel)
    await channel.send(ping(1))
    expect(lost).toMatchObject([[1, { status: 400 }]])
    await channel.send(note)
    expect(faults).toMatchObject([{ kind: 'write-failed', error: { status: 500 } }])
    await channel.send(ping(2))
    server.say(note)
    await vi.waitFor(() => expect(messages).toEqual([note]))
    expect(lost).toHaveLength(1)
  })

  it('a response that a busy server rejects is sent again', async () => {
    let count = 0
    const server = await serveOld({
      onPost: (_request, response) => {
        count += 1
        response.writeHead(count === 1 ? 503 : 202, { 'retry-after': '0' }).end()
      },
    })
    const channel = await open(server)
    await channel.send({ jsonrpc: '2.0', id: 7, result: {} })
    expect(server.posts.map(({ body }) => body)).toEqual(Array(2).fill({ jsonrpc: '2.0', id: 7, result: {} }))
  })

  it('a POST rejected with a JSON-RPC error fails its call with that error', async () => {
    const error = { code: -32602, message: 'No such session', data: { hint: 'connect again' } }
    const server = await serveOld({
      onPost: (_request, response) =>
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
    })
    const dispatcher = new JSONRPCDispatcher(await open(server))
    onTestFinished(() => dispatcher.close())
    void dispatcher.run(
      () => ({}),
      () => {},
    )
    const failure = await dispatcher.sendRawRequest('ping').catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(MCPError)
    expect(failure).toMatchObject({ ...error, cause: { name: 'TransportError', status: 404 } })
  })

  it('F157 a POST that breaks off fails its call', async () => {
    const server = await serveOld({ onPost: (_request, response) => response.destroy() })
    const channel = await open(server)
    const { lost } = listenOn(channel)
    await channel.send(ping(1))
    expect(lost).toMatchObject([[1, { message: expect.stringContaining('cut') }]])
  })

  it('a pending POST does not delay the response that the server waits for', async () => {
    const held: ServerResponse[] = []
    const server = await serveOld({
      onPost: (_request, response) => {
        if (server.posts.length === 1) held.push(response)
        else response.writeHead(202).end()
      },
    })
    const channel = await open(server)
    listenOn(channel)
    const call = channel.send(ping(1))
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await channel.send({ jsonrpc: '2.0', id: 'theirs', result: {} })
    held[0]?.writeHead(202).end()
    await call
  })

  it('the end of the stream is the end of the connection, with a reason', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const { closed } = listenOn(channel)
    server.end()
    expect(await closed).toBeInstanceOf(TransportError)
    await expect(channel.send(note)).rejects.toBeInstanceOf(TransportError)
  })

  it('a stream that ended before start is reported at start', async () => {
    const server = await serveOld()
    const channel = await open(server)
    server.end()
    await vi.waitFor(() => expect(channel.send(note)).rejects.toBeInstanceOf(TransportError))
    expect(await listenOn(channel).closed).toBeInstanceOf(TransportError)
  })

  it('F149 an event over the limit ends the connection', async () => {
    const server = await serveOld()
    const channel = await open(server, { maxEventBytes: 1_000 })
    const { closed } = listenOn(channel)
    server.write(`data: ${'x'.repeat(2_000)}\n\n`)
    expect(await closed).toBeInstanceOf(LimitError)
  })

  it('a response that is nested too deeply fails its call', async () => {
    const server = await serveOld()
    const channel = await open(server)
    const { lost, faults } = listenOn(channel)
    server.write(`data: {"jsonrpc":"2.0","id":7,"result":{"a":${'['.repeat(100)}${']'.repeat(100)}}}\n\n`)
    await vi.waitFor(() => expect(lost).toMatchObject([[7, { limit: 'JSON nesting' }]]))
    expect(faults).toHaveLength(1)
  })

  it('close() at any moment, more than once, leaves nothing open', async () => {
    const server = await serveOld({ onPost: () => {} })
    const channel = await open(server)
    const { closed } = listenOn(channel)
    const sending = channel.send(ping(1))
    await vi.waitFor(() => expect(server.posts).toHaveLength(1))
    await Promise.all([channel.close(), channel.close()])
    await expect(sending).rejects.toThrow('was closed')
    expect(await closed).toBeUndefined()
    await vi.waitFor(() => expect(server.underWay).toBe(0))
  })

  it('belongs to one dispatcher', async () => {
    const channel = await open(await serveOld())
    listenOn(channel)
    expect(() => listenOn(channel)).toThrow('in use')
  })
})
