// limitConcurrency() over all nodes of a server: places, leases, waiting, and an engine that is away.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { type LimitConcurrencyOptions, limitConcurrency } from '../../src/server/middleware/limit-concurrency.ts'
import { type NodeParts, RawClient, startCluster } from './cluster.ts'
import { faultyBackend } from './faulty-backend.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Three nodes with a tool `work` that ends when the test says so. Each node has a middleware of its own, as each process has. */
async function startNodes(options: LimitConcurrencyOptions) {
  const clock = { time: 1_000_000, now: () => clock.time }
  const started: number[] = []
  const ends: (() => void)[] = []
  const create = ({ backend, onFault, index }: NodeParts): MCPServer => {
    const server = new MCPServer('limits', { backend, onFault, middleware: [limitConcurrency(options)] })
    server.tool('work', async () => {
      const end = createDeferred()
      started.push(index)
      ends.push(end.resolve)
      await end.promise
      return `done at ${index}`
    })
    return server
  }
  const cluster = await startCluster(create, { backend: faultyBackend({ clock }) })
  const client = await RawClient.open(cluster, 0)
  const call = async (node: number): Promise<string | number> => {
    const body = (await (await client.tool(node, 'work')).json()) as {
      result?: { content: { text: string }[] }
      error?: { code: number }
    }
    return body.error?.code ?? body.result?.content[0]?.text ?? 'nothing'
  }
  const untilStarted = (count: number) => vi.waitFor(() => expect(started).toHaveLength(count))
  const end = (index: number) => ends[index]?.()
  const tripsOf = (operation: string) => cluster.backend.trips.filter((trip) => trip.startsWith(`${operation} `))
  return { cluster, clock, started, call, untilStarted, end, tripsOf }
}

describe('limitConcurrency on three nodes', () => {
  test('lets max requests run over all nodes, and the next one when a place is free', async () => {
    const { call, untilStarted, end, tripsOf, cluster } = await startNodes({ max: 2 })
    const first = call(0)
    const second = call(1)
    await untilStarted(2)
    expect(await call(2)).toBe(503)
    expect(await call(0)).toBe(503)
    end(0)
    expect(await first).toBe('done at 0')
    const third = call(2)
    await untilStarted(3)
    end(1)
    end(2)
    expect(await Promise.all([second, third])).toEqual(['done at 1', 'done at 2'])
    await vi.waitFor(() => expect(tripsOf('limits.release')).toHaveLength(3))
    expect(cluster.backend.trips.join()).not.toContain('work')
  })

  test('a request that waits gets the place that another node frees', async () => {
    const { call, untilStarted, end, started } = await startNodes({ max: 1, maxWaiting: 1 })
    const first = call(0)
    await untilStarted(1)
    const waiting = call(1)
    const waitingHere = call(0)
    await vi.waitFor(async () => expect(await Promise.all([call(0), call(1)])).toEqual([503, 503]))
    expect(started).toEqual([0])
    end(0)
    await first
    await untilStarted(2)
    end(1)
    await untilStarted(3)
    end(2)
    expect(new Set(await Promise.all([waiting, waitingHere]))).toEqual(new Set(['done at 0', 'done at 1']))
  })

  test('store: false counts in each process', async () => {
    const { call, untilStarted, end, tripsOf } = await startNodes({ max: 1, store: false })
    const calls = [call(0), call(1), call(2)]
    await untilStarted(3)
    expect(await call(0)).toBe(503)
    for (const index of [0, 1, 2]) end(index)
    expect(await Promise.all(calls)).toEqual(['done at 0', 'done at 1', 'done at 2'])
    expect(tripsOf('limits.hold')).toEqual([])
  })

  test('the place of a process that was lost is free after 15 s', async () => {
    const { call, untilStarted, end, tripsOf, clock, cluster } = await startNodes({ max: 1 })
    const first = call(0)
    await untilStarted(1)
    end(0)
    await first
    await vi.waitFor(() => expect(tripsOf('limits.release')).toHaveLength(1))
    const [key = ''] = tripsOf('limits.hold').map((trip) => trip.split(' ')[1])
    // A process takes the place, and is killed.
    expect(await cluster.backend.limits.hold(key, 'lost', { max: 1, ttlMs: 15_000 })).toBe(true)
    expect(await call(1)).toBe(503)
    clock.time += 15_000
    const next = call(1)
    await untilStarted(2)
    end(1)
    expect(await next).toBe('done at 1')
  })

  test('a request that takes long keeps its place, because its node renews the lease', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { call, untilStarted, end, clock, tripsOf } = await startNodes({ max: 1 })
    const first = call(0)
    await untilStarted(1)
    for (let renewals = 1; renewals <= 6; renewals += 1) {
      clock.time += 5_000
      vi.advanceTimersByTime(5_000)
      await vi.waitFor(() => expect(tripsOf('limits.hold')).toHaveLength(1 + renewals))
    }
    expect(await call(1)).toBe(503)
    end(0)
    expect(await first).toBe('done at 0')
  })

  test('a cancelled request waits no longer', async () => {
    const { cluster, call, untilStarted, end } = await startNodes({ max: 1, maxWaiting: 1 })
    const first = call(0)
    await untilStarted(1)
    const client = await RawClient.open(cluster, 0)
    const cancelled = client.tool(1, 'work', {}, 'slow')
    await vi.waitFor(async () => expect(await call(1)).toBe(503))
    await client.post(1, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
    await cancelled
    const next = call(1)
    end(0)
    await first
    await untilStarted(2)
    end(1)
    expect(await next).toBe('done at 1')
  })

  test.each([
    ['local', 1],
    ['refuse', 0],
    ['allow', 3],
  ] as const)(
    'D031: while the engine is away, onUnavailable: %s lets %i of 3 requests run in a process, and reports it once',
    async (onUnavailable, running) => {
      const { call, untilStarted, end, started, cluster } = await startNodes({ max: 1, onUnavailable })
      cluster.backend.failing = 'limits.hold'
      const calls: Promise<string | number>[] = []
      for (let i = 0; i < 3; i += 1) {
        const calling = call(0)
        calls.push(calling)
        await Promise.race([calling, untilStarted(i + 1)])
      }
      expect(started).toHaveLength(running)
      for (let index = 0; index < running; index += 1) end(index)
      const outcomes = await Promise.all(calls)
      expect(outcomes.filter((outcome) => outcome === 503)).toHaveLength(3 - running)
      expect(cluster.faults.filter(({ message }) => message.includes('limit could not be counted'))).toHaveLength(1)
      cluster.backend.failing = undefined
      const after = call(1)
      await untilStarted(running + 1)
      expect(await call(2)).toBe(503)
      end(running)
      expect(await after).toBe('done at 1')
    },
  )

  test('rejects another policy', () => {
    expect(() => limitConcurrency({ max: 1, onUnavailable: 'maybe' as never })).toThrow("'local', 'refuse' or 'allow'")
  })
})
