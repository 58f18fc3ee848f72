// All nodes are replaced one after the other while clients of both eras call, stream and listen: none of them notices.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { isFull } from '../engines/full.ts'
import { startRedis } from '../engines/redis.ts'
import { type Balancer, endNodes, type NodeProcess, startBalancer, startNodes } from './processes.ts'

const PROGRAM = `
import { MCPServer } from './src/mcpserver/mcpserver.ts'
import { serveHttp } from './src/node/http/serve-http.ts'
import { redis } from './src/redis/redis.ts'

const server = new MCPServer('rolling', { backend: redis(process.env.BACKEND_URL), onFault: () => {} })
server.tool('where', () => String(process.pid))
server.tool('count', async (_, ctx) => String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))))
server.tool('steps', async (_, ctx) => {
  for (let i = 1; i <= 5; i += 1) {
    await ctx.reportProgress(i, 5)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return 'five'
})
for (const name of ['probe', 'one', 'two', 'three', 'last']) {
  server.resource('note://' + name, () => 'a note')
  server.tool('touch-' + name, () => server.notifyResourceUpdated('note://' + name).then(() => 'done'))
}
const { url } = await serveHttp(server, { port: 0, handleSignals: true, drainDelayMs: 0, drainMs: 30_000 })
console.log('listening ' + new URL(url).port)
`

const PROBE = 'note://probe'
const LAST = 'note://last'
const WATCHED = ['note://one', 'note://two', 'note://three']

interface Load {
  readonly failures: unknown[]
  calls: number
  isOver: boolean
}

/** Calls one after the other, until the load is over. */
async function callOn(load: Load, call: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 1; !load.isOver; nth += 1) {
    try {
      await call(nth)
      load.calls += 1
    } catch (error) {
      load.failures.push(error)
    }
  }
}

async function textFrom(client: Client, tool: string, args = {}, options = {}): Promise<string> {
  const { content } = await client.callTool(tool, args, options)
  return (content[0] as { text: string }).text
}

function touch(client: Client, uri: string): Promise<string> {
  return textFrom(client, `touch-${uri.slice('note://'.length)}`)
}

describeEngine('Redis', 'three processes that are restarted one after the other', () => {
  const engine = useEngine(() => startRedis({ appendOnly: true }))
  let nodes: NodeProcess[] = []
  let balancer: Balancer
  const env = () => ({ BACKEND_URL: engine().url })

  beforeAll(async () => {
    nodes = await startNodes('rolling-restart', PROGRAM, 3, env())
    balancer = await startBalancer(nodes)
  })
  afterAll(async () => {
    await endNodes(nodes)
    await balancer.close()
  })

  /** As an orchestrator does: out of the balancer, SIGTERM, and a new one in its place. */
  async function replace(index: number): Promise<void> {
    balancer.leftOut.add(index)
    await expect.poll(() => balancer.unanswered[index], { timeout: 30_000, interval: 5 }).toBe(0)
    const before = nodes[index]!
    before.child.process.kill('SIGTERM')
    await before.child.ended
    const [after] = await startNodes('rolling-restart', PROGRAM, 1, env())
    nodes[index] = after!
    balancer.leftOut.delete(index)
  }

  test(`D047 (redis): rolling restart of ${isFull ? 'all nodes' : 'a node'} under load in both eras: no call fails, none is done twice, and one node has the stream`, async () => {
    const load: Load = { failures: [], calls: 0, isOver: false }
    onTestFinished(() => {
      load.isOver = true
    })
    await using legacy = await Client.connect(streamableHttp(balancer.url), { mode: 'legacy' })
    await using modern = await Client.connect(streamableHttp(balancer.url), { mode: 'modern' })
    const loops = [
      callOn(load, async (nth) => expect(await textFrom(legacy, 'count')).toBe(String(nth))),
      callOn(load, async () => void (await textFrom(modern, 'where'))),
      ...[legacy, modern].map((client) =>
        callOn(load, async () => {
          const steps: number[] = []
          const onProgress = ({ progress }: { progress: number }) => void steps.push(progress)
          expect(await textFrom(client, 'steps', {}, { onProgress })).toBe('five')
          expect(steps).toEqual([1, 2, 3, 4, 5])
        }),
      ),
    ]
    const heard = await Promise.all([hear(legacy), hear(modern)])
    for (const index of isFull ? [0, 1, 2] : [1]) await replace(index)
    // Until every node is in use again.
    const served = balancer.served.slice()
    await expect.poll(() => balancer.served.every((count, i) => count > served[i]!), { timeout: 30_000 }).toBe(true)
    load.isOver = true
    await Promise.all(loops)
    expect(load.failures).toEqual([])
    expect(load.calls).toBeGreaterThan(20)
    for (const [index, client] of [legacy, modern].entries()) {
      const ours = heard[index]!
      // Both listen again, wherever their streams were.
      await expect.poll(() => touch(client, PROBE).then(() => ours.includes(PROBE)), { timeout: 30_000 }).toBe(true)
      const subscription = await client.listen({ resourceSubscriptions: [...WATCHED, LAST] })
      for (const uri of [...WATCHED, LAST]) await touch(client, uri)
      const uris: string[] = []
      // Changes of different nodes have no order.
      for await (const event of subscription) {
        if (event.type === 'resourceUpdated' && event.uri !== PROBE) uris.push(event.uri)
        if (new Set(uris).size > WATCHED.length) break
      }
      expect(uris.toSorted()).toEqual([...WATCHED, LAST].toSorted())
    }
  }, 120_000)

  /** The uris of the changes of the probe that a client hears of. */
  async function hear(client: Client): Promise<string[]> {
    const heard: string[] = []
    const subscription = await client.listen({ resourceSubscriptions: [PROBE] })
    void (async () => {
      for await (const event of subscription)
        if (event.type === 'resourceUpdated' && !event.isPresumed) heard.push(event.uri)
    })()
    return heard
  }
})
