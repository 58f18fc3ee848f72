// A node that closes: its streams end one after the other, and its clients go on at the other nodes.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { ENDPOINT, type NodeParts, RawClient, StreamReader, startCluster, type TestCluster, textOf } from './cluster.ts'

function start(wait: Promise<void> = Promise.resolve()): Promise<TestCluster> {
  return startCluster(({ backend, onFault, index }: NodeParts) => {
    const server = new MCPServer('drain', { backend, onFault, subscriptions: true })
    server.tool('where', () => `node ${index}`)
    server.tool('wait', () => wait.then(() => `node ${index}`))
    return server
  })
}

/** Counts the streams of a node that have ended, and reads what each one said last. */
async function openStreams(cluster: TestCluster, count: number) {
  const ended = { count: 0 }
  const streams = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = await RawClient.open(cluster, 0)
      const response = await client.get(0)
      const last = response.text().then((text) => {
        ended.count += 1
        return text
      })
      return { client, last }
    }),
  )
  return { ended, streams }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('GET streams of a node that closes', () => {
  test('end one after the other, with different times to come back, and go on at another node', async () => {
    const cluster = await start()
    const { ended, streams } = await openStreams(cluster, 60)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const closing = cluster.nodes[0]!.handler.close({ drainMs: 60_000 })
    const counts: number[] = []
    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(150)
      counts.push(ended.count)
    }
    // 10 ms apart, in steps of 50 ms.
    expect(counts).toEqual([20, 35, 50, 60])
    await closing
    vi.useRealTimers()
    const texts = await Promise.all(streams.map(({ last }) => last))
    const lastOf = (text: string, field: RegExp) => [...text.matchAll(field)].at(-1)?.[1]
    const retries = texts.map((text) => Number(lastOf(text, /^retry: ?(\d+)$/gm)))
    for (const ms of retries) expect(ms >= 100 && ms <= 2_000).toBe(true)
    expect(new Set(retries).size).toBeGreaterThan(20)
    const [first] = streams
    const resumed = new StreamReader(await first!.client.get(1, lastOf(texts[0]!, /^id: ?(\S+)$/gm)))
    await cluster.nodes[2]!.server.server.announce({ type: 'toolsListChanged' })
    expect(await resumed.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    await resumed.cancel()
  })

  test('take at most half of the time to drain, and no time where the node closes at once', async () => {
    const cluster = await start()
    const { ended } = await openStreams(cluster, 60)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    void cluster.nodes[0]!.handler.close({ drainMs: 400 })
    await vi.advanceTimersByTimeAsync(200)
    expect(ended.count).toBe(60)
    vi.useRealTimers()
    const other = await start()
    const { streams } = await openStreams(other, 50)
    void other.nodes[0]!.handler.close({ drainMs: 600_000 })
    await other.nodes[0]!.handler.close({ drainMs: 0 })
    await Promise.all(streams.map(({ last }) => last))
  })

  test('a call that runs meanwhile finishes, and a new stream is refused with 503, not 404', async () => {
    const gate = createDeferred<void>()
    const cluster = await start(gate.promise)
    const client = await RawClient.open(cluster, 0)
    const calling = client.tool(0, 'wait')
    await client.tool(1, 'where')
    const closing = cluster.nodes[0]!.handler.close({ drainMs: 600_000 })
    const refused = await client.get(0)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    gate.resolve()
    expect(await textOf(await calling)).toBe('node 0')
    await closing
    expect(await textOf(await client.tool(2, 'where'))).toBe('node 2')
  })
})

test('a modern subscription of a node that closes goes on at another node, and hears of what it may have missed', async () => {
  const cluster = await start()
  const open = [0, 1, 2]
  let requests = 0
  const fetch: typeof globalThis.fetch = (input, init) => {
    requests += 1
    return cluster.nodes[open[requests % open.length]!]!.fetch(new Request(input, init))
  }
  await using client = await Client.connect(streamableHttp(ENDPOINT, { fetch }), { mode: 'modern' })
  const subscriptions = await Promise.all([1, 2, 3].map(() => client.listen({ toolsListChanged: true })))
  open.splice(0, 1)
  await cluster.nodes[0]!.handler.close({ drainMs: 5_000 })
  const heard = subscriptions.map((subscription) => {
    const events: unknown[] = []
    void (async () => {
      for await (const event of subscription) events.push(event)
    })()
    return events
  })
  // The one at the node that has closed was opened again.
  await expect.poll(() => heard.flat()).toEqual([{ type: 'toolsListChanged', isPresumed: true }])
  await cluster.nodes[1]!.server.server.announce({ type: 'toolsListChanged' })
  await expect
    .poll(() => heard.map((events) => events.at(-1)))
    .toEqual([{ type: 'toolsListChanged' }, { type: 'toolsListChanged' }, { type: 'toolsListChanged' }])
})
