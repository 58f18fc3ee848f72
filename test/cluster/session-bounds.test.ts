// What one session may make all nodes keep: watched resources, and the events of its streams.
import { describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { SessionOptions } from '../../src/server/http/legacy/legacy-options.ts'
import { type NodeParts, RawClient, StreamReader, startCluster, type TestCluster } from './cluster.ts'

/** 32 of them are all that fits. */
const URI_BYTES = 8_192

function createServer({ backend, onFault }: NodeParts): MCPServer {
  const server = new MCPServer('bounds', { backend, onFault, logging: true, subscriptions: true })
  server.resource('big://{name}', ({ name }) => `${name}`)
  server.tool('say', async (_, ctx) => {
    await ctx.log.info('one')
    await ctx.session.sendToolListChanged()
    return 'said'
  })
  return server
}

function start(sessions: SessionOptions = {}): Promise<TestCluster> {
  return startCluster(createServer, { handler: { sessions } })
}

function uriOf(index: number): string {
  return `big://${index}-`.padEnd(URI_BYTES, 'x')
}

async function subscribeAll(client: RawClient, uris: readonly string[]): Promise<{ uri: string; error?: unknown }[]> {
  return Promise.all(
    uris.map(async (uri, index) => {
      const response = await client.request(index % 2, 'resources/subscribe', { uri })
      return { uri, ...((await response.json()) as { error?: unknown }) }
    }),
  )
}

describe('resources/subscribe over two nodes at once', () => {
  test('is refused beyond what fits, and what was answered as done is in the session', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    const uris = Array.from({ length: 40 }, (_, index) => uriOf(index))
    const results = [
      ...(await subscribeAll(client, uris.slice(0, 20))),
      ...(await subscribeAll(client, uris.slice(20))),
    ]
    const refused = results.filter(({ error }) => error !== undefined)
    expect(refused.length).toBe(8)
    expect(refused[0]?.error).toMatchObject({ code: -32602, message: expect.stringContaining('bytes of watched uris') })
    const [key = ''] = cluster.backend.keys().filter((name) => name.startsWith('s.'))
    const { watched } = JSON.parse(cluster.backend.peek(key)?.value ?? '{}') as { watched: string[] }
    const taken = results.filter(({ error }) => error === undefined).map(({ uri }) => uri)
    expect(watched.toSorted()).toEqual(taken.toSorted())
    expect(cluster.faults.map(({ message }) => message)).not.toContain(
      'A watched resource was left out of a restored session',
    )
  })

  test('succeeds each time while the engine is well', async () => {
    const cluster = await start()
    const client = await RawClient.open(cluster, 0)
    const results = await subscribeAll(
      client,
      Array.from({ length: 60 }, (_, index) => `big://${index}`),
    )
    expect(results.filter(({ error }) => error !== undefined)).toEqual([])
  })
})

describe('DELETE of a session', () => {
  test('F124: frees the events of its streams, on every node that wrote them, and its own stream', async () => {
    const cluster = await start()
    const { logs } = cluster.backend
    const [appended, posted] = [vi.spyOn(logs, 'append'), vi.spyOn(logs, 'post')]
    const client = await RawClient.open(cluster, 0)
    for (const node of [0, 1]) {
      const stream = new StreamReader(await client.tool(node, 'say'))
      while ((await stream.next()) !== undefined);
    }
    const stored = new Set([...appended.mock.calls, ...posted.mock.calls].map(([log]) => log))
    expect(stored.size).toBe(3)
    expect((await client.delete(2)).status).toBe(204)
    await vi.waitFor(async () => {
      for (const log of stored) expect(await logs.read(log, 0, { fromOldest: true })).toBeUndefined()
    })
  })
})

describe('a caller with too many sessions', () => {
  test('hears that it is the caller who has them', async () => {
    const cluster = await start({ maxPerPrincipal: 1 })
    await RawClient.open(cluster, 0, { user: 'alice' })
    const refused = await new RawClient(cluster, { user: 'alice' }).initialize(1)
    expect(refused.status).toBe(503)
    expect(await refused.text()).toContain('You have as many sessions open as one caller may have.')
  })
})
