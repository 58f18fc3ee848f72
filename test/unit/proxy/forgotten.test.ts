// What a proxy keeps for a verified caller, and no longer has once the caller is forgotten.
import { describe, expect, it } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { createMemoryChannelPair } from '../../../src/exports/dispatcher.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer, type Principal } from '../../../src/exports/server.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const TOKENS = {
  'token-of-ada-0123456789': { clientId: 'c', subject: 'ada', scopes: [] },
  'token-of-bob-0123456789': { clientId: 'c', subject: 'bob', scopes: [] },
}
const [ADA, BOB] = Object.keys(TOKENS) as [string, string]

async function connect(era: 'legacy' | 'modern', options: ProxyOptions = {}) {
  const asked: string[] = []
  const channels: { close(): unknown }[] = []
  const server = new MCPServer('source', {
    supportedVersions: [era === 'legacy' ? '2025-11-25' : '2026-07-28'],
    cacheHints: { 'tools/list': { ttlMs: 600_000, scope: 'private' } },
  })
  server.use((ctx, next) => {
    asked.push(ctx.method)
    return next()
  })
  let breaks = 0
  server.tool('look', { annotations: { readOnlyHint: true } }, async () => {
    if (breaks-- > 0) await channels.at(-1)?.close()
    return 'seen'
  })
  let ada: Principal
  const proxy = createProxy(
    {
      kind: 'test',
      open: async () => {
        const [here, there] = createMemoryChannelPair()
        channels.push(there)
        await server.connect(there)
        return here
      },
    },
    {
      mode: era,
      onFault: () => {},
      credentials: ({ principal }) => {
        if (principal?.subject === 'ada') ada = principal
        return 'none'
      },
      ...options,
    },
  )
  const serving = await serveHttp(proxy.server, {
    port: 0,
    auth: (handler) =>
      requireBearer(handler, { resource: 'http://127.0.0.1/mcp', issuer: false, verifier: verifyStaticTokens(TOKENS) }),
  })
  open.push(proxy, serving)
  const as = async (token: string) => {
    const client = await Client.connect(serving.url, { auth: token, mode: '2026-07-28', cache: false })
    open.push(client)
    return client
  }
  return {
    ada: await as(ADA),
    bob: await as(BOB),
    forget: () => proxy.forget(ada),
    break: () => {
      breaks = 1
    },
    count: (method: string) => asked.filter((one) => one === method).length,
  }
}

describe('compose A10 a caller that is forgotten', () => {
  it('its lists are asked for anew; those of others are not', async () => {
    const { ada, bob, forget, count } = await connect('modern')
    for (const client of [ada, ada, bob, bob]) await client.listTools()
    expect(count('tools/list')).toBe(2)
    await forget()
    await bob.listTools()
    expect(count('tools/list')).toBe(2)
    await ada.listTools()
    expect(count('tools/list')).toBe(3)
  })

  it('which headers its tools need is looked up anew', async () => {
    const { ada, bob, forget, count } = await connect('modern')
    for (const client of [ada, ada, bob, bob]) await client.callTool('look')
    expect(count('tools/list')).toBe(2)
    await forget()
    await bob.callTool('look')
    expect(count('tools/list')).toBe(2)
    await ada.callTool('look')
    expect(count('tools/list')).toBe(3)
  })

  it('the schemas that its results are held against are read anew', async () => {
    const { ada, bob, forget, count } = await connect('legacy', { validate: 'results' })
    for (const client of [ada, ada, bob, bob]) await client.callTool('look')
    expect(count('tools/list')).toBe(2)
    await forget()
    await bob.callTool('look')
    expect(count('tools/list')).toBe(2)
    await ada.callTool('look')
    expect(count('tools/list')).toBe(3)
  })

  it('which of its tools may be repeated is not known any more', async () => {
    const { ada, forget, count, ...source } = await connect('legacy', { client: { repeatSafeTools: true } })
    await ada.listTools()
    source.break()
    expect((await ada.callTool('look')).content).toMatchObject([{ text: 'seen' }])
    expect(count('tools/call')).toBe(2)
    await forget()
    source.break()
    await expect(ada.callTool('look')).rejects.toMatchObject({ data: { mcpwire: { id: 'G014' } } })
    expect(count('tools/call')).toBe(3)
  })
})
