// The backend on Redis keeps the contract, with every client that it takes.
import { describe, test } from 'vitest'
import { redis } from '../../../src/redis/redis.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { FaultyProxy } from '../faulty-proxy.ts'
import { describeInFull } from '../full.ts'
import { startRedis } from '../redis.ts'
import { startRedisCluster } from '../redis-cluster.ts'
import * as clients from './clients.ts'

function contractBy(client: () => clients.UserClient): void {
  backendContract(
    () => {
      const namespace = clients.freshNamespace()
      return { backend: client().backend({ namespace }), another: () => client().backend({ namespace }) }
    },
    { describe, test },
  )
}

describeEngine('Redis', 'mcpwire/redis on one primary', () => {
  const server = useEngine(() => startRedis())

  describe('by a URL', () => {
    backendContract(
      () => {
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
        return { backend: redis(server().url, options), another: () => redis(server().url, options) }
      },
      { describe, test },
    )
  })

  describeInFull('by a client of ioredis', () => contractBy(useEngine(() => clients.ioredisClient(server().socket))))
  describe('by a client of iovalkey', () => contractBy(useEngine(() => clients.iovalkeyClient(server().socket))))
  describe('by a client of @redis/client', () => contractBy(useEngine(() => clients.nodeRedisClient(server().socket))))
})

describeEngine('Redis', 'mcpwire/redis, sealed', () => {
  const server = useEngine(() => startRedis())
  describeInFull('by a URL', () => {
    backendContract(
      () => {
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT, seal: ['s'.repeat(32)] }
        const another = () => redis(server().url, options)
        // What is sealed takes a third more.
        return { backend: another(), another, maxValueBytes: 700_000 }
      },
      { describe, test },
    )
  })
})

describeEngine('Redis', 'mcpwire/redis with an append-only file', () => {
  const server = useEngine(() => startRedis({ appendOnly: true }))
  describeInFull('by a URL', () => {
    backendContract(
      () => {
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
        const another = () => redis(server().url, options)
        return { backend: another(), another }
      },
      { describe, test },
    )
  })
})

describeEngine('Redis', 'mcpwire/redis behind a network that cuts', () => {
  const server = useEngine(() => startRedis())
  describeInFull('by a URL', () => {
    backendContract(
      async () => {
        const proxy = await new FaultyProxy({ path: server().socket }).start()
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
        // Not while it connects, which `open` reports.
        proxy.cutEvery(3, /\r\n(?:evalsha|eval|get|getex|set|del)\r\n/)
        const another = () => redis(proxy.url, options)
        return { backend: another(), another, close: () => proxy.close() }
      },
      { describe, test, parts: ['records', 'logs', 'limits', 'tasks'] },
    )
  })
})

describeEngine('Redis', 'mcpwire/redis on a cluster of 3', () => {
  const cluster = useEngine(startRedisCluster)

  describe('by the URL of one node', () => {
    backendContract(
      () => {
        const options = { namespace: clients.freshNamespace(), ...clients.PATIENT }
        const url = `redis://127.0.0.1:${cluster().ports[0]}`
        return { backend: redis(url, options), another: () => redis(url, options) }
      },
      { describe, test },
    )
  })

  describeInFull('by a cluster client of ioredis', () =>
    contractBy(useEngine(() => clients.ioredisCluster(cluster().ports))),
  )
  describeInFull('by a cluster client of iovalkey', () =>
    contractBy(useEngine(() => clients.iovalkeyCluster(cluster().ports))),
  )
  describeInFull('by a cluster client of @redis/client', () =>
    contractBy(useEngine(() => clients.nodeRedisCluster(cluster().ports))),
  )
})
