// The client behind a backend: that of the user, or one that a URL opens with ioredis.

import { BackendError } from '../../backend/backend-error.ts'
import { typeError, withHelp } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import type { RedisClient } from './client.ts'
import { IoredisClient, type IoredisLike, isIoredis, OWN_CONNECTION } from './ioredis-client.ts'
import { isNodeRedis, NodeRedisClient, type NodeRedisLike } from './node-redis-client.ts'
import type { RedisPlace } from './url.ts'

/** A client of ioredis, iovalkey or `@redis/client`, standalone or cluster. It stays yours: only copies of it are closed. */
export type RedisClientLike = IoredisLike | NodeRedisLike

/** Throws `TypeError` for what is no client that we know. */
export function wrapClient(client: unknown): RedisClient {
  if (typeof client === 'object' && client !== null) {
    if (isIoredis(client)) return new IoredisClient(client, false)
    if (isNodeRedis(client)) return new NodeRedisClient(client)
  }
  const found = describeKind(client)
  throw typeError(
    'bad-backend',
    `redis() takes a URL, or a client of ioredis, iovalkey or @redis/client, not ${found}.`,
  )
}

export async function openUrl({ options }: RedisPlace): Promise<RedisClient> {
  const { Redis } = await loadIoredis()
  const client = new Redis({ ...OWN_CONNECTION, ...options } as object)
  return new IoredisClient(client, true)
}

/** For a URL of one node of a cluster. */
export async function openCluster({ options }: RedisPlace, timeoutMs: number): Promise<RedisClient> {
  const { Cluster } = await loadIoredis()
  const { host, port, db: _, ...login } = options
  const client = new Cluster([{ host: host ?? '', port: port ?? 0 }], {
    lazyConnect: true,
    // Without it, commands for a node that is being connected go elsewhere first, and arrive in another order.
    enableOfflineQueue: true,
    clusterRetryStrategy: OWN_CONNECTION.retryStrategy,
    // The library would give a busy node a second.
    slotsRefreshTimeout: timeoutMs,
    redisOptions: { ...login, maxRetriesPerRequest: 1 } as object,
  })
  return new IoredisClient(client, true)
}

async function loadIoredis() {
  try {
    return await import('ioredis')
  } catch (cause) {
    const message = 'A URL for redis() needs the package ioredis. Run: npm install ioredis@6'
    throw withHelp('package-missing', new BackendError(message, { kind: 'unavailable', operation: 'open', cause }))
  }
}
