// A legacy session over Streamable HTTP: its id, its streams, and requests of the server.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'
import { connect, failureOf, isCall, serve } from './legacy-http.ts'
import {
  accepted,
  answerTo,
  ENDPOINT,
  EventBody,
  never,
  result,
  ScriptedHttp,
  type SeenRequest,
  TEXT,
  welcome,
} from './scripted-http.ts'

describe('a session', () => {
  it('C-HTTPL-01 C-HTTPL-02 gets its id from initialize, and every later request carries it and the revision', async () => {
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

  it('is optional', async () => {
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

  it.each([200, 405])('C-HTTPL-04 is ended with a DELETE when the client closes, response %i', async (status) => {
    const { client, http, faults } = await connect(({ method }) =>
      method === 'DELETE' ? new Response(null, { status }) : undefined,
    )
    await client.close()
    expect(http.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } })
    expect(faults).toEqual([])
  })

  it('is ended once, although the channel is closed before the client', async () => {
    const http = serve(() => undefined)
    const channel = await streamableHttp(ENDPOINT, { fetch: http.fetch }).open()
    const client = await Client.connect(channel, { mode: 'legacy' })
    await channel.close()
    await client.close()
    expect(http.withMethod('DELETE')).toHaveLength(1)
  })

  it('is not ended with terminateOnClose: false', async () => {
    const { client, http } = await connect(() => undefined, { transport: { terminateOnClose: false } })
    await client.close()
    expect(http.withMethod('DELETE')).toHaveLength(0)
  })

  it('R54 is closed in bounded time although the server does not respond', async () => {
    const { client } = await connect((request) => (request.method === 'DELETE' ? never(request) : undefined))
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const closing = client.close()
    await vi.advanceTimersByTimeAsync(2_000)
    await closing
  })
})

describe('a request of the server', () => {
  it('C-HTTPL-11 on the stream of a call gets its response in a POST of its own', async () => {
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

  it('C-HTTPL-11 on the standalone stream gets a response, too', async () => {
    const standalone = new EventBody()
    const { http } = await connect((request) =>
      request.method === 'GET' ? standalone.send({ jsonrpc: '2.0', id: 'q', method: 'ping' }).response : undefined,
    )
    await vi.waitFor(() => expect(http.requests.some(({ message }) => message['id'] === 'q')).toBe(true))
  })
})

it('notifications arrive in the order sent, and before the request that follows', async () => {
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

describe('cancelling a call', () => {
  it('C-HTTPL-09 notifies the server, and then closes the stream', async () => {
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

describe('the standalone stream', () => {
  it('is reopened after its end, and brings every message once', async () => {
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

  it('F164 may bring the response to a call, which is delivered once, and the stream of the call is closed', async () => {
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

  it.each([405, 404])('C-HTTPL-05 is optional: %i', async (status) => {
    const { client, http, faults } = await connect((request) =>
      request.method === 'GET' ? new Response(null, { status }) : undefined,
    )
    await client.callTool('x')
    expect(http.withMethod('GET')).toHaveLength(1)
    expect(http.sent('initialize')).toHaveLength(1)
    expect(faults).toEqual([])
  })

  it('F158 is reopened after a silence, and comments keep it open', async () => {
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
