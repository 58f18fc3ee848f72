// Who shares a connection to a source, what goes there of a caller, and what ends with whom.
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client, streamableHttp } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer, type Principal, principalKey, principalOf } from '../../../src/exports/server.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import type { ProxyTarget } from '../../../src/proxy/base/targets.ts'
import { createProxy, type ProxyServer } from '../../../src/proxy/proxy.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const TOKENS = {
  'token-of-ada-0123456789': { clientId: 'c', subject: 'ada', scopes: [] },
  'token-of-bob-0123456789': { clientId: 'c', subject: 'bob', scopes: [] },
}
const [ADA, BOB] = Object.keys(TOKENS) as [string, string]

/** A server over HTTP that tells of its sessions, and remembers every header that it got. */
async function upstream(legacyOnly: boolean) {
  const headers: Record<string, unknown>[] = []
  const methods: string[] = []
  const server = new MCPServer('upstream', legacyOnly ? { supportedVersions: ['2025-11-25'] } : {})
  server.tool('session', (_args, ctx) => String(ctx.http?.headers?.['mcp-session-id'] ?? 'none'))
  server.use((ctx, next) => {
    methods.push(ctx.method)
    headers.push({ ...ctx.dispatch.transport.headers })
    return next()
  })
  const serving = await serveHttp(server, { port: 0 })
  open.push(serving)
  return { url: serving.url, headers, methods, server }
}

async function serve(
  target: ProxyTarget,
  options: ProxyOptions = {},
  isOpenToAll = false,
): Promise<{ url: string; proxy: ProxyServer }> {
  const proxy = createProxy(target, { onFault: () => {}, ...options })
  const serving = await serveHttp(proxy.server, {
    port: 0,
    ...(!isOpenToAll && {
      auth: (handler) =>
        requireBearer(handler, {
          resource: 'http://127.0.0.1/mcp',
          issuer: 'http://127.0.0.1:4000',
          verifier: verifyStaticTokens(TOKENS),
        }),
    }),
  })
  open.push(proxy, serving)
  return { url: serving.url, proxy }
}

async function call(url: string, token: string | undefined, mode: 'modern' | 'legacy'): Promise<string> {
  const client = await Client.connect(url, { ...(token !== undefined && { auth: token }), mode })
  open.push(client)
  return sessionOf(client)
}

/** The session that its call has at the source. */
async function sessionOf(client: { callTool(name: string): Promise<{ content: unknown }> }): Promise<string> {
  const { content } = await client.callTool('session')
  return (content as { text: string }[])[0]?.text ?? ''
}

it('compose K23 who calls has a key that tells callers apart, whatever their tokens', () => {
  const ada = { clientId: 'c', subject: 'ada', issuer: 'https://a' }
  expect(principalOf({ ...ada, scopes: ['x'], claims: { jti: '1' } })).toEqual(ada)
  const others = [
    undefined,
    { clientId: 'c' },
    { ...ada, subject: 'bob' },
    { ...ada, clientId: 'd' },
    { ...ada, issuer: 'https://b' },
  ]
  expect(new Set([ada, ...others].map((one) => principalKey(one))).size).toBe(6)
  expect(principalKey(principalOf({ ...ada, scopes: [] }))).toBe(principalKey(ada))
})

describe('sessions', () => {
  it('compose P10 compose P11 compose X39 different callers never share a session of a legacy source', async () => {
    const { url: target } = await upstream(true)
    const { url, proxy } = await serve(target)
    const [first, again] = [await call(url, ADA, 'modern'), await call(url, ADA, 'modern')]
    expect(again).toBe(first)
    expect(await call(url, BOB, 'modern')).not.toBe(first)
    expect((await proxy.health())[0]).toMatchObject({ state: 'ready', era: 'legacy', connections: 2 })
    // A legacy client has a session of its own, and so has the proxy for it.
    expect(await call(url, ADA, 'legacy')).not.toBe(first)
  })

  it('compose P10 callers whom nobody verifies share a modern source, and get a session for each call of a legacy one', async () => {
    const modern = await upstream(false)
    const shared = await serve(modern.url, {}, true)
    for (let i = 0; i < 3; i += 1) await call(shared.url, undefined, 'modern')
    expect((await shared.proxy.health())[0]).toMatchObject({ era: 'modern', connections: 1 })
    const legacy = await upstream(true)
    const single = await serve(legacy.url, {}, true)
    const client = await Client.connect(single.url, { mode: 'modern' })
    open.push(client)
    const sessions = [await sessionOf(client), await sessionOf(client), await call(single.url, undefined, 'modern')]
    expect(new Set(sessions).size).toBe(3)
    await vi.waitFor(async () => expect((await single.proxy.health())[0]).toMatchObject({ connections: 0 }))
  })

  it.each(['modern', 'legacy'] as const)(
    'compose P10 each %s client in process has a connection of its own',
    async (mode) => {
      const { url: target } = await upstream(true)
      const proxy = createProxy(target, { onFault: () => {} })
      const [one, two] = [await Client.connect(proxy, { mode }), await Client.connect(proxy, { mode })]
      open.push(proxy, one, two)
      const first = await sessionOf(one)
      expect(await sessionOf(one)).toBe(first)
      expect(await sessionOf(two)).not.toBe(first)
      expect((await proxy.health())[0]).toMatchObject({ connections: 2 })
    },
  )

  it('compose P10 the option sessions says who shares', async () => {
    const { url: target } = await upstream(true)
    const all = await serve(target, { sessions: 'shared' })
    const first = await call(all.url, ADA, 'modern')
    expect(await call(all.url, BOB, 'modern')).toBe(first)
    expect((await all.proxy.health())[0]).toMatchObject({ connections: 1 })
    const each = await serve(target, { sessions: 'call' })
    expect(await call(each.url, ADA, 'modern')).not.toBe(await call(each.url, ADA, 'modern'))
    const one = await serve(target, { sessions: 'principal' })
    const [legacy, again] = [await call(one.url, ADA, 'legacy'), await call(one.url, ADA, 'legacy')]
    expect(again).toBe(legacy)
    expect(await call(one.url, BOB, 'legacy')).not.toBe(legacy)
  })

  it('compose P11 other headers that are repeated, and other credentials, are another connection', async () => {
    const { url: target, headers } = await upstream(false)
    let id = 'first'
    const { url, proxy } = await serve(target, {
      sessions: 'shared',
      forwardHeaders: ['X-Team'],
      credentials: () => ({ auth: `token-of-${id}`, id }),
    })
    const as = async (team: string) => {
      const client = await Client.connect(url, { auth: ADA, mode: 'modern', headers: { 'x-team': team } })
      open.push(client)
      await sessionOf(client)
      return (await proxy.health())[0]?.connections
    }
    expect([await as('red'), await as('red'), await as('blue')]).toEqual([1, 1, 2])
    id = 'second'
    expect(await as('red')).toBe(3)
    const sent = headers.map((one) => `${one['x-team']} ${one['authorization']}`)
    const expected = ['red Bearer token-of-first', 'blue Bearer token-of-first', 'red Bearer token-of-second']
    expect(new Set(sent)).toEqual(new Set(expected))
  })

  it.each(['legacy', 'modern'] as const)(
    'compose A02 each request of a %s client goes with the headers of its own, also in a session',
    async (mode) => {
      for (const legacyOnly of [true, false]) {
        const { url: target, headers, methods } = await upstream(legacyOnly)
        const { url } = await serve(
          { mcpServers: { up: { url: target, headers: { 'X-Floor': 'third' } } } },
          { forwardHeaders: ['X-Team', 'x-floor', 'x-key'], credentials: () => ({ headers: { 'X-Key': 'ours' } }) },
        )
        const given: Record<string, string>[] = [
          { 'x-team': 'red', 'x-key': 'theirs' },
          { 'x-team': 'blue', 'x-floor': 'ninth' },
          {},
          { 'x-team': 'red' },
        ]
        const sent = { now: given[0] as Record<string, string> }
        const fetchAs: typeof fetch = (to, init) => {
          const all = new Headers(init?.headers)
          for (const [name, value] of Object.entries(sent.now)) all.set(name, value)
          return fetch(to, { ...init, headers: all })
        }
        const client = await Client.connect(streamableHttp(url, { auth: ADA, fetch: fetchAs }), { mode })
        open.push(client)
        for (const values of given) {
          sent.now = values
          await client.callTool('session')
        }
        const calls = headers.filter((_one, at) => methods[at] === 'tools/call')
        expect(calls.map((one) => [one['x-team'], one['x-floor'], one['x-key']])).toEqual([
          ['red', 'third', 'ours'],
          ['blue', 'ninth', 'ours'],
          [undefined, 'third', 'ours'],
          ['red', 'third', 'ours'],
        ])
        if (legacyOnly && mode === 'legacy') expect(methods.filter((method) => method === 'initialize')).toHaveLength(1)
      }
    },
  )

  it('compose X50 no handshake per call', async () => {
    const { url: target, methods } = await upstream(true)
    const { url } = await serve(target)
    const client = await Client.connect(url, { auth: ADA, mode: 'modern' })
    open.push(client)
    for (let i = 0; i < 5; i += 1) await client.callTool('session')
    expect(methods.filter((method) => method === 'initialize')).toHaveLength(1)
    expect(methods.filter((method) => method === 'tools/call')).toHaveLength(5)
  })

  it.each(['modern', 'legacy'] as const)(
    'compose A01 compose X61 the token of a %s caller goes nowhere',
    async (mode) => {
      for (const legacyOnly of [true, false]) {
        const { url: target, headers } = await upstream(legacyOnly)
        const { url } = await serve(target, { forwardHeaders: ['x-team'] })
        await call(url, ADA, mode)
        expect(headers.length).toBeGreaterThan(1)
        expect(JSON.stringify(headers)).not.toContain(ADA)
        expect(headers.every((one) => one['authorization'] === undefined && one['cookie'] === undefined)).toBe(true)
      }
    },
  )

  it('compose A02 compose A03 each caller has its own credential', async () => {
    const { url: target, headers } = await upstream(false)
    const seen: unknown[] = []
    const { url } = await serve(target, {
      credentials: (caller) => {
        seen.push(caller)
        return { headers: { authorization: `Bearer for-${caller.principal?.subject}` } }
      },
    })
    await call(url, ADA, 'modern')
    await call(url, BOB, 'modern')
    const given = headers.map((one) => one['authorization'])
    expect(new Set(given)).toEqual(new Set(['Bearer for-ada', 'Bearer for-bob']))
    expect(JSON.stringify(seen)).not.toContain('token-of')
  })

  it('compose A02 what chooses a credential knows the caller, without its token, and the headers that are repeated alone', async () => {
    const { url: target } = await upstream(false)
    const seen: unknown[] = []
    const credentials = (caller: unknown) => {
      seen.push(caller)
      return 'none' as const
    }
    const { url } = await serve({ mcpServers: { notes: { url: target } } }, { forwardHeaders: ['x-team'], credentials })
    const client = await Client.connect(url, {
      auth: ADA,
      mode: 'modern',
      headers: { 'x-team': 'red', 'x-other': 'hidden' },
      clientInfo: { name: 'host', version: '3' },
    })
    open.push(client)
    await sessionOf(client)
    expect(seen[0]).toMatchObject({
      principal: { clientId: 'c', subject: 'ada' },
      auth: { clientId: 'c' },
      clientInfo: { name: 'host', version: '3' },
      source: 'notes',
      headers: { 'x-team': 'red' },
    })
    expect(JSON.stringify(seen)).not.toMatch(/hidden|token-of/)
  })

  it('compose A03 environments: a child for each caller, which knows its own alone', async () => {
    const child = fileURLToPath(new URL('../../fixtures/stdio/proxied.js', import.meta.url))
    const { url, proxy } = await serve(
      { command: process.execPath, args: [child] },
      { credentials: ({ principal }) => ({ env: { WHO: String(principal?.subject) } }) },
    )
    const who = async (token: string) => {
      const client = await Client.connect(url, { auth: token, mode: 'modern' })
      open.push(client)
      return ((await client.callTool('who')).content as { text: string }[])[0]?.text
    }
    expect([await who(ADA), await who(BOB), await who(ADA)]).toEqual(['ada', 'bob', 'ada'])
    expect((await proxy.health())[0]).toMatchObject({ connections: 2 })
  })

  it("compose A03 'none': no header of the target, and no login of its URL", async () => {
    const { url: target, headers } = await upstream(false)
    const withLogin = new URL(target)
    withLogin.username = 'service'
    withLogin.password = 'password-of-the-service'
    const { url } = await serve(withLogin, {
      client: { headers: { 'x-api-key': 'key-of-the-service', 'user-agent': 'gateway/1' } },
      credentials: () => 'none',
    })
    await call(url, ADA, 'modern')
    expect(headers.length).toBeGreaterThan(0)
    expect(JSON.stringify(headers)).not.toMatch(/service|authorization/)
    expect(headers[0]?.['user-agent']).toBe('gateway/1')
  })

  it.each([
    ['auth without an id', () => ({ auth: 'token' }) as never, 'needs an id'],
    ['env, for a URL', () => ({ env: { A: 'b' } }), 'works for a target that is a command'],
  ])('compose A03 %s is refused, and told', async (_what, credentials, message) => {
    const { url: target } = await upstream(false)
    const faults: unknown[] = []
    const { url } = await serve(target, { credentials, onFault: ({ error }) => faults.push(error) })
    const client = await Client.connect(url, { auth: ADA, mode: '2026-07-28' })
    open.push(client)
    await expect(client.callTool('session')).rejects.toMatchObject({ code: -32603 })
    expect(faults.map((error) => `${error} ${(error as Error)?.cause}`).join(' ')).toContain(message)
  })

  it('compose A10 a caller that is forgotten has no connection any more', async () => {
    const { url: target } = await upstream(true)
    let ada: Principal
    const { url, proxy } = await serve(target, {
      credentials: ({ principal }) => {
        ada = principal
        return 'none'
      },
    })
    const first = await call(url, ADA, 'modern')
    await proxy.forget(ada)
    expect((await proxy.health())[0]?.connections).toBe(0)
    expect(await call(url, ADA, 'modern')).not.toBe(first)
  })

  it('compose X40 nothing is opened before the first request', async () => {
    const { url: target, methods } = await upstream(true)
    const { url, proxy } = await serve(target)
    expect((await proxy.health())[0]).toMatchObject({ connections: 0 })
    expect(methods).toEqual([])
    await call(url, ADA, 'modern')
    expect((await proxy.health())[0]).toMatchObject({ connections: 1 })
  })

  it('compose X39 a connection that nobody uses ends', async () => {
    const { url: target } = await upstream(true)
    const { url, proxy } = await serve(target, { idleMs: 30 })
    await call(url, ADA, 'modern')
    await vi.waitFor(async () => expect((await proxy.health())[0]?.connections).toBe(0))
  })

  it('compose G029 the connection of a legacy client ends with it', async () => {
    const { url: target } = await upstream(true)
    const { url, proxy } = await serve(target)
    const client = await Client.connect(url, { auth: ADA, mode: 'legacy' })
    await client.callTool('session')
    expect((await proxy.health())[0]?.connections).toBe(1)
    await client.close()
    await vi.waitFor(async () => expect((await proxy.health())[0]?.connections).toBe(0))
  })
})
