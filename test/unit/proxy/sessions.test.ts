// Who shares a connection to a source, what goes there of a caller, and what ends with whom.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { MCPServer, type Principal, principalKey, principalOf } from '../../../src/exports/server.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import { createProxy, type ProxyServer } from '../../../src/proxy/proxy.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

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

async function serve(target: string, options: ProxyOptions = {}): Promise<{ url: string; proxy: ProxyServer }> {
  const proxy = createProxy(target, { onFault: () => {}, ...options })
  const serving = await serveHttp(proxy.server, {
    port: 0,
    auth: (handler) =>
      requireBearer(handler, {
        resource: 'http://127.0.0.1/mcp',
        issuer: 'http://127.0.0.1:4000',
        verifier: verifyStaticTokens(TOKENS),
      }),
  })
  open.push(proxy, serving)
  return { url: serving.url, proxy }
}

async function call(url: string, token: string, mode: 'modern' | 'legacy'): Promise<string> {
  const client = await Client.connect(url, { auth: token, mode })
  open.push(client)
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
  it('compose P10 compose P11 different callers never share a session of a legacy source', async () => {
    const { url: target } = await upstream(true)
    const { url, proxy } = await serve(target)
    const [first, again] = [await call(url, ADA, 'modern'), await call(url, ADA, 'modern')]
    expect(again).toBe(first)
    expect(await call(url, BOB, 'modern')).not.toBe(first)
    expect((await proxy.health())[0]).toMatchObject({ state: 'ready', era: 'legacy', connections: 2 })
    // A legacy client has a session of its own, and so has the proxy for it.
    expect(await call(url, ADA, 'legacy')).not.toBe(first)
  })

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

  it('a connection that nobody uses ends', async () => {
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
