// Lists that a source lets its clients keep are asked for once, and shown only to whom the source says.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createGateway, createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'

afterEach(() => void vi.useRealTimers())

function source(scope?: 'public' | 'private', ttlMs = 8_000) {
  const asked: string[] = []
  const server = new MCPServer('source', {
    ...(scope !== undefined && { cacheHints: { 'tools/list': { ttlMs, scope } } }),
  })
  server.tool('one', () => '1')
  server.use((ctx, next) => {
    asked.push(ctx.method)
    return next()
  })
  return { server, listed: () => asked.filter((method) => method === 'tools/list').length }
}

const connect = (server: Parameters<typeof Client.connect>[0]) =>
  Client.connect(server, { mode: 'modern', cache: false })

/** What `tools/list` answers, as it is sent. */
async function page(client: Client) {
  const { tools, ttlMs } = (await client.listTools()) as unknown as { tools: { name: string }[]; ttlMs?: number }
  return { names: tools.map(({ name }) => name), ttlMs }
}

describe('listings of a proxy', () => {
  it('compose X44 a list is asked for once while the source lets it be kept, and says how long that still is', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { server, listed } = source('public')
    await using proxy = createProxy(server)
    await using client = await connect(proxy)
    expect(await page(client)).toEqual({ names: ['one'], ttlMs: 8_000 })
    vi.advanceTimersByTime(500)
    expect(await page(client)).toEqual({ names: ['one'], ttlMs: 7_000 })
    vi.advanceTimersByTime(6_000)
    expect(await page(client)).toEqual({ names: ['one'], ttlMs: 1_000 })
    expect(listed()).toBe(1)
    vi.advanceTimersByTime(1_000)
    expect(await page(client)).toEqual({ names: ['one'], ttlMs: 8_000 })
    expect(listed()).toBe(2)
  })

  it('compose X44 without a time every list is asked for', async () => {
    const { server, listed } = source()
    await using proxy = createProxy(server)
    await using client = await connect(proxy)
    await page(client)
    await page(client)
    expect(listed()).toBe(2)
  })

  it('compose X44 a private list is that of one caller; a public one of all', async () => {
    for (const [scope, expected] of [
      ['private', 2],
      ['public', 1],
    ] as const) {
      const { server, listed } = source(scope)
      await using proxy = createProxy(server)
      await using one = await connect(proxy)
      await using other = await connect(proxy)
      await page(one)
      await page(other)
      await page(one)
      expect([scope, listed()]).toEqual([scope, expected])
    }
  })

  it('compose X44 a change that the source tells of ends what is kept', async () => {
    const { server, listed } = source('public')
    await using proxy = createProxy(server)
    await using client = await connect(proxy)
    await using stream = await client.listen({ toolsListChanged: true })
    await page(client)
    server.tool('two', () => '2')
    for await (const event of stream) {
      expect(event.type).toBe('toolsListChanged')
      break
    }
    expect((await page(client)).names).toEqual(['one', 'two'])
    expect(listed()).toBe(2)
  })

  it('compose X44 legacy sources say no time: cache.listMs does', async () => {
    const { server, listed } = source()
    const options: ProxyOptions = { mode: 'legacy', cache: { listMs: 60_000 } }
    await using proxy = createProxy(server, options)
    await using client = await connect(proxy)
    expect((await page(client)).ttlMs).toBe(60_000)
    expect((await page(client)).ttlMs).toBe(52_500)
    expect(listed()).toBe(1)
  })

  it('compose X44 compose X24 a gateway asks each source once', async () => {
    const [a, b] = [source('public'), source('public')]
    await using gateway = createGateway({ a: a.server, b: b.server })
    await using client = await connect(gateway)
    for (let n = 0; n < 3; n++) expect((await page(client)).names).toEqual(['a_one', 'b_one'])
    expect([a.listed(), b.listed()]).toEqual([1, 1])
    expect((await client.callTool('b_one')).content).toMatchObject([{ text: '1' }])
  })
})
