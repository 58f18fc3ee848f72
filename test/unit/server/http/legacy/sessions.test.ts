// Sessions: how one begins, whose it is, and how it ends.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { createLegacyEndpoint } from '../../../../../src/server/http/legacy/legacy.ts'
import type { HandshakeOptions } from '../../../../../src/server/http/legacy/legacy-options.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server, type ServerOptions } from '../../../../../src/server/server.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import type { AuthInfo } from '../../../../../src/types/protocol/auth.ts'
import { BOTH_TYPES, jsonOf, LegacyClient, messageOn, request } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

const alice: AuthInfo = { clientId: 'app', issuer: 'https://as.example', subject: 'alice', scopes: [] }

function createEndpoint(options: HandshakeOptions = {}, serverOptions: ServerOptions = {}) {
  const signals: AbortSignal[] = []
  const notices: string[] = []
  const server = new Server('sessions', {
    version: '1.0.0',
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': (ctx) => {
        signals.push(ctx.signal)
        return new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
        })
      },
    },
    notifications: { 'notifications/roots/list_changed': () => void notices.push('roots') },
    ...serverOptions,
  })
  return { endpoint: createLegacyEndpoint(coreOf(server), options), server, signals, notices }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('opening', () => {
  it('S-HTTPL-16 R19 answers initialize with a session id of 128 random bits in visible ASCII', async () => {
    const { endpoint } = createEndpoint()
    const ids = new Set<string>()
    for (let i = 0; i < 50; i++) ids.add((await LegacyClient.open(endpoint)).sessionId ?? '')
    expect(ids.size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/)
    expect(endpoint.sessionCount).toBe(50)
    await endpoint.close()
  })

  it('S-HTTP-08 F121 R21 makes no session of a first request that is invalid, rejected or no initialize', async () => {
    const { endpoint } = createEndpoint(
      {},
      {
        middleware: [
          (ctx, next) => {
            if (ctx.params?.['refuse'] === true) throw new MCPError(-32603, 'no')
            return next()
          },
        ],
      },
    )
    const client = new LegacyClient(endpoint)
    const bodies: [unknown, number][] = [
      [request(1, 'tools/list'), 400],
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 400],
      [{ jsonrpc: '1.0', id: 1, method: 'initialize' }, 400],
      [{ jsonrpc: '2.0', id: null, method: 'initialize' }, 400],
      [[request(1, 'initialize')], 400],
      ['initialize', 400],
      [null, 400],
      [request(1, 'initialize'), 200],
      [request(1, 'initialize', { protocolVersion: 7 }), 200],
    ]
    for (const [body, status] of bodies) {
      const exchange = client.post(body)
      await exchange.answered
      expect(exchange.status).toBe(status)
      expect(exchange.replyHeaders['mcp-session-id']).toBeUndefined()
      const answer = await jsonOf(exchange)
      expect(Array.isArray(answer) ? answer[0] : answer).toHaveProperty('error')
    }
    const refused = await client.initialize({ refuse: true })
    expect(await jsonOf(refused)).toMatchObject({ error: { message: 'no' } })
    expect(endpoint.sessionCount).toBe(0)
    await endpoint.close()
  })

  it('keeps no session for a client that left before the answer', async () => {
    const arrived = createDeferred()
    const { endpoint } = createEndpoint(
      {},
      {
        middleware: [
          (ctx, next) => {
            arrived.resolve()
            return new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(next())))
          },
        ],
      },
    )
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const exchange = new LegacyClient(endpoint).post(request(0, 'initialize', params))
    await arrived.promise
    exchange.leave()
    await exchange.answered
    expect(endpoint.sessionCount).toBe(0)
    await endpoint.close()
  })

  it('F120 rejects sessions beyond the cap with 503, and takes new ones when old ones have ended', async () => {
    const { endpoint } = createEndpoint({ sessions: { max: 2 } })
    const first = await LegacyClient.open(endpoint)
    await LegacyClient.open(endpoint)
    const refused = await new LegacyClient(endpoint).initialize()
    expect(refused.status).toBe(503)
    expect(refused.replyHeaders['retry-after']).toMatch(/^\d+$/)
    expect(endpoint.sessionCount).toBe(2)

    await first.delete()
    await LegacyClient.open(endpoint)
    expect(endpoint.sessionCount).toBe(2)
    await endpoint.close()
  })

  it('F120 has a cap for each verified caller, so that one cannot take all', async () => {
    const { endpoint } = createEndpoint({ sessions: { maxPerPrincipal: 2 } })
    const first = await LegacyClient.open(endpoint, { auth: alice })
    await LegacyClient.open(endpoint, { auth: { ...alice, scopes: ['other'] } })
    expect((await new LegacyClient(endpoint, { auth: alice }).initialize()).status).toBe(503)
    const bob = { ...alice, subject: 'bob' }
    for (const auth of [bob, bob]) await LegacyClient.open(endpoint, { auth })
    for (let i = 0; i < 3; i++) expect((await new LegacyClient(endpoint).initialize()).status).toBe(200)
    const invalid = new LegacyClient(endpoint, { auth: { ...alice, subject: 'eve' } })
    for (let i = 0; i < 3; i++) await jsonOf(invalid.post(request(1, 'initialize')))
    expect((await invalid.initialize()).status).toBe(200)

    await first.delete()
    expect((await new LegacyClient(endpoint, { auth: alice }).initialize()).status).toBe(200)
    await endpoint.close()
  })

  it('F120 counts those that are opening at the same moment', async () => {
    const { endpoint } = createEndpoint({ sessions: { max: 10 } })
    const opened = await Promise.all(Array.from({ length: 40 }, () => new LegacyClient(endpoint).initialize()))
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(endpoint.sessionCount).toBe(10)
    await endpoint.close()
  })
})

/** The answer to a request repeats its id, which the client knows. */
const withoutId = (body: unknown) => String(body).replace(/"id":\d+,/, '')

describe('finding', () => {
  it('S-HTTPL-17 S-HTTPL-18 F119 answers alike for sessions that are unknown, ended, malformed or very long, and 400 where none is named', async () => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const ended = await LegacyClient.open(endpoint)
    await ended.delete()
    const bodies = new Set<string>()
    for (const id of ['unknown', ended.sessionId ?? '', '', '../../etc', 'x'.repeat(10_000), '__proto__', 'é']) {
      const answers = [
        client.call('tools/list', {}, { headers: { 'mcp-session-id': id } }),
        client.get(undefined, { headers: { 'mcp-session-id': id } }),
        await client.delete({ headers: { 'mcp-session-id': id } }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(404)
        bodies.add(withoutId(answer.body))
      }
    }
    expect(bodies.size).toBe(1)

    const nobody = new LegacyClient(endpoint)
    expect(nobody.call('tools/list').status).toBe(400)
    expect(nobody.get().status).toBe(400)
    expect((await nobody.delete()).status).toBe(400)
    expect(endpoint.sessionCount).toBe(1)
    await endpoint.close()
  })

  it('B-RPC-11 every refusal of a request names its id', async () => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const refusals = [
      { 'mcp-session-id': 'unknown' },
      { accept: 'application/json' },
      { 'mcp-protocol-version': '1.0' },
    ].map((headers) => client.call('tools/list', {}, { id: 'seven', headers }))
    refusals.push(new LegacyClient(endpoint).call('tools/list', {}, { id: 'seven' }))
    for (const { body } of refusals) expect(JSON.parse(String(body))).toMatchObject({ id: 'seven', error: {} })
    await endpoint.close()
  })

  it.each([
    ['null', null, 'The message is not an object.'],
    ['a message of another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, 'jsonrpc must be "2.0".'],
    ['an empty batch', [], 'The batch is empty.'],
  ])('what is no message is told so, before the session is asked for: %s', async (_what, body, message) => {
    const { endpoint } = createEndpoint()
    const refused = new LegacyClient(endpoint).post(body)
    expect([refused.status, JSON.parse(String(refused.body))]).toMatchObject([400, { error: { message } }])
    await endpoint.close()
  })

  it('F119 takes a session id that was sent twice for an unknown one', async () => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const id = client.sessionId ?? ''
    expect(client.call('tools/list', {}, { headers: { 'mcp-session-id': [id, id] } }).status).toBe(404)
    await endpoint.close()
  })

  const others: [string, AuthInfo | undefined][] = [
    ['another subject', { ...alice, subject: 'bob' }],
    ['another issuer', { ...alice, issuer: 'https://evil.example' }],
    ['another client', { ...alice, clientId: 'other' }],
    ['no subject', { clientId: 'app', issuer: 'https://as.example', scopes: [] }],
    ['nobody', undefined],
  ]
  it.each(others)('R15 is closed to %s on every way in, exactly as if it were unknown', async (_who, auth) => {
    const { endpoint, notices } = createEndpoint()
    const owner = await LegacyClient.open(endpoint, { auth: alice })
    const thief = new LegacyClient(endpoint, auth === undefined ? {} : { auth })
    const unknown = thief.call('tools/list', {}, { headers: { 'mcp-session-id': 'unknown' } })
    thief.sessionId = owner.sessionId
    const stream = owner.get()
    await stream.answered
    const eventId = stream.sink?.events[0]?.id ?? ''
    expect(eventId).not.toBe('')
    const attempts = [
      thief.call('tools/list'),
      thief.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
      thief.post({ jsonrpc: '2.0', id: 1, result: {} }),
      thief.get(),
      thief.get(eventId),
      await thief.delete(),
    ]
    for (const { status, body } of attempts)
      expect({ status, body: withoutId(body) }).toEqual({ status: 404, body: withoutId(unknown.body) })
    expect(notices).toEqual([])

    const renewed = owner.call('tools/list', {}, { auth: { ...alice, expiresAt: 99, scopes: ['more'] } })
    expect(renewed.status).toBe(200)
    await endpoint.close()
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', undefined])(
    'R30 checks the owner whatever version the request names (%s)',
    async (version) => {
      const { endpoint } = createEndpoint()
      const owner = await LegacyClient.open(endpoint, { auth: alice })
      const thief = new LegacyClient(endpoint)
      thief.sessionId = owner.sessionId
      const headers = version === undefined ? {} : { 'mcp-protocol-version': version }
      expect(thief.call('tools/list', {}, { headers }).status).toBe(404)
      await endpoint.close()
    },
  )

  it('F138 ignores an answer to a request of another session', async () => {
    const { endpoint, server } = createEndpoint(
      {},
      {
        handlers: {
          'tools/call': async (ctx) => {
            const { roots } = await ctx.session.listRoots()
            return { content: roots.map(({ uri }) => ({ type: 'text' as const, text: uri })) }
          },
        },
      },
    )
    const capabilities = { roots: {} }
    const victim = await LegacyClient.open(endpoint, { capabilities })
    const attacker = await LegacyClient.open(endpoint, { capabilities })
    const call = victim.tool('roots')
    await call.sink?.received(2)
    const { id } = messageOn(call)
    const answer = (uri: string) => ({ jsonrpc: '2.0', id, result: { roots: [{ uri }] } })

    expect(attacker.post(answer('file:///evil')).status).toBe(202)
    expect(victim.post(answer('file:///home')).status).toBe(202)
    await call.sink?.ended.promise
    expect(call.sink?.messages.at(-1)).toMatchObject({ result: { content: [{ text: 'file:///home' }] } })
    expect(server.supportedVersions).toContain('2025-11-25')
    await endpoint.close()
  })
})

describe('ending', () => {
  it('S-HTTPL-19 F124 aborts what is in flight on DELETE, answers it, ends the streams, and is then unknown', async () => {
    const { endpoint, signals } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const listening = client.get()
    const call = client.tool('wait')
    expect(signals[0]?.aborted).toBe(false)

    const deleted = await client.delete()
    expect(deleted.status).toBe(204)
    expect(signals[0]?.aborted).toBe(true)
    expect(await jsonOf(call)).toMatchObject({ id: 1, error: { message: 'The connection is closing' } })
    expect(listening.sink?.isClosed).toBe(true)
    expect(client.call('tools/list').status).toBe(404)
    expect(endpoint.sessionCount).toBe(0)
    await endpoint.close()
  })

  it('R20 ends a session that was not used for the idle time, by a monotonic clock', async () => {
    vi.useFakeTimers()
    const { endpoint } = createEndpoint({ sessions: { idleMs: 60_000 } })
    const client = await LegacyClient.open(endpoint)
    await vi.advanceTimersByTimeAsync(59_000)
    expect(client.call('tools/list').status).toBe(200)
    // F208: the wall clock jumps, and nothing happens.
    vi.setSystemTime(Date.now() + 86_400_000)
    await vi.advanceTimersByTimeAsync(40_000)
    expect(endpoint.sessionCount).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(endpoint.sessionCount).toBe(0)
    expect(client.call('tools/list').status).toBe(404)
    expect(vi.getTimerCount()).toBe(0)
    await endpoint.close()
  })

  it('F125 counts a request under way and an open stream as use', async () => {
    vi.useFakeTimers()
    const { endpoint } = createEndpoint({ sessions: { idleMs: 60_000 }, keepAliveMs: Infinity })
    const calling = await LegacyClient.open(endpoint)
    const listening = await LegacyClient.open(endpoint)
    calling.tool('wait')
    const stream = listening.get()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(endpoint.sessionCount).toBe(2)

    stream.leave()
    calling.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await vi.advanceTimersByTimeAsync(150_000)
    expect(endpoint.sessionCount).toBe(0)
    await endpoint.close()
  })

  it('R20 runs the cleanups of a session that expired', async () => {
    vi.useFakeTimers()
    const cleaned: string[] = []
    const { endpoint } = createEndpoint(
      { sessions: { idleMs: 1_000 } },
      {
        handlers: {
          'tools/list': (ctx) => {
            ctx.connection.defer(() => cleaned.push('done'))
            return { tools: [] }
          },
        },
      },
    )
    const client = await LegacyClient.open(endpoint)
    await client.call('tools/list').answered
    await vi.advanceTimersByTimeAsync(3_000)
    expect(cleaned).toEqual(['done'])
    await endpoint.close()
  })

  it('lets calls finish while it drains, rejects new ones, and then ends everything', async () => {
    let finish = () => {}
    const { endpoint } = createEndpoint(
      {},
      {
        handlers: {
          'tools/call': () =>
            new Promise((resolve) => {
              finish = () => resolve({ content: [] })
            }),
        },
      },
    )
    const client = await LegacyClient.open(endpoint)
    const call = client.tool('slow')
    const closing = endpoint.close({ drainMs: 60_000 })
    expect(client.call('tools/list').status).toBe(503)
    expect((await new LegacyClient(endpoint).initialize()).status).toBe(503)
    finish()
    await closing
    expect(await jsonOf(call)).toMatchObject({ result: {} })
    expect(endpoint.sessionCount).toBe(0)
    await endpoint.close()
  })

  it('F133 hurries when it is asked a second time', async () => {
    const { endpoint, signals } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const call = client.tool('wait')
    const closing = endpoint.close({ drainMs: 3_600_000 })
    await endpoint.close({ drainMs: 0 })
    await closing
    expect(signals[0]?.aborted).toBe(true)
    expect(await jsonOf(call)).toHaveProperty('error')
  })
})

describe('headers', () => {
  it.each([
    ['2024-11-05', 200],
    ['2025-03-26', 200],
    ['2025-06-18', 200],
    ['2025-11-25', 200],
    ['2026-07-28', 400],
    ['1.0', 400],
    ['', 400],
    [['2025-11-25', '2025-11-25'], 400],
  ])('answers a request that names version %j with %i', async (version, status) => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    const headers = { 'mcp-protocol-version': version }
    expect(client.call('tools/list', {}, { headers }).status).toBe(status)
    expect(client.post({ jsonrpc: '2.0', method: 'x' }, { headers }).status).toBe(status === 200 ? 202 : 400)
    const stream = client.get(undefined, { headers })
    expect(stream.status).toBe(status)
    expect((await client.delete({ headers })).status).toBe(status === 200 ? 204 : 400)
    await endpoint.close()
  })

  it.each([
    [BOTH_TYPES, 200],
    ['text/event-stream, application/json', 200],
    ['*/*', 200],
    ['application/*, text/*', 200],
    ['application/json', 406],
    ['text/event-stream', 406],
    ['application/json, text/event-stream;q=0', 406],
    ['text/html', 406],
  ])('F113 answers a POST that accepts %s with %i', async (accept, status) => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    expect(client.call('tools/list', {}, { headers: { accept } }).status).toBe(status)
    await endpoint.close()
  })

  it('F113 asks for an event stream in the Accept header of a GET', async () => {
    const { endpoint } = createEndpoint()
    const client = await LegacyClient.open(endpoint)
    expect(client.get(undefined, { headers: { accept: 'application/json' } }).status).toBe(406)
    await endpoint.close()
  })
})
