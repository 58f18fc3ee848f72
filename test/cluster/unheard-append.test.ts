// An event that the engine has stored, although the node that sent it never heard so: its client gets it once.
import { expect, onTestFinished, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { nats } from '../../src/nats/nats.ts'
import { postgres } from '../../src/postgres/postgres.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { redis } from '../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { FaultyProxy } from '../engines/faulty-proxy.ts'
import { startNatsProxy } from '../engines/nats/clients.ts'
import { startNats } from '../engines/nats.ts'
import { freshDatabase, SOCKET, socketOf } from '../engines/postgres/clients.ts'
import { startRedis } from '../engines/redis.ts'
import { RawClient, StreamReader, startCluster } from './cluster.ts'

const REFUSED = 'Cannot resume: the event is unknown, or later events are no longer stored.'

interface Ways {
  readonly proxy: FaultyProxy
  /** Of the node that the proxy cuts off. */
  readonly behindProxy: Backend
  readonly direct: Backend
}

/** The first node sends an event whose storing it never hears of, and can then neither reach the engine nor any node. */
async function expectHeardOnce({ proxy, behindProxy, direct }: Ways): Promise<void> {
  onTestFinished(() => proxy.close())
  const [heard, end] = [createDeferred(), createDeferred()]
  const cluster = await startCluster(
    ({ onFault, index }) => {
      const server = new MCPServer('unheard', { backend: index === 0 ? behindProxy : direct, onFault, logging: true })
      server.tool('work', async (_, ctx) => {
        await ctx.log.info('first')
        await heard.promise
        await ctx.log.info('second')
        await end.promise
        return 'done'
      })
      return server
    },
    { size: 2 },
  )
  const client = await RawClient.open(cluster, 0)
  const stream = new StreamReader(await client.tool(0, 'work'))
  expect(await stream.next()).toMatchObject({ params: { data: 'first' } })
  const seen = stream.lastEventId
  const isStored = proxy.plan('cut-after', /"data":"second"/)
  heard.resolve()
  await isStored
  await proxy.stop()
  expect(await stream.next()).toMatchObject({ params: { data: 'second' } })
  await stream.cancel()
  const again = await client.get(1, stream.lastEventId)
  expect(again.status).toBe(400)
  expect(await again.text()).toContain(REFUSED)
  // A client whose connection broke before that has it in the log.
  const other = new StreamReader(await client.get(1, seen))
  expect(await other.next()).toMatchObject({ params: { data: 'second' } })
  await other.cancel()
  end.resolve()
  await proxy.start()
}

const HASTY = { timeoutMs: 1_000 }

describeEngine('Redis', 'two nodes on one Redis', () => {
  const engine = useEngine(() => startRedis())

  test('D021 (redis): an event that was stored without an answer of the engine reaches its client once, also on another node', async () => {
    const proxy = await new FaultyProxy({ path: engine().socket }).start()
    await expectHeardOnce({ proxy, behindProxy: redis(proxy.url, HASTY), direct: redis(engine().url) })
  })
})

describeEngine('NATS', 'two nodes on one NATS', () => {
  const engine = useEngine(() => startNats())

  test('D021 (nats): an event that was stored without an answer of the engine reaches its client once, also on another node', async () => {
    const proxy = await startNatsProxy(engine().url)
    await expectHeardOnce({ proxy, behindProxy: nats(proxy.tcpUrl, HASTY), direct: nats(engine().url) })
  })
})

describeEngine('Postgres', 'two nodes on one Postgres', () => {
  const database = useEngine(() => freshDatabase())

  test('D021 (postgres): an event that was stored without an answer of the engine reaches its client once, also on another node', async () => {
    const { host, user, database: name, url } = database()
    const proxy = await new FaultyProxy({ path: socketOf(host) }, SOCKET).start()
    const behindProxy = postgres(`postgres://${user}@localhost/${name}?host=${encodeURIComponent(proxy.folder)}`, HASTY)
    await expectHeardOnce({ proxy, behindProxy, direct: postgres(url) })
  })
})
