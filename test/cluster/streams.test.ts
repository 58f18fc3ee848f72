// Event streams of sessions that any node serves: begun on one node, resumed on another.
import { describe, expect, test, vi } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred, type Deferred } from '../../src/primitives/async/promises.ts'
import type { HandlerOptions } from '../../src/server/http/handler-options.ts'
import { MemoryEventStore } from '../../src/server/http/streams/event-store.ts'
import { connectClient, type NodeParts, RawClient, StreamReader, startCluster } from './cluster.ts'

async function start(handler: HandlerOptions = {}) {
  const gates: Deferred<void>[] = []
  const createServer = ({ backend, onFault, index }: NodeParts) => {
    const server = new MCPServer('streams', { backend, onFault, logging: true })
    server.tool('work', async (_, ctx) => {
      await ctx.log.info('one')
      await ctx.log.info('two')
      const gate = createDeferred()
      gates.push(gate)
      await gate.promise
      await ctx.log.info('three')
      return `from node ${index}`
    })
    server.tool('wait', async () => {
      const gate = createDeferred()
      gates.push(gate)
      await gate.promise
      return `waited on node ${index}`
    })
    server.tool('poll', async (_, ctx) => {
      ctx.http?.closeStream()
      await ctx.log.info('while away')
      return `polled on node ${index}`
    })
    server.tool('tell', async (_, ctx) => {
      await ctx.session.sendToolListChanged()
      return 'told'
    })
    server.tool('ask', async (_, ctx) => {
      const { roots } = await ctx.session.listRoots({ related: false })
      return `${index}: ${roots.map(({ uri }) => uri).join()}`
    })
    return server
  }
  const cluster = await startCluster(createServer, { handler })
  return { cluster, gates }
}

const dataOf = (message: unknown) => (message as { params: { data: unknown } } | undefined)?.params.data
const answerOf = (text: string) => ({ result: { content: [{ type: 'text', text }] } })
const changed = { method: 'notifications/tools/list_changed' }

describe('the stream of a call', () => {
  test('is resumed on another node: what was missed, what follows, each message once', async () => {
    const { cluster, gates } = await start()
    const client = await RawClient.open(cluster, 0)
    const first = new StreamReader(await client.tool(0, 'work'))
    expect(dataOf(await first.next())).toBe('one')
    const id = first.lastEventId
    expect(dataOf(await first.next())).toBe('two')
    await first.cancel()

    const second = new StreamReader(await client.get(1, id))
    expect(dataOf(await second.next())).toBe('two')
    gates[0]?.resolve()
    expect(dataOf(await second.next())).toBe('three')
    expect(await second.next()).toMatchObject(answerOf('from node 0'))
    expect(await second.next()).toBeUndefined()

    // After its end as well, and on a third node.
    const third = new StreamReader(await client.get(2, id))
    expect(dataOf(await third.next())).toBe('two')
  })

  test('needs the session: the id of an event alone resumes nothing', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.tool(0, 'work'))
    await stream.next()
    const stranger = await RawClient.open(cluster, 1)
    for (const node of [0, 1, 2]) expect((await stranger.get(node, stream.lastEventId)).status).toBe(400)
    await stream.cancel()
  })

  test('costs nothing in the engine as long as nothing was sent, and nothing at all as JSON', async () => {
    const { cluster, gates } = await start({ streamAfterMs: 1 })
    const appended: string[] = []
    const { logs } = cluster.backend
    const append = logs.append.bind(logs)
    vi.spyOn(logs, 'append').mockImplementation((log, entry, options) => {
      appended.push(entry.data)
      return append(log, entry, options)
    })
    const client = await RawClient.open(cluster, 0)
    expect((await client.tool(1, 'tell')).headers.get('content-type')).toBe('application/json')
    const stream = new StreamReader(await client.tool(0, 'wait'))
    expect(appended).toEqual([])
    gates[0]?.resolve()
    expect(await stream.next()).toMatchObject(answerOf('waited on node 0'))
    expect(appended).toHaveLength(1)
  })

  test('is followed by our own client from node to node', async () => {
    const { cluster } = await start({ retryMs: 1 })
    const logs: unknown[] = []
    const client = await connectClient(cluster.fetch, { onLog: ({ data }) => void logs.push(data) })
    for (let i = 0; i < 12; i++) {
      const { content } = await client.callTool('poll')
      expect(content).toMatchObject([{ text: expect.stringMatching(/^polled on node \d$/) }])
    }
    expect(logs).toHaveLength(12)
    expect(cluster.faults).toEqual([])
  })

  test('D048 (memory): a node that closes answers its calls with an error, which another node brings', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0)
    const first = new StreamReader(await client.tool(0, 'work'))
    await first.next()
    const id = first.lastEventId
    await cluster.nodes[0]?.handler.close({ drainMs: 0 })
    const second = new StreamReader(await client.get(1, id))
    expect(dataOf(await second.next())).toBe('two')
    expect(await second.next()).toMatchObject({
      id: 1,
      error: { code: -32603, message: 'The connection is closing' },
    })
    expect(await second.next()).toBeUndefined()
  })

  test('stays on its node where an event store is given', async () => {
    const { cluster } = await start({ eventStore: new MemoryEventStore() })
    const client = await RawClient.open(cluster, 0)
    const first = new StreamReader(await client.tool(0, 'work'))
    await first.next()
    expect((await client.get(1, first.lastEventId)).status).toBe(400)
    const second = new StreamReader(await client.get(0, first.lastEventId))
    expect(dataOf(await second.next())).toBe('two')
    await second.cancel()
  })
})

describe('the stream of a session', () => {
  test('brings what any node sends, and a second one is refused on every node (D022)', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.get(2))
    for (const node of [0, 1, 2]) {
      expect((await client.tool(node, 'tell')).status).toBe(200)
      expect(await stream.next()).toMatchObject(changed)
    }
    for (const node of [0, 1, 2]) expect((await client.get(node)).status).toBe(409)
    await stream.cancel()
  })

  test('is taken over by a client that resumes it on another node (D023), and left to it', async () => {
    const { cluster } = await start()
    const client = await RawClient.open(cluster, 0)
    const first = new StreamReader(await client.get(2))
    await client.tool(0, 'tell')
    await first.next()
    const second = new StreamReader(await client.get(1, first.lastEventId))
    expect(await first.next()).toBeUndefined()
    await client.tool(2, 'tell')
    expect(await second.next()).toMatchObject(changed)
    expect((await client.get(0)).status).toBe(409)
    await second.cancel()
    // What was sent meanwhile waits for the next connection.
    await client.tool(1, 'tell')
    const third = new StreamReader(await client.get(0))
    expect(await third.next()).toMatchObject(changed)
    await third.cancel()
  })

  test('brings questions of a node that does not hold it, and the answer finds its way back', async () => {
    const { cluster } = await start()
    const client = await connectClient(cluster.fetch, { onListRoots: () => ({ roots: [{ uri: 'file:///a' }] }) })
    const seen = new Set<string>()
    for (let i = 0; i < 30; i++) {
      const { content } = await client.callTool('ask')
      const { text = '' } = content[0] as { text?: string }
      expect(text).toMatch(/^\d: file:\/\/\/a$/)
      seen.add(text)
    }
    expect(seen.size).toBe(3)
    expect(cluster.faults).toEqual([])
  })

  test('is resumed although streams of calls are not stored', async () => {
    const { cluster } = await start({ eventStore: false })
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.get(2))
    await client.tool(0, 'tell')
    await stream.next()
    const again = new StreamReader(await client.get(1, stream.lastEventId))
    await client.tool(0, 'tell')
    expect(await again.next()).toMatchObject(changed)
    await again.cancel()
  })
})
