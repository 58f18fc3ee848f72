import { describe, expect, it } from 'vitest'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { createHandler } from '../../../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../../../src/server/http/handler-options.ts'
import { Server } from '../../../../../src/server/server.ts'
import { MCPError, MissingClientCapabilityError } from '../../../../../src/types/errors/errors.ts'
import { FakeExchange, type FakeRequest } from '../../../../support/fake-exchange.ts'
import { type ModernRequest, modernBody, modernHeaders } from '../../../../support/modern-messages.ts'

interface Answer {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: { structuredContent?: unknown; content?: { text?: string }[] }
  error?: { code: number; message: string; data?: { supported?: string[] } }
}

function messagesOf({ sink }: FakeExchange): Answer[] {
  return (sink?.messages ?? []) as Answer[]
}

function createServer(options: ConstructorParameters<typeof MCPServer>[1] = {}) {
  const server = new MCPServer('shelf', options)
  server.tool(
    'add',
    { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } },
    (args) => {
      const { a, b } = args as { a: number; b: number }
      return a + b
    },
  )
  return server
}

function exchangeOf(request: ModernRequest, more: FakeRequest = {}): FakeExchange {
  return new FakeExchange({
    ...more,
    body: 'body' in more ? more.body : modernBody(request),
    headers: { ...modernHeaders(request), ...more.headers },
  })
}

const add: ModernRequest = { params: { name: 'add', arguments: { a: 1, b: 2 } } }

async function ask(server: MCPServer | Server, request: ModernRequest, more?: FakeRequest, options?: HandlerOptions) {
  const handler = createHandler(server, options)
  const exchange = exchangeOf(request, more)
  await handler(exchange)
  await exchange.answered
  return { exchange, handler, answer: exchange.sink === undefined ? (exchange.json as Answer) : undefined }
}

describe('a modern request', () => {
  it('whose error cannot be written is answered with an internal error, and is over then', async () => {
    const faults: string[] = []
    const server = new Server('odd', {
      onFault: ({ message }) => faults.push(message),
      handlers: {
        'tools/call': async () => {
          throw new MCPError(-32000, 'odd', { number: 1n } as never)
        },
      },
    })
    const { exchange, handler, answer } = await ask(server, add)
    expect([exchange.status, answer?.error?.code]).toEqual([200, -32603])
    expect(faults).toEqual(['An error could not be written.'])
    await handler.close({ drainMs: 3_600_000 })
  })

  it('S-HTTP-01 S-HTTP-09 is answered with plain JSON when its handler sends nothing else', async () => {
    const { exchange, answer } = await ask(createServer(), { id: 'one', ...add })
    expect(exchange.status).toBe(200)
    expect(exchange.replyHeaders['content-type']).toBe('application/json')
    expect(answer?.id).toBe('one')
    expect(answer?.result?.structuredContent).toEqual({ result: 3 })
    expect(exchange.replyHeaders['mcp-session-id']).toBeUndefined()
  })

  it('S-HTTP-09 S-HTTP-10 S-HTTP-12 is answered with a stream as soon as its handler sends something, and the answer ends it', async () => {
    const server = new MCPServer('loud')
    server.tool('count', {}, async (_args, ctx) => {
      await ctx.reportProgress(1, 2)
      await ctx.reportProgress(2, 2)
      return 'done'
    })
    const request = { params: { name: 'count' }, meta: { progressToken: 'p' } }
    const { exchange } = await ask(server, request)
    await exchange.sink?.ended.promise
    expect(exchange.replyHeaders['content-type']).toBe('text/event-stream')
    const [first, second, last] = messagesOf(exchange)
    expect([first?.method, second?.params?.['progress']]).toEqual(['notifications/progress', 2])
    expect(last?.result?.content).toEqual([{ type: 'text', text: 'done' }])
  })

  it('S-HTTP-14 is answered with a stream when its handler sends nothing for long, and comments keep that open', async () => {
    const release = createDeferred()
    const server = new MCPServer('slow')
    server.tool('wait', {}, async () => {
      await release.promise
      return 'done'
    })
    const handler = createHandler(server, { streamAfterMs: 5, keepAliveMs: 5 })
    const exchange = exchangeOf({ params: { name: 'wait' } })
    void handler(exchange)
    await exchange.answered
    await exchange.sink?.received(2)
    expect(exchange.sink?.comments.length).toBeGreaterThan(0)
    release.resolve()
    await exchange.sink?.ended.promise
    expect(messagesOf(exchange)[0]?.result?.content?.[0]?.text).toBe('done')
    await handler.close()
  })

  it('S-HTTP-36 has its id in every error', async () => {
    const { answer } = await ask(createServer(), { id: 'x', method: 'no/such' })
    expect(answer).toMatchObject({ id: 'x', error: { code: -32601 } })
  })

  it('S-HTTP-19 S-HTTP-20 S-HTTP-21 is rejected with 404 for an unknown method, with 400 for missing metadata and unknown versions', async () => {
    const server = createServer()
    expect((await ask(server, { method: 'no/such' })).exchange.status).toBe(404)
    const bare = await ask(server, add, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} } })
    expect([bare.exchange.status, bare.answer?.error?.code]).toEqual([400, -32602])
    const future = { ...add, meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }
    const unknown = await ask(server, future, { headers: { 'mcp-protocol-version': '2099-01-01' } })
    expect([unknown.exchange.status, unknown.answer?.error?.code]).toEqual([400, -32022])
    expect(unknown.answer?.error?.data?.supported).toContain('2026-07-28')
  })

  it('is rejected as a contradiction before it is rejected as an unknown version', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': 'v999' }
    const { answer } = await ask(createServer(), { ...add, meta })
    expect(answer?.error?.code).toBe(-32020)
  })

  it('S-HTTP-22 is rejected with 400 when the client lacks a capability, before any stream opens', async () => {
    const server = new Server('picky', {
      handlers: {
        'tools/call': () => {
          throw new MissingClientCapabilityError({ sampling: {} })
        },
      },
    })
    const { exchange, answer } = await ask(server, { params: { name: 'any' } })
    expect([exchange.status, answer?.error?.code]).toEqual([400, -32021])
  })

  it('R35 hides what a handler threw, and reports it', async () => {
    const faults: unknown[] = []
    const server = new Server('broken', {
      onFault: (fault) => faults.push(fault),
      handlers: {
        'tools/call': () => {
          throw new Error('connect postgres://secret@db')
        },
      },
    })
    const { exchange, answer } = await ask(server, { params: { name: 'any' } })
    expect(answer?.error).toEqual({ code: -32603, message: 'Internal error' })
    expect(JSON.stringify(exchange.replyHeaders)).not.toContain('secret')
    expect(faults).toHaveLength(1)
  })

  it('R35 has a result that cannot be written become one constant error', async () => {
    const circle: Record<string, unknown> = { content: [] }
    circle['_meta'] = { circle }
    const server = new Server('broken', { handlers: { 'tools/call': () => circle as never } })
    const { answer } = await ask(server, { params: { name: 'any' } })
    expect(answer?.error?.code).toBe(-32603)
  })

  it('R57 gets its own answer although another request with its id is in flight', async () => {
    const first = createDeferred<string>()
    const server = new MCPServer('twins')
    server.tool('first', {}, () => first.promise)
    server.tool('second', {}, () => 'second')
    const handler = createHandler(server)
    const one = exchangeOf({ id: 7, params: { name: 'first' } })
    const two = exchangeOf({ id: 7, params: { name: 'second' } })
    const waiting = handler(one)
    await handler(two)
    first.resolve('first')
    await waiting
    expect([one, two].map(({ json }) => (json as Answer).result?.content?.[0]?.text)).toEqual(['first', 'second'])
  })

  it('R23 reads keys in their exact case only', async () => {
    const body = { jsonrpc: '2.0', id: 1, Method: 'tools/call', method: 'no/such', params: modernBody(add).params }
    const { answer } = await ask(createServer(), { method: 'no/such' }, { body })
    expect(answer?.error?.code).toBe(-32601)
  })

  it('403 names the scopes that are missing, where a wrapper checks tokens', async () => {
    const server = new MCPServer('guarded')
    server.tool('drop', { scopes: ['admin'] }, () => 'dropped')
    const exchange = exchangeOf({ params: { name: 'drop' } })
    exchange.challengeScopes = (scopes) => `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`
    await createHandler(server)(exchange)
    await exchange.answered
    expect(exchange.status).toBe(403)
    expect(exchange.replyHeaders['www-authenticate']).toContain('scope="admin"')
  })
})

describe('a client that leaves', () => {
  it('S-HTTP-15 S-HTTP-16 F110 aborts its handler, and nothing more is written', async () => {
    const aborted = createDeferred<unknown>()
    const started = createDeferred()
    const server = new MCPServer('slow')
    server.tool('wait', {}, async (_args, ctx) => {
      started.resolve()
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      aborted.resolve(ctx.signal.reason)
      return 'late'
    })
    const handler = createHandler(server)
    const exchange = exchangeOf({ params: { name: 'wait' } })
    const working = handler(exchange)
    await started.promise
    exchange.leave()
    expect(await aborted.promise).toMatchObject({ name: 'AbortError' })
    await working
    expect(exchange.isAnswered).toBe(false)
  })

  it('S-HTTP-16 F134 drops what its handler still sends', async () => {
    const started = createDeferred()
    const release = createDeferred()
    const server = new MCPServer('slow')
    server.tool('wait', {}, async (_args, ctx) => {
      started.resolve()
      await release.promise
      await ctx.reportProgress(1)
      return 'late'
    })
    const exchange = exchangeOf({ params: { name: 'wait' }, meta: { progressToken: 1 } })
    const working = createHandler(server)(exchange)
    await started.promise
    exchange.leave()
    release.resolve()
    await working
    expect(exchange.isAnswered).toBe(false)
  })

  it('F111 that does not read has its stream cut when too much waits for it', async () => {
    const server = new MCPServer('flood')
    const done = createDeferred<boolean>()
    server.tool('flood', {}, async (_args, ctx) => {
      for (let n = 1; n < 1_000 && !ctx.signal.aborted; n++) void ctx.reportProgress(n, undefined, 'x'.repeat(1_000))
      await Promise.resolve()
      done.resolve(true)
      return 'done'
    })
    const handler = createHandler(server, { maxQueuedBytes: 10_000 })
    const exchange = exchangeOf({ params: { name: 'flood' }, meta: { progressToken: 1 } })
    const begin = exchange.stream.bind(exchange)
    exchange.stream = (headers) => {
      const sink = begin(headers)
      sink.isReading = false
      return sink
    }
    await handler(exchange)
    await done.promise
    expect(exchange.sink?.isDestroyed).toBe(true)
    expect(exchange.sink?.events.length).toBeLessThan(50)
  })
})

describe('what the client accepts', () => {
  const speaking = () => {
    const server = createServer()
    server.tool('speak', {}, async (_args, ctx) => {
      await ctx.reportProgress(1)
      return 'spoken'
    })
    return server
  }
  const speak = { params: { name: 'speak' }, meta: { progressToken: 1 } }

  it.each([
    ['absent', undefined, 200, 'stream'],
    ['anything', '*/*', 200, 'stream'],
    ['JSON only', 'application/json', 200, 'json'],
    ['a stream only', 'text/event-stream', 200, 'stream'],
    ['neither', 'text/html', 406, 'json'],
    ['neither, by weight', 'application/json;q=0, text/event-stream;q=0', 406, 'json'],
    ['JSON, no stream by weight', '*/*, text/event-stream;q=0', 200, 'json'],
  ])('F113 %s', async (_name, accept, status, form) => {
    const { exchange } = await ask(speaking(), speak, { headers: { accept } })
    expect([exchange.status, exchange.sink === undefined ? 'json' : 'stream']).toEqual([status, form])
  })

  it('F113 a client that takes streams only gets one for a silent handler too', async () => {
    const { exchange } = await ask(createServer(), add, { headers: { accept: 'text/event-stream' } })
    expect(messagesOf(exchange)[0]?.result?.structuredContent).toEqual({ result: 3 })
  })

  it('F113 a subscription needs a stream', async () => {
    const listen = { method: 'subscriptions/listen', params: { notifications: {} } }
    const { exchange } = await ask(createServer(), listen, { headers: { accept: 'application/json' } })
    expect(exchange.status).toBe(406)
  })
})

describe('headers that repeat the body', () => {
  const server = createServer()

  it.each<[string, Record<string, string | readonly string[] | undefined>]>([
    ['version differs', { 'mcp-protocol-version': '2025-11-25' }],
    ['version is missing', { 'mcp-protocol-version': undefined }],
    ['version is repeated', { 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }],
    ['method differs', { 'mcp-method': 'tools/list' }],
    ['method is missing', { 'mcp-method': undefined }],
    ['method has another case', { 'mcp-method': 'Tools/Call' }],
    ['name differs', { 'mcp-name': 'sub' }],
    ['name is missing', { 'mcp-name': undefined }],
    ['name is repeated', { 'mcp-name': ['add', 'add'] }],
    ['name has bad padding', { 'mcp-name': '=?base64?YWRk=?=' }],
    ['name is no UTF-8', { 'mcp-name': '=?base64?/w==?=' }],
    ['name has a line feed', { 'mcp-name': 'add\n' }],
  ])(
    'S-HTTP-17 S-HTTP-18 S-HTTP-23 S-HTTP-24 S-HTTP-25 S-HTTP-27 S-HTTP-31 S-HDR-06 F116 F117 F118 R37: %s',
    async (_name, headers) => {
      const { exchange, answer } = await ask(server, add, { headers })
      expect([exchange.status, answer?.error?.code, answer?.id]).toEqual([400, -32020, 1])
    },
  )

  it('S-HTTP-26 F117 an encoded name that stands for the right one is taken', async () => {
    const { exchange } = await ask(server, add, { headers: { 'mcp-name': '=?base64?YWRk?=' } })
    expect(exchange.status).toBe(200)
  })
})

describe('mirrored arguments', () => {
  const calls: unknown[] = []
  const server = new MCPServer('regions')
  const input = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
    },
  } as const
  server.tool('query', { input }, (args) => {
    calls.push(args)
    return 'ok'
  })
  const query = (args: object, headers: Record<string, string | readonly string[]>) =>
    ask(server, { params: { name: 'query', arguments: args } }, { headers })

  it.each<[string, object, Record<string, string | readonly string[]>, boolean]>([
    ['equal', { region: 'eu' }, { 'mcp-param-region': 'eu' }, true],
    ['42 against 42.0', { count: 42 }, { 'mcp-param-count': '42.0' }, true],
    ['null needs none', { region: null }, {}, true],
    ['absent needs none', {}, {}, true],
    ['unknown ones are ignored', {}, { 'mcp-param-other': 'x' }, true],
    ['present without header', { region: 'eu' }, {}, false],
    ['different', { region: 'eu' }, { 'mcp-param-region': 'us' }, false],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }, false],
    ['repeated', { region: 'eu' }, { 'mcp-param-region': ['eu', 'us'] }, false],
    ['header without argument', {}, { 'mcp-param-region': 'eu' }, false],
    ['unsafe integer', { count: 2 ** 53 }, { 'mcp-param-count': '9007199254740992' }, false],
  ])('S-HTTP-28 S-HTTP-29 S-HTTP-30 S-HTTP-31 S-HTTP-32 F116 F217 %s', async (_name, args, headers, isTaken) => {
    calls.length = 0
    const { exchange, answer } = await query(args, headers)
    if (args && 'region' in args && args.region === null) {
      // The schema has its own opinion of null; the headers have none.
      expect(exchange.status).toBe(200)
      return
    }
    expect([exchange.status, answer?.error?.code]).toEqual(isTaken ? [200, undefined] : [400, -32020])
    expect(calls).toHaveLength(isTaken ? 1 : 0)
  })
})

describe('mirrored arguments of a hidden tool', () => {
  const input = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const
  const wrongHeader = { headers: { 'mcp-param-region': 'us' } }
  const call = (name: string) => ({ params: { name, arguments: { region: 'eu' } } })

  it('are answered as those of a tool that does not exist', async () => {
    const server = new MCPServer('regions')
    server.tool('secret', { input, visible: () => false }, () => 'never')
    const secret = await ask(server, call('secret'), wrongHeader)
    const unknown = await ask(server, call('nothing'), wrongHeader)
    expect(secret.exchange.status).toBe(unknown.exchange.status)
    expect(JSON.stringify(secret.answer?.error).replace('secret', 'nothing')).toBe(
      JSON.stringify(unknown.answer?.error),
    )
  })

  it('are checked for a caller who sees it', async () => {
    const server = new MCPServer('regions')
    server.tool('open', { input, visible: () => true }, () => 'never')
    const { answer } = await ask(server, call('open'), wrongHeader)
    expect(answer?.error?.code).toBe(-32020)
  })
})

describe('messages that are no requests', () => {
  it('S-HTTP-07 a notification is answered 202 without a body, and handled', async () => {
    const heard = createDeferred<unknown>()
    const server = new Server('ear')
    server.setNotificationHandler('vendor/hint', (_ctx, params) => heard.resolve(params))
    const body = { jsonrpc: '2.0', method: 'vendor/hint', params: { x: 1, _meta: modernBody({}).params._meta } }
    const exchange = exchangeOf({ method: 'vendor/hint' }, { body })
    await createHandler(server)(exchange)
    await exchange.answered
    expect([exchange.status, exchange.body]).toEqual([202, undefined])
    expect(await heard.promise).toMatchObject({ x: 1 })
  })

  it.each([
    ['an id that is no id', { jsonrpc: '2.0', id: null, method: 'tools/list', params: modernBody({}).params }],
    ['another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'tools/list', params: modernBody({}).params }],
  ])('R22 %s is refused with 400', async (_name, body) => {
    const { exchange, answer } = await ask(createServer(), { method: 'tools/list' }, { body })
    expect([exchange.status, answer?.error?.code]).toEqual([400, -32600])
  })

  it.each([
    ['null', null, undefined],
    ['a batch', [modernBody(add)], undefined],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, undefined],
    ['a request of another JSON-RPC', { ...modernBody(add), jsonrpc: '1.0', id: 'seven' }, 'seven'],
  ])(
    'C-HTTP-08 a modern client hears that a body holds one request or notification, not that it needs a session: %s',
    async (_what, body, id) => {
      const { exchange, answer } = await ask(createServer(), add, { body })
      expect([exchange.status, answer]).toEqual([
        400,
        {
          jsonrpc: '2.0',
          ...(id !== undefined && { id }),
          error: { code: -32600, message: 'Invalid request: expected one JSON-RPC request or notification' },
        },
      ])
    },
  )

  it('S-HTTP-34 S-HTTP-35 S-HTTP-33 a modern-only server knows no GET, no DELETE, no batch and no session', async () => {
    const server = createServer({ supportedVersions: ['2026-07-28'] })
    for (const method of ['GET', 'DELETE']) {
      const exchange = new FakeExchange({ method, headers: { 'mcp-session-id': 'x', 'last-event-id': '1' } })
      await createHandler(server)(exchange)
      expect([exchange.status, exchange.replyHeaders['allow']]).toEqual([405, 'POST'])
    }
    const batch = await ask(server, add, { body: [modernBody(add)] })
    expect([batch.exchange.status, batch.answer?.error?.code]).toEqual([400, -32600])
    const { exchange } = await ask(server, add, { headers: { 'mcp-session-id': 'x', 'last-event-id': '1' } })
    expect(exchange.status).toBe(200)
    expect(exchange.replyHeaders).not.toHaveProperty('mcp-session-id')
  })

  it('a modern-only server names its revisions to a legacy client', async () => {
    const server = createServer({ supportedVersions: ['2026-07-28'] })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const { exchange, answer } = await ask(server, { method: 'initialize' }, { body })
    expect([exchange.status, answer?.error?.code]).toEqual([400, -32022])
    expect(answer?.error?.data?.supported).toEqual(['2026-07-28'])
  })
})
