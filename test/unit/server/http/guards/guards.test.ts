import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BodyError, type BodyReceiver, type HttpExchange } from '../../../../../src/http/exchange.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../../../../src/node/http/to-node-handler.ts'
import { createHandler, type ServerHandler } from '../../../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../../../src/server/http/handler-options.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'
import { modernBody, modernHeaders } from '../../../../support/modern-messages.ts'
import { openRaw, rawRequest, readResponse, sendRaw } from '../../../../support/raw-http.ts'

const call = { params: { name: 'touch' } }
const callBody = JSON.stringify(modernBody(call))
const callHeaders = Object.entries(modernHeaders(call))

let touched = 0

async function listen(
  options: HandlerOptions = {},
): Promise<{ port: number; handler: ServerHandler; close(): Promise<void> }> {
  const server = new MCPServer('guarded')
  server.tool('touch', {}, () => {
    touched += 1
    return 'touched'
  })
  const handler = createHandler(server, options)
  const http = createServer(toNodeHandler(handler))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
    await handler.close({ drainMs: 0 })
  }
  return { port: (http.address() as AddressInfo).port, handler, close }
}

let open: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  open = await listen({ maxBodyBytes: 4096, legacySse: true })
})
afterAll(() => open.close())

const post = (headers: readonly (readonly [string, string])[], body = callBody) =>
  sendRaw(open.port, rawRequest({ headers: [...callHeaders, ...headers], body }))

describe('the Host header', () => {
  it.each([
    ['localhost', 200],
    ['localhost:3000', 200],
    ['LOCALHOST', 200],
    ['127.0.0.1', 200],
    ['127.0.0.1:80', 200],
    ['[::1]', 200],
    ['[::1]:3000', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['evil.example:3000', 403],
    ['localhost.', 403],
    ['127.0.0.2', 403],
    ['2130706433', 403],
    ['user@localhost', 400],
    ['localhost:3000@evil.example', 400],
    ['localhost/mcp', 400],
    ['localhost, evil.example', 400],
    ['::1', 400],
    ['localhost:', 400],
    ['localhost:123456', 400],
  ])('S-HTTP-06 F114 R01 %s is answered %i', async (host, status) => {
    const before = touched
    expect((await post([['Host', host]])).status).toBe(status)
    expect(touched - before).toBe(status === 200 ? 1 : 0)
  })

  it('F114 two of them are rejected, whatever their values', async () => {
    const response = await post([
      ['Host', 'localhost'],
      ['Host', 'localhost'],
    ])
    expect(response.status).toBe(400)
  })

  it('F114 none at all is rejected', async () => {
    const exchange = new FakeExchange({ headers: { ...modernHeaders(call), host: undefined }, body: callBody })
    await open.handler(exchange)
    expect(exchange.status).toBe(400)
  })

  it.each([
    [{ ':authority': 'localhost:3000' }, 200],
    [{ ':authority': 'localhost:3000', host: 'localhost:3000' }, 200],
    [{ ':authority': 'evil.example' }, 403],
    [{ ':authority': 'evil.example', host: 'localhost' }, 400],
    [{ ':authority': 'localhost', host: 'evil.example' }, 400],
  ])('F114 R01 is named by :authority in HTTP/2: %j is answered %i', async (named, status) => {
    const headers = { ...Object.fromEntries(callHeaders), host: undefined, ...named }
    const exchange = new FakeExchange({ isLoopback: true, headers, body: callBody })
    await open.handler(exchange)
    expect(exchange.status).toBe(status)
  })

  it('F136 R32 is not replaced by what a proxy claims', async () => {
    const forwarded = await post([
      ['Host', 'evil.example'],
      ['X-Forwarded-Host', 'localhost'],
      ['Forwarded', 'host=localhost'],
    ])
    expect(forwarded.status).toBe(403)
  })

  it('S-HTTP-02 R01 R03 is checked on every route and method, upgrades too', async () => {
    const routes = ['/mcp', '/health', '/sse', '/messages', '/elsewhere', '/.well-known/oauth-protected-resource']
    for (const path of routes) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD']) {
        const headers = [['Host', 'evil.example']] as const
        expect([path, method, (await sendRaw(open.port, rawRequest({ method, path, headers }))).status]).toEqual([
          path,
          method,
          403,
        ])
      }
    }
    const upgrade = [
      ['Host', 'evil.example'],
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ] as const
    expect((await sendRaw(open.port, rawRequest({ method: 'GET', headers: upgrade }))).status).toBe(403)
  })
})

describe('the Host header with allowedHosts', () => {
  const ask = async (host: string, allowedHosts: string[], isLoopback: boolean) => {
    const exchange = new FakeExchange({ isLoopback, headers: { ...modernHeaders(call), host }, body: callBody })
    await createHandler(new MCPServer('x'), { allowedHosts })(exchange)
    await exchange.answered
    return exchange.status === 403 ? 'refused' : 'served'
  }

  it.each([
    ['api.example.com', ['api.example.com'], 'served'],
    ['api.example.com:443', ['api.example.com'], 'refused'],
    ['api.example.com:443', ['api.example.com:443'], 'served'],
    ['api.example.com:8080', ['api.example.com:*'], 'served'],
    ['evil-api.example.com', ['api.example.com:*'], 'refused'],
    ['localhost', ['api.example.com'], 'refused'],
  ])('F114 %s against %j is %s', async (host, allowed, outcome) => {
    expect(await ask(host, allowed, false)).toBe(outcome)
    expect(await ask(host, allowed, true)).toBe(outcome)
  })

  it('without them, a host is anybody on a public address', async () => {
    const exchange = new FakeExchange({
      isLoopback: false,
      headers: { ...modernHeaders(call), host: 'api.example.com' },
      body: callBody,
    })
    await createHandler(new MCPServer('x'))(exchange)
    await exchange.answered
    expect(exchange.status).not.toBe(403)
  })

  it('R37 an entry that is no host, or an origin that is none, is a RangeError at once', () => {
    for (const allowedHosts of [['*'], ['http://localhost'], ['localhost\n'], ['']]) {
      expect(() => createHandler(new MCPServer('x'), { allowedHosts })).toThrow(RangeError)
    }
    for (const allowedOrigins of [
      ['*'],
      ['null'],
      ['app.example.com'],
      ['https://app.example.com/'],
      ['https://a.b\n'],
    ]) {
      expect(() => createHandler(new MCPServer('x'), { allowedOrigins })).toThrow(RangeError)
    }
  })
})

describe('the Origin header', () => {
  it.each([
    ['http://localhost:5173', 200],
    ['https://127.0.0.1', 200],
    ['http://[::1]:8080', 200],
    ['http://evil.example', 403],
    ['http://localhost.evil.com', 403],
    ['http://evil.example, http://localhost', 403],
    ['null', 403],
    ['file://', 403],
    ['localhost', 403],
    ['http://localhost/', 403],
    ['http://user@localhost', 403],
    ['chrome-extension://abcdef', 403],
    ['', 403],
  ])('S-HTTP-02 S-HTTP-03 F115 R01 "%s" is answered %i', async (origin, status) => {
    expect((await post([['Origin', origin]])).status).toBe(status)
  })

  it('R01 that agrees with an evil Host is no proof of anything', async () => {
    const evil = await post([
      ['Host', 'evil.example'],
      ['Origin', 'http://evil.example'],
    ])
    expect(evil.status).toBe(403)
  })

  it('R01 of a rebound page is rejected where the runtime does not know the address', async () => {
    const headers = { ...modernHeaders(call), host: 'evil.example', origin: 'http://evil.example' }
    const exchange = new FakeExchange({ isLoopback: undefined, headers, body: callBody })
    await createHandler(new MCPServer('x'))(exchange)
    expect(exchange.status).toBe(403)
  })

  it('R02 need not be there for a browser to be recognized', async () => {
    expect((await post([['Sec-Fetch-Site', 'cross-site']])).status).toBe(403)
    expect((await post([['Sec-Fetch-Site', 'none']])).status).toBe(200)
  })

  it('F115 is held against allowedOrigins, port and scheme included', async () => {
    const handler = createHandler(new MCPServer('x'), { allowedOrigins: ['https://app.example.com'] })
    const statusOf = async (origin: string) => {
      const exchange = new FakeExchange({ method: 'GET', path: '/health', headers: { origin } })
      await handler(exchange)
      return exchange.status
    }
    expect(await statusOf('https://app.example.com')).toBe(200)
    expect(await statusOf('http://app.example.com')).toBe(403)
    expect(await statusOf('https://app.example.com:8443')).toBe(403)
    expect(await statusOf('http://localhost')).toBe(403)
  })
})

describe('CORS', () => {
  it('R04 names the origin that was allowed, never everybody', async () => {
    const response = await post([['Origin', 'http://localhost:5173']])
    expect(response.headers['access-control-allow-origin']).toBe('http://localhost:5173')
    expect(response.headers['access-control-allow-credentials']).toBeUndefined()
    expect(response.headers['vary']).toBe('Origin')
    const refused = await post([['Origin', 'http://evil.example']])
    expect(refused.headers['access-control-allow-origin']).toBeUndefined()
    expect(refused.headers['access-control-expose-headers']).toBeUndefined()
  })

  const preflight = (origin: string, headers: readonly (readonly [string, string])[] = []) =>
    sendRaw(
      open.port,
      rawRequest({
        method: 'OPTIONS',
        headers: [['Origin', origin], ['Access-Control-Request-Method', 'POST'], ...headers],
      }),
    )

  it('F123 answers a preflight with what pages need, and with nothing they ask for besides', async () => {
    const asked = 'content-type, mcp-method, mcp-param-region, x-evil, mcp-param-'
    const response = await preflight('http://localhost:5173', [['Access-Control-Request-Headers', asked]])
    expect(response.status).toBe(204)
    expect(response.headers['access-control-allow-headers']).toBe('content-type, mcp-method, mcp-param-region')
    expect(response.headers['access-control-allow-methods']).toBe('GET, POST, DELETE')
    expect((await preflight('http://evil.example')).status).toBe(403)
  })

  it('lets pages send proofs of possession and read the nonce for the next one', async () => {
    const preflighted = await preflight('http://localhost:5173', [
      ['Access-Control-Request-Headers', 'authorization, DPoP'],
    ])
    expect(preflighted.headers['access-control-allow-headers']).toBe('authorization, dpop')
    const response = await post([['Origin', 'http://localhost:5173']])
    expect(response.headers['access-control-expose-headers']).toContain('DPoP-Nonce')
  })

  it('F123 leaves OPTIONS without a page, and other methods, at 405', async () => {
    for (const method of ['OPTIONS', 'PUT', 'PATCH', 'HEAD']) {
      const response = await sendRaw(
        open.port,
        rawRequest({ method }).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
      )
      expect([method, response.status, response.headers['allow']]).toEqual([method, 405, 'GET, POST, DELETE'])
    }
  })

  it('can be left to a proxy', async () => {
    const exchange = new FakeExchange({ method: 'GET', path: '/health', headers: { origin: 'http://localhost' } })
    await createHandler(new MCPServer('x'), { cors: false })(exchange)
    expect(exchange.replyHeaders['access-control-allow-origin']).toBeUndefined()
  })
})

describe('the Content-Type', () => {
  it.each([
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['application/json, text/plain', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
  ])('F112 R02 %s is answered %i', async (type, status) => {
    const headers = callHeaders.filter(([name]) => name !== 'content-type')
    const text = rawRequest({ headers: [...headers, ['Content-Type', type]], body: callBody })
    const before = touched
    expect((await sendRaw(open.port, text)).status).toBe(status)
    expect(touched - before).toBe(status === 200 ? 1 : 0)
  })

  it('F112 must be there', async () => {
    const headers = callHeaders.filter(([name]) => name !== 'content-type')
    expect((await sendRaw(open.port, rawRequest({ headers, body: callBody }))).status).toBe(415)
  })
})

describe('what is answered', () => {
  it('C42 must not be stored by a cache, a result nor an error', async () => {
    const answers = [
      await post([]),
      await post([['Host', 'evil.example']]),
      await sendRaw(open.port, rawRequest({ method: 'GET', path: '/nothing-here' })),
      await sendRaw(open.port, rawRequest({ method: 'PUT' })),
    ]
    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [200, 'no-store'],
      [403, 'no-store'],
      [404, 'no-store'],
      [405, 'no-store'],
    ])
  })
})

describe('the body', () => {
  const large = JSON.stringify(modernBody({ params: { name: 'touch', arguments: { text: 'x'.repeat(5_000) } } }))

  it('F106 R08 is rejected by its declared length before it arrives', async () => {
    const socket = openRaw(open.port)
    socket.write(rawRequest({ headers: [...callHeaders, ['Content-Length', '1000000000']] }))
    const response = await readResponse(socket)
    expect([response.status, response.headers['connection']]).toEqual([413, 'close'])
    socket.destroy()
  })

  it('F106 R08 is rejected while it arrives where it declares no length', async () => {
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n`
    const text = rawRequest({ path: '/messages', headers: [...callHeaders, ['Transfer-Encoding', 'chunked']] })
    for (const path of ['/mcp', '/messages']) {
      expect((await sendRaw(open.port, text.replace('/messages', path) + chunk)).status).toBe(413)
    }
  })

  it('F106 a lying length is the next request of the same peer, and no more than that', async () => {
    const before = touched
    const text = rawRequest({ headers: [...callHeaders, ['Content-Length', '10']], body: callBody })
    expect((await sendRaw(open.port, text)).status).toBe(400)
    expect(touched).toBe(before)
  })

  it('F107 is rejected where it is compressed', async () => {
    expect((await post([['Content-Encoding', 'gzip']])).status).toBe(415)
  })

  it('F108 is cut off where it is too slow, and others are served meanwhile', async () => {
    const impatient = await listen({ bodyTimeoutMs: 2_000 })
    const socket = openRaw(impatient.port)
    socket.write(rawRequest({ headers: [...callHeaders, ['Content-Length', '1000']], body: '{' }))
    const whole = rawRequest({ headers: callHeaders, body: callBody })
    expect((await sendRaw(impatient.port, whole)).status).toBe(200)
    expect((await readResponse(socket)).status).toBe(408)
    socket.destroy()
    await impatient.close()
  })

  it('F109 that ends in the middle reaches no handler', async () => {
    const before = touched
    const socket = openRaw(open.port)
    socket.write(
      rawRequest({ headers: [...callHeaders, ['Content-Length', String(callBody.length + 1)]], body: callBody }),
    )
    await new Promise<void>((resolve) => socket.end(resolve))
    socket.destroy()
    expect((await post([])).status).toBe(200)
    expect(touched).toBe(before + 1)
  })

  it.each([
    ['no JSON', '{"jsonrpc":', -32700],
    [
      'no UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]).toString('latin1'),
      -32700,
    ],
    ['too deep', `${'['.repeat(100)}${']'.repeat(100)}`, -32600],
    ['empty', ' ', -32700],
  ])('R22 %s is refused with 400', async (_name, body, code) => {
    const text = Buffer.from(
      rawRequest({ headers: [...callHeaders, ['Content-Length', String(body.length)]], body }),
      'latin1',
    )
    const response = await sendRaw(open.port, text)
    expect([response.status, JSON.parse(response.body).error.code]).toEqual([400, code])
  })

  it('F141 of two pipelined requests, each gets its own answer', async () => {
    const socket = openRaw(open.port)
    const texts: string[] = []
    const both = new Promise<void>((resolve) => {
      socket.on('data', (piece) => {
        texts.push(String(piece))
        if ((texts.join('').match(/"id":"\w+"/g) ?? []).length === 2) resolve()
      })
    })
    const requests = ['a', 'b'].map((id) =>
      rawRequest({ headers: callHeaders, body: JSON.stringify(modernBody({ id, ...call })) }),
    )
    socket.write(requests.join(''))
    await both
    expect(texts.join('').match(/"id":"\w+"/g)).toEqual(['"id":"a"', '"id":"b"'])
    socket.destroy()
  })
})

describe('the path', () => {
  it.each(['/mcp/', '//mcp', '/%6dcp', '/MCP', '/mcp/../mcp', '/'])('F137 %s is another one', async (path) => {
    expect((await sendRaw(open.port, rawRequest({ path, headers: callHeaders, body: callBody }))).status).toBe(404)
    const evil = rawRequest({ path, headers: [...callHeaders, ['Host', 'evil.example']], body: callBody })
    expect((await sendRaw(open.port, evil)).status).toBe(403)
  })

  it('F137 may have a query, which means nothing', async () => {
    expect(
      (await sendRaw(open.port, rawRequest({ path: '/mcp?token=x', headers: callHeaders, body: callBody }))).status,
    ).toBe(200)
  })
})

describe('the headers', () => {
  it('are rejected where there are too many of them', async () => {
    const many = Array.from({ length: 250 }, (_, n) => [`X-${n}`, '1'] as const)
    expect((await post(many)).status).toBe(431)
  })
})

describe('too much at once', () => {
  const auth = (subject: string) => ({ clientId: 'app', scopes: [], subject })
  const declared = (bytes: number, subject?: string) =>
    new FakeExchange({
      headers: { ...modernHeaders(call), 'content-length': String(bytes) },
      body: callBody,
      ...(subject !== undefined && { auth: auth(subject) }),
    })

  it('F222 bodies beyond the budget get 503, and small ones are served all the same', async () => {
    const server = new MCPServer('busy')
    const handler = createHandler(server, {
      maxBytesInFlight: 10 * 1024 * 1024,
      maxBytesInFlightPerPrincipal: 4 * 1024 * 1024,
    })
    await handler.start()
    const held = Array.from({ length: 4 }, (_, n) => declared(3 * 1024 * 1024, `user-${n}`))
    // A body that does not come holds its place in the budget.
    for (const exchange of held) exchange.bytes = () => new Promise(() => {})
    for (const exchange of held) void handler(exchange)
    expect(held.map(({ status }) => status)).toEqual([undefined, undefined, undefined, 503])
    expect(held[3]?.replyHeaders['retry-after']).toBeDefined()
    const bystander = declared(callBody.length)
    await handler(bystander)
    await bystander.answered
    expect(bystander.status).not.toBe(503)
  })

  it('F222 one principal cannot take the budget of all', async () => {
    const handler = createHandler(new MCPServer('busy'), { maxBytesInFlightPerPrincipal: 4 * 1024 * 1024 })
    await handler.start()
    const [first, second, other] = [
      declared(3_000_000, 'greedy'),
      declared(3_000_000, 'greedy'),
      declared(3_000_000, 'other'),
    ]
    for (const exchange of [first, second, other]) exchange.bytes = () => new Promise(() => {})
    for (const exchange of [first, second, other]) void handler(exchange)
    expect([first.status, second.status, other.status]).toEqual([undefined, 503, undefined])
  })

  it('F222 a request no longer counts when it is over, however it ended', async () => {
    const handler = createHandler(new MCPServer('busy'), { maxConcurrentRequests: 1 })
    for (let n = 0; n < 3; n++) {
      const bad = new FakeExchange({ headers: modernHeaders(call), body: '{' })
      await handler(bad)
      expect(bad.status).toBe(400)
    }
  })

  it.each(['take', 'refuse'] as const)(
    'what fails while a body is given to `%s` is reported, and not thrown',
    async (way) => {
      const faults: string[] = []
      const onFault = ({ kind, message }: { kind: string; message: string }) =>
        kind === 'transport' && faults.push(message)
      const handler = createHandler(new MCPServer('busy', { onFault }), { maxConcurrentRequests: 1 })
      await handler.start()
      for (let n = 0; n < 3; n++) {
        const exchange: FakeExchange & Pick<HttpExchange, 'receive'> = new FakeExchange({
          headers: modernHeaders(call),
          body: '{',
        })
        const { reply } = exchange
        exchange.reply = () => {
          exchange.reply = reply
          throw new Error('The socket is gone')
        }
        let given: BodyReceiver | undefined
        exchange.receive = (_limit, _timeoutMs, receiver) => {
          given = receiver
        }
        void handler(exchange)
        // As Node does it: from the event loop, where nobody would catch anything.
        const bytes = new TextEncoder().encode('{')
        expect(() => (way === 'take' ? given?.take(bytes) : given?.refuse(new BodyError(400, 'cut off')))).not.toThrow()
        expect(exchange.status).toBe(500)
      }
      expect(faults).toEqual(Array(3).fill('An HTTP request could not be served.'))
    },
  )
})
