// Limits that count over all nodes of a server.
import { describe, expect, test } from 'vitest'
import { memory } from '../../src/backend/memory/memory.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { Middleware } from '../../src/server/handlers.ts'
import { type LimitRateOptions, limitRate } from '../../src/server/middleware/limit-rate.ts'
import { type NodeParts, RawClient, startCluster, type TestCluster } from './cluster.ts'

/** Ten calls, and then none for an hour. */
const TEN: LimitRateOptions = { perSecond: 1 / 3600, burst: 10 }

function createServer(...middleware: Middleware[]) {
  return ({ backend, onFault }: NodeParts): MCPServer => {
    const server = new MCPServer('limits', { backend, onFault, middleware })
    server.tool('hello', () => 'hello')
    server.tool('other', () => 'other')
    return server
  }
}

/** How many of so many calls, one after the other at each node in turn, were served. */
async function countServed(client: RawClient, calls = 30, tool = 'hello'): Promise<number> {
  let served = 0
  for (let call = 0; call < calls; call += 1) {
    const response = (await (await client.tool(call % 3, tool)).json()) as { result?: unknown; error?: unknown }
    if (response.result !== undefined) served += 1
    else expect(response.error).toMatchObject({ code: 429, data: { retryAfterMs: expect.any(Number) } })
  }
  return served
}

function takes({ backend }: TestCluster): number {
  return backend.trips.filter((trip) => trip.startsWith('limits.take')).length
}

describe('limitRate on three nodes', () => {
  test('counts the calls of a caller over all nodes, by the backend of the server', async () => {
    const cluster = await startCluster(createServer(limitRate(TEN)))
    const anna = await RawClient.open(cluster, 0, { user: 'anna' })
    const berta = await RawClient.open(cluster, 1, { user: 'berta' })
    expect(await countServed(anna)).toBe(10)
    expect(await countServed(berta)).toBe(10)
    expect(await countServed(anna, 12, 'other')).toBe(10)
    expect(cluster.backend.trips.join()).not.toContain('anna')
  })

  test('a caller without a name is its session, on whatever node; sessions do not share a limit', async () => {
    const cluster = await startCluster(createServer(limitRate(TEN)))
    const clients = await Promise.all([0, 1, 2].map((node) => RawClient.open(cluster, node)))
    for (const client of clients) expect(await countServed(client, 15)).toBe(10)
  })

  test('two limits with other settings count apart, and the stricter one holds', async () => {
    const cluster = await startCluster(createServer(limitRate(TEN), limitRate({ ...TEN, burst: 4 })))
    expect(await countServed(await RawClient.open(cluster, 0), 15)).toBe(4)
  })

  test('counts in the store that is given, and with false in each process', async () => {
    const { limits } = memory()
    const given = await startCluster(createServer(limitRate({ ...TEN, store: limits })))
    expect(await countServed(await RawClient.open(given, 0))).toBe(10)
    expect(takes(given)).toBe(0)
    // Each node has a bucket of its own: of 45 calls at three nodes, 30.
    const servers = Array.from({ length: 3 }, () => limitRate({ ...TEN, store: false }))
    const local = await startCluster((parts) => createServer(servers[parts.index] as Middleware)(parts))
    expect(await countServed(await RawClient.open(local, 0), 45)).toBe(30)
    expect(takes(local)).toBe(0)
  })

  test.each([
    ['local', 30],
    ['refuse', 0],
    ['allow', 45],
  ] as const)(
    'D031: while the engine is away, onUnavailable: %s serves %i of 45 calls, and reports it once',
    async (onUnavailable, served) => {
      const limiters = Array.from({ length: 3 }, () => limitRate({ ...TEN, onUnavailable }))
      const cluster = await startCluster((parts) => createServer(limiters[parts.index] as Middleware)(parts))
      const client = await RawClient.open(cluster, 0)
      cluster.backend.failing = 'limits.take'
      expect(await countServed(client, 45)).toBe(served)
      expect(cluster.faults.filter(({ message }) => message.includes('limit could not be counted'))).toHaveLength(1)
      cluster.backend.failing = undefined
      // Nothing was taken meanwhile.
      expect(await countServed(client, 12)).toBe(10)
    },
  )

  test('D031: the default is local', async () => {
    const limiters = Array.from({ length: 3 }, () => limitRate(TEN))
    const cluster = await startCluster((parts) => createServer(limiters[parts.index] as Middleware)(parts))
    const client = await RawClient.open(cluster, 0)
    cluster.backend.failing = 'limits.take'
    expect(await countServed(client, 45)).toBe(30)
  })

  test('rejects another policy', () => {
    expect(() => limitRate({ ...TEN, onUnavailable: 'maybe' as never })).toThrow("'local', 'refuse' or 'allow'")
  })
})
