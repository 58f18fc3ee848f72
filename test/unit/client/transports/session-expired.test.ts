// 404 in a session: the client opens a new session and sends the request again in it.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import { TransportError } from '../../../../src/types/errors/failures.ts'
import { LATEST_LEGACY_VERSION } from '../../../../src/types/protocol/versions.ts'
import { connect, failureOf, isCall, type Script } from './legacy-http.ts'
import { accepted, ENDPOINT, error, result, ScriptedHttp, type SeenRequest, welcome } from './scripted-http.ts'

describe('subscriptions and the log level of an expired session', () => {
  it('are set up again in each new session', async () => {
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

describe('R50 404 in a session', () => {
  /** Sessions that count their executions; `expire()` ends the current one. */
  function expiringServer() {
    const server = {
      sessions: 0,
      alive: '',
      executed: 0,
      expire() {
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

  it('C-HTTPL-03 F153 opens one new session for all rejected requests, and each of them is executed once', async () => {
    const { server, script } = expiringServer()
    const events: unknown[] = []
    const { client, http } = await connect(script, { client: { onConnection: (event) => void events.push(event) } })
    server.expire()
    await Promise.all(Array.from({ length: 20 }, () => client.callTool('x')))
    expect(server.executed).toBe(20)
    expect(server.sessions).toBe(2)
    expect(http.sent('notifications/initialized').at(-1)?.headers).toMatchObject({ 'mcp-session-id': 's2' })
    expect(http.sent('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id')
    expect(events).toMatchObject([{ type: 'open' }, { type: 'degraded' }, { type: 'recovered', isNewSession: true }])
  })

  it('reports degraded and recovered each time: for a second expiry, and for an outage after it', async () => {
    const { server, script } = expiringServer()
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
      server.expire()
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

  it('reports recovered without a new session, if none could be opened and the server accepts the old one again', async () => {
    const { server, script } = expiringServer()
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
    server.expire()
    isRefusing = true
    await failureOf(client.callTool('x'))
    server.alive = alive
    await client.callTool('x')
    expect(events).toEqual(['open', 'degraded', 'recovered'])
  })

  it('F153 fails the request when it happens twice', async () => {
    const { client, http } = await connect((request) =>
      isCall(request) ? error(request, -32001, 404, null) : undefined,
    )
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32001, cause: { status: 404 } })
    expect(http.sent('tools/call')).toHaveLength(2)
    expect(http.sent('initialize')).toHaveLength(2)
  })

  it.each<[string, string, (request: SeenRequest) => Response, object]>([
    ['was rejected', 'initialize', () => new Response(null, { status: 401 }), { status: 401 }],
    ['got an error response', 'initialize', (request) => error(request, -32603, 200), {}],
    ['was not completed', 'notifications/initialized', () => new Response(null, { status: 500 }), { status: 500 }],
  ])('opens the new session with the next request if initialize %s', async (_what, method, refuse, expected) => {
    const { server, script } = expiringServer()
    let isRefusing = false
    const { client } = await connect((request, http) =>
      isRefusing && request.message['method'] === method ? refuse(request) : script(request, http),
    )
    server.expire()
    isRefusing = true
    expect(await failureOf(client.callTool('x'))).toMatchObject(expected)
    isRefusing = false
    // A server that did not see the end of the handshake does not know the session either.
    server.expire()
    await client.callTool('x')
    expect(server.executed).toBe(1)
  })

  it('closes the connection if the new session has another protocol revision', async () => {
    const { server, script } = expiringServer()
    const events: { type: string }[] = []
    const { client } = await connect(
      (request, http) =>
        http.sent('initialize').length > 1 && request.message['method'] === 'initialize'
          ? welcome(request, 'other', '2024-11-05')
          : script(request, http),
      { client: { onConnection: (event) => void events.push(event) } },
    )
    server.expire()
    expect(await failureOf(client.callTool('x'))).toMatchObject({ code: -32000, local: true })
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'closed', reason: expect.any(TransportError) }))
    expect(server.executed).toBe(0)
  })

  it('on a notification opens a new session, and the notification is sent again in it', async () => {
    const { server, script } = expiringServer()
    const { client, http } = await connect(script)
    server.expire()
    await client.sendRootsListChanged()
    expect(http.sent('notifications/roots/list_changed').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      's1',
      's2',
    ])
  })
})
