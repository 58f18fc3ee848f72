// The backend on Redis keeps the contract, with every client that it takes.
import { describe, test } from 'vitest'
import { redis } from '../../../src/redis/redis.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
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
