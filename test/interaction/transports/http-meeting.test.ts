// What only HTTP can show of meeting a server: statuses as evidence, headers that repeat the body, sessions and hosts.
import { expect } from 'vitest'
import { InMemoryResponseCacheStore } from '../../../src/client/cache/response-store.ts'
import { Client } from '../../../src/client/client.ts'
import { streamableHttp } from '../../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../src/node/http/serve-http.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import { type Answer, ENDPOINT, error, json, type SeenRequest } from '../../unit/client/transports/scripted-http.ts'
import { requirement } from '../kit/requirement.ts'
import { noteMethods, tool, toolServer } from '../kit/support-features.ts'
import {
  connectScriptedHttp,
  connectSeen,
  handlerOf,
  openSession,
  post,
  refusalBy,
  scriptedHttp,
  sendModern,
} from '../kit/support-http.ts'
import { DONE, serverWith } from '../kit/support-lifecycle.ts'

const MISMATCH = [400, -32020]
const CALL = { params: { name: 'run' } }

/** A client that asks a server for its era, which answers the question so. */
async function probe(answer: (request: SeenRequest) => Answer) {
  const http = scriptedHttp((request) =>
    request.message['method'] === 'server/discover' ? answer(request) : undefined,
  )
  const client = new Client(streamableHttp(ENDPOINT, { fetch: http.fetch }))
  return { http, opening: client.open().finally(() => client.close()) }
}

requirement('mode:http:body-of-a-400', async () => {
  for (const answer of [() => new Response(null, { status: 400 }), () => json({ detail: 'what?' }, 400)]) {
    const { http, opening } = await probe(answer)
    await opening
    expect(http.sent('initialize')).toHaveLength(1)
  }
  for (const code of [-32020, -32021]) {
    const { http, opening } = await probe((request) => error(request, code, 400))
    await expect(opening).rejects.toMatchObject({ cause: { code } })
    expect(http.sent('initialize')).toEqual([])
  }
})

requirement('mode:http:401-proves-nothing', async () => {
  for (const status of [401, 403]) {
    const { http, opening } = await probe(() => new Response(null, { status }))
    await expect(opening).rejects.toMatchObject({ status })
    expect(http.sent('initialize')).toEqual([])
  }
})

requirement('mode:http:404-means-two-things', async (setting) => {
  const calls: unknown[] = []
  const { client, http } = await connectScriptedHttp(setting, (request) => {
    if (request.message['method'] !== 'tools/call') return undefined
    calls.push(request.headers['mcp-session-id'])
    return setting.isModern || calls.length > 1 ? error(request, -32601, 404) : new Response(null, { status: 404 })
  })
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32601 })
  // In a session it means that the session is gone, and the call is made again in another one.
  expect(calls).toEqual(setting.isModern ? [undefined] : ['session-1', 'session-2'])
  expect(http.sent('initialize')).toHaveLength(setting.isModern ? 0 : 2)
})

requirement('mode:http:probe-header-does-not-leak', async () => {
  const { http, opening } = await probe(() => new Response(null, { status: 400 }))
  await opening
  expect(http.sent('server/discover')[0]?.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28' })
  expect(http.sent('initialize')[0]?.headers).not.toHaveProperty('mcp-protocol-version')
})

requirement('mode:http:era-is-remembered', async () => {
  const server = serverWith(() => DONE)
  for (const round of [1, 2]) {
    const { client, requests } = await connectSeen({ isModern: true }, server, { cache: false })
    for (let call = 0; call < 3; call++) await client.callTool('run')
    const asked = requests.filter(({ message }) => message['method'] === 'server/discover')
    expect(asked, `client ${round}`).toHaveLength(1)
  }
})

requirement('envelope:http:headers-before-version', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const handler = handlerOf(serverWith(() => DONE))
  expect(await refusalBy(sendModern(handler, { ...CALL, meta }))).toEqual(MISMATCH)
  const headers = { 'mcp-protocol-version': '2099-01-01' }
  expect(await refusalBy(sendModern(handler, { ...CALL, meta }, { headers }))).toEqual([400, -32022])
})

requirement('envelope:http:duplicate-header', async () => {
  const handler = handlerOf(serverWith(() => DONE))
  for (const [name, value] of [
    ['mcp-protocol-version', '2026-07-28'],
    ['mcp-method', 'tools/call'],
    ['mcp-name', 'run'],
  ] as const) {
    const twice = sendModern(handler, CALL, { headers: { [name]: [value, value] } })
    expect(await refusalBy(twice), name).toEqual(MISMATCH)
  }
})

requirement('envelope:http:encoded-values', async (setting) => {
  const names = ['größe', ' padded ', '=?base64?cnVu?=', 'two\nlines']
  const called: string[] = []
  const server = serverWith((_ctx, { name }) => {
    called.push(name)
    return DONE
  })
  const { client, requests } = await connectSeen(setting, server, { cache: false })
  for (const name of names) await client.callTool(name)
  expect(called).toEqual(names)
  const calls = requests.filter(({ headers }) => headers['mcp-method'] === 'tools/call')
  for (const { headers } of calls) expect(headers['mcp-name']).toMatch(/^=\?base64\?[\w+/]+=*\?=$/)
  // Another spelling of the same value is none.
  const params = { name: 'größe' }
  const handler = handlerOf(server)
  expect(
    await refusalBy(sendModern(handler, { params }, { headers: { 'mcp-name': '=?BASE64?Z3LDtsOfZQ==?=' } })),
  ).toEqual(MISMATCH)
  expect(called).toHaveLength(names.length)
})

const COUNTED = {
  type: 'object',
  properties: {
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    region: { type: 'string', 'x-mcp-header': 'Region' },
  },
} as const

requirement('headers:call:integer-range', async (setting) => {
  const server = toolServer([tool('run', { inputSchema: COUNTED })])
  const { client, requests } = await connectSeen(setting, server)
  await client.listTools()
  const before = requests.length
  for (const count of [2 ** 53, -(2 ** 53)]) await expect(client.callTool('run', { count })).rejects.toThrow()
  expect(requests).toHaveLength(before)
  for (const count of [2 ** 53 - 1, 1 - 2 ** 53]) await client.callTool('run', { count })
  const [largest, smallest] = requests.slice(before).map(({ headers }) => headers['mcp-param-count'])
  expect([largest, smallest]).toEqual(['9007199254740991', '-9007199254740991'])
})

requirement('headers:server:compared', async () => {
  const calls: unknown[] = []
  const server = new MCPServer('counted')
  server.tool('run', { input: COUNTED }, (args) => void calls.push(args))
  const handler = handlerOf(server)
  const params = { name: 'run', arguments: { count: 7, region: 'eu' } }
  const right = { 'mcp-param-count': '7', 'mcp-param-region': 'eu' }
  for (const wrong of [
    { 'mcp-param-region': undefined },
    { 'mcp-param-region': ['eu', 'eu'] },
    { 'mcp-param-region': '=?base64?ZXU?=!' },
    { 'mcp-param-region': 'EU' },
    { 'mcp-param-count': 'seven' },
    { 'mcp-param-count': '8' },
  ]) {
    const exchange = sendModern(handler, { params }, { headers: { ...right, ...wrong } })
    expect(await refusalBy(exchange), JSON.stringify(wrong)).toEqual(MISMATCH)
  }
  expect(calls).toEqual([])
  const exchange = sendModern(handler, { params }, { headers: right })
  await exchange.answered
  expect([exchange.status, calls]).toEqual([200, [params.arguments]])
})

requirement('cache:scope:url-without-userinfo', async () => {
  const server = toolServer([tool('run')], undefined, {
    cacheHints: { 'tools/list': { ttlMs: 60_000, scope: 'private' } },
  })
  const { count } = noteMethods(server)
  await using serving = await serveHttp(server, { port: 0 })
  const cache = { store: new InMemoryResponseCacheStore(), partition: 'me' }
  const secret = new URL(serving.url)
  Object.assign(secret, { username: 'ada', password: 'secret' })
  for (const [url, fetched] of [
    [serving.url, 1],
    [secret.href, 1],
    [`${serving.url}?tenant=2`, 2],
  ] as const) {
    await using client = await Client.connect(url, { cache })
    await client.listTools()
    expect(count('tools/list'), url).toBe(fetched)
  }
})

const ALICE: AuthInfo = { clientId: 'app', issuer: 'https://as.example', subject: 'alice', scopes: [] }

requirement('http:session:checked-before-registered', async () => {
  const handler = handlerOf(serverWith(() => DONE))
  for (const body of [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 7 } },
    { jsonrpc: '2.0', id: null, method: 'initialize' },
  ]) {
    const refused = post(handler, body)
    await refused.answered
    expect(refused.replyHeaders).not.toHaveProperty('mcp-session-id')
  }
  expect(handler.sessionCount).toBe(0)
  await openSession(handler)
  expect(handler.sessionCount).toBe(1)
})

requirement('http:session:bound-to-its-credential', async () => {
  const handler = handlerOf(serverWith(() => DONE))
  const session = await openSession(handler, { auth: ALICE })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const mallory = { ...session, auth: { ...ALICE, subject: 'mallory' } }
  const stolen = post(handler, list, mallory)
  const unknown = post(handler, list, { ...mallory, headers: { 'mcp-session-id': 'unknown' } })
  await Promise.all([stolen.answered, unknown.answered])
  expect([stolen.status, stolen.body, stolen.replyHeaders]).toEqual([404, unknown.body, unknown.replyHeaders])
  const own = post(handler, list, session)
  await own.answered
  expect(own.status).toBe(200)
})

requirement('http:host:allow-list', async () => {
  const handler = handlerOf(
    serverWith(() => DONE),
    { allowedHosts: ['mcp.example.com'] },
  )
  for (const isLoopback of [true, false, undefined]) {
    for (const [host, status] of [
      ['mcp.example.com', 200],
      ['evil.example.com', 403],
      ['mcp.example.com.evil.example', 403],
    ] as const) {
      const exchange = sendModern(handler, CALL, { isLoopback, headers: { host } })
      await exchange.answered
      expect(exchange.status === 200 ? 200 : 403, host).toBe(status)
    }
  }
})

requirement('http:host:lifespan-starts', async ({ isModern }) => {
  const steps: string[] = []
  const lifespan = () => {
    steps.push('begin')
    return { [Symbol.asyncDispose]: async () => void steps.push('end') }
  }
  const handler = handlerOf(serverWith(() => DONE, { lifespan }))
  expect(steps).toEqual([])
  if (isModern) await sendModern(handler, CALL).answered
  else await openSession(handler)
  expect(steps).toEqual(['begin'])
  await handler.close()
  expect(steps).toEqual(['begin', 'end'])
})
