// HTTP+SSE, the transport of 2024-11-05.
import { describe, expect, it, vi } from 'vitest'
import { LegacySseEndpoint } from '../../../../../src/server/http/legacy/sse.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import { Server } from '../../../../../src/server/server.ts'
import type { AuthInfo } from '../../../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'
import { request } from '../../../../support/legacy-client.ts'
import { loadParts } from '../../../../support/load-parts.ts'

await loadParts()

const alice: AuthInfo = { clientId: 'app', issuer: 'https://as.example', subject: 'alice', scopes: [] }

function serve(options: { sessions?: { max?: number; maxPerPrincipal?: number }; maxQueuedBytes?: number } = {}) {
  const signals: AbortSignal[] = []
  const server = new Server('sse', {
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call': async (ctx, { name }) => {
        signals.push(ctx.signal)
        if (name === 'roots') return { content: [], roots: (await ctx.session.listRoots()).roots }
        return new Promise(() => {})
      },
    },
  })
  const endpoint = new LegacySseEndpoint(coreOf(server), { messagesPath: '/messages', ...options })
  return { endpoint, signals, [Symbol.asyncDispose]: () => endpoint.close() }
}

async function open(endpoint: LegacySseEndpoint, auth?: AuthInfo) {
  const fake = { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }
  const stream = new FakeExchange(auth === undefined ? fake : { ...fake, auth })
  void endpoint.get(stream)
  await stream.answered
  const query = stream.sink?.events[0]?.data.split('?')[1] ?? ''
  const post = (body: unknown, options: { auth?: AuthInfo; query?: string } = {}) => {
    const exchange = new FakeExchange({ path: '/messages', query, ...(auth && { auth }), ...options })
    void endpoint.post(exchange, body)
    return exchange
  }
  const initialize = async (protocolVersion = '2024-11-05') => {
    const params = { protocolVersion, capabilities: { roots: {} }, clientInfo: { name: 'x', version: '1' } }
    post(request(0, 'initialize', params))
    await stream.sink?.received(2)
    post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return { stream, query, post, initialize }
}

describe('HTTP+SSE', () => {
  it('S-HTTPL-23 S-HTTPL-24 S-HTTPL-25 names the endpoint first, and sends everything on the stream', async () => {
    await using host = serve()
    const { stream, post, initialize } = await open(host.endpoint)
    expect(stream.sink?.events[0]).toMatchObject({ event: 'endpoint' })
    expect(stream.sink?.events[0]?.data).toMatch(/^\/messages\?sessionId=[\w-]{22}$/)
    await initialize()
    const called = post(request('a', 'tools/list'))
    expect(called.status).toBe(202)
    expect(stream.sink?.events.slice(1).map(({ event, data }) => [event, JSON.parse(data).id])).toEqual([
      ['message', 0],
      ['message', 'a'],
    ])
    expect(JSON.parse(stream.sink?.events[1]?.data ?? '')).toMatchObject({ result: { protocolVersion: '2024-11-05' } })
  })

  it('asks the client on the stream', async () => {
    await using host = serve()
    const { stream, post, initialize } = await open(host.endpoint)
    await initialize()
    post(request(1, 'tools/call', { name: 'roots' }))
    await stream.sink?.received(3)
    const { id, method } = JSON.parse(stream.sink?.events[2]?.data ?? '') as JSONObject
    expect(method).toBe('roots/list')
    post({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///a' }] } })
    await stream.sink?.received(4)
    expect(JSON.parse(stream.sink?.events[3]?.data ?? '')).toMatchObject({ id: 1, result: {} })
  })

  it('ends with its stream: handlers are aborted, and the session is gone', async () => {
    await using host = serve()
    const { stream, post, initialize } = await open(host.endpoint)
    await initialize()
    post(request(1, 'tools/call', { name: 'wait' }))
    expect(host.endpoint.sessionCount).toBe(1)
    stream.leave()
    expect(host.signals[0]?.aborted).toBe(true)
    await vi.waitFor(() => expect(host.endpoint.sessionCount).toBe(0))
    expect(post(request(2, 'ping')).status).toBe(404)
  })

  it('R15 F119 is closed to others, exactly as if it were unknown', async () => {
    await using host = serve()
    const { post } = await open(host.endpoint, alice)
    const foreign = post(request(1, 'ping'), { auth: { ...alice, subject: 'bob' } })
    const unknown = post(request(1, 'ping'), { query: 'sessionId=unknown' })
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body])
    expect(unknown.status).toBe(404)
    expect(post(request(1, 'ping'), { query: '' }).status).toBe(400)
    expect(post(request(1, 'ping'), { auth: { ...alice, scopes: ['more'] } }).status).toBe(202)
  })

  it.each([
    ['a string', 'x'],
    ['a batch', [request(1, 'ping')]],
    ['no message', { jsonrpc: '2.0', id: 1 }],
  ])('refuses %s with 400', async (_what, body) => {
    await using host = serve()
    const { post, initialize } = await open(host.endpoint)
    await initialize()
    expect(post(body).status).toBe(400)
  })

  it('R57 rejects a second request with an id in flight, on the stream', async () => {
    await using host = serve()
    const { stream, post, initialize } = await open(host.endpoint)
    await initialize()
    post(request(7, 'tools/call', { name: 'wait' }))
    post(request(7, 'tools/call', { name: 'wait' }))
    await stream.sink?.received(3)
    expect(JSON.parse(stream.sink?.events[2]?.data ?? '')).toMatchObject({ id: 7, error: { code: -32600 } })
    expect(host.signals).toHaveLength(1)
  })

  it('F120 has a cap', async () => {
    await using host = serve({ sessions: { max: 1 } })
    await open(host.endpoint)
    const refused = new FakeExchange({ method: 'GET', headers: { accept: 'text/event-stream' } })
    void host.endpoint.get(refused)
    await refused.answered
    expect(refused.status).toBe(503)
  })

  it('F120 one principal cannot take the places of all, and gets its own back', async () => {
    await using host = serve({ sessions: { maxPerPrincipal: 1 } })
    const first = await open(host.endpoint, alice)
    expect((await open(host.endpoint, { ...alice, scopes: ['more'] })).stream.status).toBe(503)
    expect((await open(host.endpoint, { ...alice, subject: 'bob' })).stream.sink).toBeDefined()
    first.stream.leave()
    await vi.waitFor(() => expect(host.endpoint.sessionCount).toBe(1))
    expect((await open(host.endpoint, alice)).stream.sink).toBeDefined()
  })

  it('F113 asks for an event stream in the Accept header', async () => {
    await using host = serve()
    const refused = new FakeExchange({ method: 'GET', headers: { accept: 'application/json' } })
    void host.endpoint.get(refused)
    expect(refused.status).toBe(406)
  })

  it('F111 ends a session whose reader reads nothing', async () => {
    await using host = serve({ maxQueuedBytes: 200 })
    const { stream, post, initialize } = await open(host.endpoint)
    await initialize()
    if (stream.sink !== undefined) stream.sink.isReading = false
    for (let id = 1; id < 50; id++) post(request(id, 'tools/list'))
    expect(stream.sink?.isDestroyed).toBe(true)
    await vi.waitFor(() => expect(host.endpoint.sessionCount).toBe(0))
  })

  it('F132 closes with an answer for what is in flight', async () => {
    const host = serve()
    const { stream, post, initialize } = await open(host.endpoint)
    await initialize()
    post(request(1, 'tools/call', { name: 'wait' }))
    await host.endpoint.close()
    expect(JSON.parse(stream.sink?.events.at(-1)?.data ?? '')).toMatchObject({ id: 1, error: {} })
    expect(stream.sink?.isClosed).toBe(true)
    expect(host.endpoint.sessionCount).toBe(0)
    await host.endpoint.close()
  })
})
