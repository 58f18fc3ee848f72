// Streamable HTTP in the legacy era: the session, its streams, and how they are picked up when they break off.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { type StreamableHttpOptions, streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'
import {
  type Answer,
  accepted,
  answerTo,
  ENDPOINT,
  EventBody,
  error,
  never,
  refused,
  result,
  ScriptedHttp,
  type SeenRequest,
  TEXT,
  welcome,
} from './scripted-http.ts'

type Script = (request: SeenRequest, http: ScriptedHttp) => Answer | undefined

interface SetUp {
  client?: ClientOptions
  transport?: StreamableHttpOptions
  sessionId?: string
}

const FAST = { initialDelayMs: 1, maxDelayMs: 2 }

/** A server with a session; the script answers first, and what it leaves alone gets the usual answer. */
function serve(script: Script, sessionId: string | undefined = 'session-1'): ScriptedHttp {
  const http = new ScriptedHttp((request) => {
    const scripted = script(request, http)
    if (scripted !== undefined) return scripted
    if (request.method === 'GET') return new Response(null, { status: 405 })
    if (request.method === 'DELETE') return new Response(null, { status: 200 })
    if (request.message['method'] === 'initialize') return welcome(request, sessionId)
    if (request.message['id'] === undefined || request.message['method'] === undefined) return accepted()
    if (request.message['method'] === 'tools/list') return result(request, { tools: [] })
    return result(request, TEXT)
  })
  return http
}

async function connect(script: Script, options: SetUp = {}) {
  const http = serve(script, options.sessionId)
  const faults: Fault[] = []
  const transport = streamableHttp(ENDPOINT, { fetch: http.fetch, reconnect: FAST, ...options.transport })
  const client = await Client.connect(transport, {
    mode: 'legacy',
    cache: false,
    onFault: (fault) => faults.push(fault),
    ...options.client,
  })
  onTestFinished(() => client.close())
  return { client, http, faults }
}

const isCall = ({ message }: SeenRequest) => message['method'] === 'tools/call'
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('this should have failed'),
    (failure: unknown) => failure,
  )

describe('a session', () => {
  it('C-HTTPL-01 C-HTTPL-02 is named by the handshake, and every later request says its name and the revision', async () => {
    const { client, http } = await connect(() => undefined)
    await client.callTool('x')
    const [initialize, ...others] = http.requests
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id')
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version')
    expect(others.map(({ method, message }) => message['method'] ?? method)).toEqual([
      'notifications/initialized',
      'GET',
      'tools/call',
      'tools/list',
    ])
    for (const { headers } of others) {
      expect(headers).toMatchObject({
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': LATEST_LEGACY_VERSION,
      })
      expect(headers).not.toHaveProperty('mcp-method')
    }
  })

  it('need not exist', async () => {
    const http = new ScriptedHttp((request) => {
      if (request.message['method'] === 'initialize') return welcome(request)
      return request.message['id'] === undefined ? accepted() : result(request, TEXT)
    })
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), { mode: 'legacy' })
    await client.callTool('x')
    await client.close()
    expect(http.requests.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true)
    expect(http.requests.every(({ method }) => method === 'POST')).toBe(true)
  })

  it.each([
    ['illegal characters', 'has space'],
    ['other than ASCII', 's\u00e9ssion'],
    ['too long a name', 'x'.repeat(100_000)],
    ['no name at all', ''],
  ])('C-HTTPL-10 F163 with %s is refused', async (_what, sessionId) => {
    const http = serve(() => undefined, sessionId)
    const connecting = Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), { mode: 'legacy' })
    expect(await failureOf(connecting)).toBeInstanceOf(TransportError)
    expect(http.sent('notifications/initialized')).toHaveLength(0)
  })

  it.each([200, 405])('C-HTTPL-04 is ended with a DELETE when the client closes, answered %i', async (status) => {
    const { client, http, faults } = await connect(({ method }) =>
      method === 'DELETE' ? new Response(null, { status }) : undefined,
    )
    await client.close()
    expect(http.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } })
    expect(faults).toEqual([])
  })

  it('is ended once, although the channel itself is closed under the client', async () => {
    const http = serve(() => undefined)
    const channel = await streamableHttp(ENDPOINT, { fetch: http.fetch }).open()
    const client = await Client.connect(channel, { mode: 'legacy' })
    await channel.close()
    await client.close()
    expect(http.withMethod('DELETE')).toHaveLength(1)
  })

  it('is left alone where that is wanted', async () => {
    const { client, http } = await connect(() => undefined, { transport: { terminateOnClose: false } })
    await client.close()
    expect(http.withMethod('DELETE')).toHaveLength(0)
  })

  it('R54 is closed in bounded time although the server does not answer', async () => {
    const { client } = await connect((request) => (request.method === 'DELETE' ? never(request) : undefined))
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const closing = client.close()
    await vi.advanceTimersByTimeAsync(2_000)
    await closing
  })
})

describe('what the server asks', () => {
  it('C-HTTPL-11 on the stream of a call is answered with a POST of its own', async () => {
    const body = new EventBody()
    const { client, http } = await connect(
      (request, http) => {
        if (isCall(request)) return body.send({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }).response
        if (request.message['id'] === 'q') body.send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT)).end()
        return undefined
      },
      { client: { onListRoots: () => ({ roots: [{ uri: 'file:///a' }] }) } },
    )
    await expect(client.callTool('x')).resolves.toMatchObject(TEXT)
    expect(http.requests.find(({ message }) => message['id'] === 'q')).toMatchObject({
      headers: { 'mcp-session-id': 'session-1' },
      message: { result: { roots: [{ uri: 'file:///a' }] } },
    })
  })

  it('C-HTTPL-11 on the stream beside the calls is answered, too', async () => {
    const standalone = new EventBody()
    const { http } = await connect((request) =>
      request.method === 'GET' ? standalone.send({ jsonrpc: '2.0', id: 'q', method: 'ping' }).response : undefined,
    )
    await vi.waitFor(() => expect(http.requests.some(({ message }) => message['id'] === 'q')).toBe(true))
  })
})

it('notifications arrive as they were sent, and before the request that comes after them', async () => {
  const arrived: unknown[] = []
  const { client } = await connect((request) => {
    const { method, params } = request.message as { method?: string; params?: { progress?: number } }
    if (method === 'notifications/progress') {
      // The first takes longest.
      const turns = 5 - (params?.progress ?? 0)
      return new Promise((resolve) => {
        const wait = (left: number): void => {
          if (left > 0) setImmediate(() => wait(left - 1))
          else {
            arrived.push(params?.progress)
            resolve(accepted())
          }
        }
        wait(turns)
      })
    }
    if (isCall(request)) arrived.push('call')
    return undefined
  })
  const notified = [1, 2, 3].map((progress) => client.sendProgressNotification('t', progress))
  await Promise.all([...notified, client.callTool('x')])
  expect(arrived).toEqual([1, 2, 3, 'call'])
})

describe('giving up a call', () => {
  it('C-HTTPL-09 tells the server, and then closes the stream', async () => {
    const body = new EventBody()
    const { client, http } = await connect((request) => (isCall(request) ? body.response : undefined))
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    await vi.waitFor(() => expect(http.sent('tools/call')).toHaveLength(1))
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await vi.waitFor(() => expect(http.sent('notifications/cancelled')).toHaveLength(1))
    await vi.waitFor(() => expect(body.isCancelled).toBe(true))
  })
})

describe('a stream that breaks off', () => {
  it('C-HTTPL-06 C-HTTPL-08 F143 F146 F147 is resumed after the last event, again and again, and every message is taken once', async () => {
    const log = (text: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: text },
    })
    const heard: unknown[] = []
    const { client, http } = await connect(
      (request, http) => {
        if (isCall(request)) return new EventBody().prime('e0').send(log('one'), 'e1').cut().response
        if (request.headers['last-event-id'] === undefined) return undefined
        const resumes = http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined).length
        // Nothing new at all, then a replay of what we had, then the rest.
        if (resumes === 1) return new EventBody().cut().response
        if (resumes === 2) return new EventBody().send(log('one'), 'e1').send(log('two'), 'e2').cut().response
        return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT), 'e3').end().response
      },
      { client: { onLog: ({ data }) => void heard.push(data) } },
    )
    await expect(client.callTool('x')).resolves.toMatchObject(TEXT)
    const resumes = http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)
    expect(resumes.map(({ headers }) => headers['last-event-id'])).toEqual(['e1', 'e1', 'e2'])
    expect(resumes.every(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] === 'session-1')).toBe(
      true,
    )
    expect(heard).toEqual(['one', 'two'])
    expect(http.sent('tools/call')).toHaveLength(1)
  })

  it('is resumed after an id that came without data, and an empty id takes it back, as the standard says', async () => {
    const tokens: string[] = []
    const { client, http } = await connect((request, http) => {
      if (isCall(request)) return new EventBody().prime('e0').write('id: e1\n\n').cut().response
      const last = request.headers['last-event-id']
      if (last === 'e1') return new EventBody().write('id: e2\nevent: other\n\n').cut().response
      if (last === 'e2') return new EventBody().write('id\n\n').cut().response
      if (request.method !== 'GET' || http.withMethod('GET').length < 4) return undefined
      return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT)).end().response
    })
    const hints = { onResumptionToken: (token: string) => void tokens.push(token) }
    await client.callTool('x', {}, { hints })
    const gets = http.withMethod('GET').slice(1)
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual(['e1', 'e2', undefined])
    expect(tokens).toEqual(['e0', 'e1', 'e2', ''])
  })

  it('F152 without any event id rejects its call at once, and repeats nothing', async () => {
    const { client, http } = await connect((request) => (isCall(request) ? new EventBody().cut().response : undefined))
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32000, local: true })
    expect(http.sent('tools/call')).toHaveLength(1)
    expect(http.withMethod('GET')).toHaveLength(1)
  })

  it.each([
    ['retry: 0', 100, 100],
    ['retry: 1000000000000', 60_000, 60_000],
    ['retry: -5', 200, 400],
    ['retry: soon', 200, 400],
    ['retry: 700', 700, 700],
  ])('C-HTTPL-07 F148 is resumed after a pause within reason: %s', async (line, atLeastMs, atMostMs) => {
    const { client, http } = await connect(
      (request, http) => {
        if (isCall(request)) return new EventBody().write(`${line}\n`).prime('e0').end().response
        if (request.headers['last-event-id'] === undefined) return undefined
        return new EventBody().send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT)).end().response
      },
      { transport: { reconnect: { initialDelayMs: 400 } } },
    )
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = client.callTool('x')
    await vi.advanceTimersByTimeAsync(atLeastMs - 1)
    expect(http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(atMostMs - atLeastMs + 1)
    await expect(call).resolves.toMatchObject(TEXT)
  })

  it('is given up after five failures in a row', async () => {
    const { client, http } = await connect((request) => {
      if (isCall(request)) return new EventBody().prime('e0').end().response
      return request.headers['last-event-id'] === undefined ? undefined : refused()
    })
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(TransportError)
    expect(http.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)).toHaveLength(5)
  })

  it('is given up at once where the server refuses', async () => {
    const { client, http } = await connect((request) => {
      if (isCall(request)) return new EventBody().prime('e0').end().response
      return undefined
    })
    expect(await failureOf(client.callTool('x'))).toMatchObject({ status: 405 })
    expect(http.withMethod('GET')).toHaveLength(2)
  })

  it('F149 because one event is too long is not fetched again', async () => {
    const { client, http } = await connect(
      (request) =>
        isCall(request)
          ? new EventBody()
              .prime('e0')
              .write(`id: e1\ndata: ${'x'.repeat(5_000)}\n\n`)
              .end().response
          : undefined,
      { transport: { maxEventBytes: 1_000 } },
    )
    expect(await failureOf(client.callTool('x'))).toBeInstanceOf(LimitError)
    expect(http.withMethod('GET')).toHaveLength(1)
  })

  it('tells its tokens, by which another call picks it up', async () => {
    const tokens: string[] = []
    const { client, http } = await connect((request) => {
      if (isCall(request))
        return new EventBody().prime('e0').send({ jsonrpc: '2.0', method: 'notifications/x' }, 'e1').response
      if (request.headers['last-event-id'] !== 'e1') return undefined
      return new EventBody().send({ jsonrpc: '2.0', id: 'second', result: TEXT }).end().response
    })
    const hints = { onResumptionToken: (token: string) => void tokens.push(token) }
    const controller = new AbortController()
    const first = client.callTool('x', {}, { hints, signal: controller.signal })
    await vi.waitFor(() => expect(tokens).toEqual(['e0', 'e1']))
    controller.abort()
    await failureOf(first)
    const second = client.callTool('x', {}, { hints: { resumptionToken: 'e1' }, requestId: 'second' })
    await expect(second).resolves.toMatchObject(TEXT)
    expect(http.sent('tools/call')).toHaveLength(1)
    expect(http.sent('notifications/cancelled')).toHaveLength(0)
  })
})

describe('the stream beside the calls', () => {
  it('is opened again where it ended, and brings every message once', async () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const heard: string[] = []
    const { http } = await connect(
      (request, http) => {
        if (request.method !== 'GET') return undefined
        if (http.withMethod('GET').length > 2) return never(request)
        return new EventBody().send(changed, 'g1').end().response
      },
      { client: { onMessage: ({ method }) => void heard.push(method) } },
    )
    await vi.waitFor(() => expect(http.withMethod('GET')).toHaveLength(3))
    expect(http.withMethod('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'g1', 'g1'])
    expect(heard).toEqual(['notifications/tools/list_changed'])
  })

  it('F164 may bring the answer to a call: it is taken once, and nobody waits for it on its own stream', async () => {
    const standalone = new EventBody()
    const own = new EventBody()
    const { client, http, faults } = await connect((request) => {
      if (request.method === 'GET') return standalone.response
      return isCall(request) ? own.prime('e0').response : undefined
    })
    const call = client.callTool('x')
    await vi.waitFor(() => expect(http.sent('tools/call')).toHaveLength(1))
    standalone.send(answerTo(http.sent('tools/call')[0] as SeenRequest, TEXT))
    await expect(call).resolves.toMatchObject(TEXT)
    await vi.waitFor(() => expect(own.isCancelled).toBe(true))
    await client.sendPing()
    expect(http.withMethod('GET')).toHaveLength(1)
    expect(faults).toEqual([])
  })

  it.each([405, 404])('C-HTTPL-05 need not exist: %i', async (status) => {
    const { client, http, faults } = await connect((request) =>
      request.method === 'GET' ? new Response(null, { status }) : undefined,
    )
    await client.callTool('x')
    expect(http.withMethod('GET')).toHaveLength(1)
    expect(http.sent('initialize')).toHaveLength(1)
    expect(faults).toEqual([])
  })

  it('F158 that falls silent is opened anew, and comments keep it open', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const bodies: EventBody[] = []
    const { http } = await connect((request) => {
      if (request.method !== 'GET') return undefined
      const body = new EventBody()
      bodies.push(body)
      return body.response
    })
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    bodies[0]?.write(': still here\n\n')
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect(http.withMethod('GET')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(60_000 + 10)
    expect(bodies[0]?.isCancelled).toBe(true)
    expect(http.withMethod('GET')).toHaveLength(2)
  })
})

describe('what was asked of a session that the server has forgotten', () => {
  it('is asked of the new one, each time: subscriptions and the level of log messages', async () => {
    const sessions: string[] = []
    const asked: string[] = []
    let forgotten = 0
    const http = new ScriptedHttp((request) => {
      const { method, params } = request.message as { method?: string; params?: { uri?: string; level?: string } }
      if (request.method === 'GET') return new Response(null, { status: 405 })
      if (request.method === 'DELETE') return new Response(null, { status: 200 })
      if (method === 'initialize') {
        sessions.push(`session-${sessions.length + 1}`)
        const capabilities = { resources: { subscribe: true, listChanged: true }, logging: {} }
        const welcomed = {
          protocolVersion: LATEST_LEGACY_VERSION,
          capabilities,
          serverInfo: { name: 's', version: '1' },
        }
        return result(request, welcomed, { 'mcp-session-id': sessions.at(-1)! })
      }
      if (request.message['id'] === undefined) return accepted()
      const session = request.headers['mcp-session-id']
      if (session === `session-${forgotten}`) return new Response(null, { status: 404 })
      if (method !== 'ping') asked.push(`${session} ${method} ${params?.uri ?? params?.level}`)
      return result(request, {})
    })
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), {
      mode: 'legacy',
      onLog: () => {},
    })
    onTestFinished(() => client.close())
    const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['x:1'] })
    for (const round of [1, 2]) {
      forgotten = round
      await client.sendPing()
      expect(await subscription.next()).toMatchObject({ value: { type: 'resourcesListChanged', isPresumed: true } })
      expect(await subscription.next()).toMatchObject({ value: { uri: 'x:1', isPresumed: true } })
    }
    await vi.waitFor(() => expect(asked).toHaveLength(6))
    expect(asked.sort()).toEqual(
      [1, 2, 3].flatMap((session) => [
        `session-${session} logging/setLevel info`,
        `session-${session} resources/subscribe x:1`,
      ]),
    )
  })
})

describe('R50 a session that the server has forgotten', () => {
  /** Sessions that count their executions; `forget()` is a restart. */
  function forgetful() {
    const server = {
      sessions: 0,
      alive: '',
      executed: 0,
      forget() {
        this.alive = ''
      },
    }
    const script: Script = (request) => {
      const { headers, message } = request
      if (message['method'] === 'initialize') {
        server.sessions += 1
        server.alive = `s${server.sessions}`
        return welcome(request, server.alive)
      }
      if (headers['mcp-session-id'] !== server.alive) return error(request, -32001, 404, null)
      if (isCall(request)) server.executed += 1
      return undefined
    }
    return { server, script }
  }

  it('C-HTTPL-03 F153 is replaced by one handshake for all who were refused, and each of their calls runs once', async () => {
    const { server, script } = forgetful()
    const events: unknown[] = []
    const { client, http } = await connect(script, { client: { onConnection: (event) => void events.push(event) } })
    server.forget()
    await Promise.all(Array.from({ length: 20 }, () => client.callTool('x')))
    expect(server.executed).toBe(20)
    expect(server.sessions).toBe(2)
    expect(http.sent('notifications/initialized').at(-1)?.headers).toMatchObject({ 'mcp-session-id': 's2' })
    expect(http.sent('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id')
    expect(events).toMatchObject([{ type: 'open' }, { type: 'degraded' }, { type: 'recovered', isNewSession: true }])
  })

  it('is told of each time: a second loss, and an outage after it, are degraded and recovered like the first', async () => {
    const { server, script } = forgetful()
    const events: { type: string; isNewSession?: boolean }[] = []
    let isDown = false
    const { client } = await connect(
      (request, http) => {
        if (!isDown) return script(request, http)
        isDown = false
        return new Response('', { status: 503 })
      },
      { client: { onConnection: (event) => void events.push(event) } },
    )
    for (let round = 0; round < 2; round++) {
      server.forget()
      await client.callTool('x')
    }
    isDown = true
    await client.listTools()
    isDown = true
    await client.listTools()
    expect(server.sessions).toBe(3)
    const told = events.map(({ type, isNewSession }) => (isNewSession === undefined ? type : `${type} ${isNewSession}`))
    const renewed = ['degraded', 'recovered true']
    const healed = ['degraded', 'recovered false']
    expect(told).toEqual(['open', ...renewed, ...renewed, ...healed, ...healed])
  })

  it('is good again without a new one, where there was none to be had and the server remembers it after all', async () => {
    const { server, script } = forgetful()
    const events: string[] = []
    let isRefusing = false
    const { client } = await connect(
      (request, http) =>
        isRefusing && request.message['method'] === 'initialize'
          ? new Response(null, { status: 401 })
          : script(request, http),
      { client: { onConnection: ({ type }) => void events.push(type) } },
    )
    const { alive } = server
    server.forget()
    isRefusing = true
    await failureOf(client.callTool('x'))
    server.alive = alive
    await client.callTool('x')
    expect(events).toEqual(['open', 'degraded', 'recovered'])
  })

  it('F153 is an error when it happens twice to one call', async () => {
    const { client, http } = await connect((request) =>
      isCall(request) ? error(request, -32001, 404, null) : undefined,
    )
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32001, cause: { status: 404 } })
    expect(http.sent('tools/call')).toHaveLength(2)
    expect(http.sent('initialize')).toHaveLength(2)
  })

  it.each<[string, string, (request: SeenRequest) => Response, object]>([
    ['was refused', 'initialize', () => new Response(null, { status: 401 }), { status: 401 }],
    ['was answered with an error', 'initialize', (request) => error(request, -32603, 200), {}],
    ['was not completed', 'notifications/initialized', () => new Response(null, { status: 500 }), { status: 500 }],
  ])('is replaced the next time where the handshake %s', async (_what, method, refuse, expected) => {
    const { server, script } = forgetful()
    let isRefusing = false
    const { client } = await connect((request, http) =>
      isRefusing && request.message['method'] === method ? refuse(request) : script(request, http),
    )
    server.forget()
    isRefusing = true
    expect(await failureOf(client.callTool('x'))).toMatchObject(expected)
    isRefusing = false
    // A server that did not see the end of the handshake does not know the session either.
    server.forget()
    await client.callTool('x')
    expect(server.executed).toBe(1)
  })

  it('is not replaced by one of another revision: that is the end of the connection', async () => {
    const { server, script } = forgetful()
    const events: { type: string }[] = []
    const { client } = await connect(
      (request, http) =>
        http.sent('initialize').length > 1 && request.message['method'] === 'initialize'
          ? welcome(request, 'other', '2024-11-05')
          : script(request, http),
      { client: { onConnection: (event) => void events.push(event) } },
    )
    server.forget()
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32000, local: true })
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'closed', reason: expect.any(TransportError) }))
    expect(server.executed).toBe(0)
  })

  it('is found out by a notification, too, which is then sent in the new one', async () => {
    const { server, script } = forgetful()
    const { client, http } = await connect(script)
    server.forget()
    await client.sendRootsListChanged()
    expect(http.sent('notifications/roots/list_changed').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      's1',
      's2',
    ])
  })
})
