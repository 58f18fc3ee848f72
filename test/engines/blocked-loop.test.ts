// A handler that computes for longer than an operation may take: what the engine has answered meanwhile is not late.
import { expect, it } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { nats } from '../../src/nats/nats.ts'
import { postgres } from '../../src/postgres/postgres.ts'
import { redis } from '../../src/redis/redis.ts'
import { describeEngine, useEngine } from './describe-engine.ts'
import { startNats } from './nats.ts'
import * as clients from './postgres/clients.ts'
import { startRedis } from './redis.ts'

const TIMEOUT_MS = 1_500
/** More than connections of a pool, and several requests for each. */
const KEYS = Array.from({ length: 20 }, (_, n) => `k${n}`)

async function expectNothingLate(open: (options: { namespace: string; timeoutMs: number }) => Backend): Promise<void> {
  const backend = open({ namespace: clients.freshNamespace(), timeoutMs: TIMEOUT_MS })
  try {
    await backend.open()
    const asked = KEYS.map(async (key) => {
      await backend.records.put(key, 'v', { ttlMs: 60_000 })
      return backend.limits.take(key, { perSecond: 1_000, burst: 1_000 })
    })
    setImmediate(() => {
      const endsAt = performance.now() + 2.2 * TIMEOUT_MS
      while (performance.now() < endsAt);
    })
    expect(await Promise.all(asked)).toEqual(KEYS.map(() => 0))
  } finally {
    await backend.close()
  }
}

describeEngine('Redis', 'a blocked event loop, with Redis', () => {
  const server = useEngine(() => startRedis())
  it('makes no operation late', () => expectNothingLate((options) => redis(server().url, options)))
})

describeEngine('NATS', 'a blocked event loop, with NATS', () => {
  const server = useEngine(() => startNats())
  it('makes no operation late', () => expectNothingLate((options) => nats(server().url, options)))
})

describeEngine('Postgres', 'a blocked event loop, with Postgres', () => {
  const database = useEngine(clients.freshDatabase)
  it('makes no operation late', () => expectNothingLate((options) => postgres(database().url, options)))
})
