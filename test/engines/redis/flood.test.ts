// A flood of sessions over all nodes of one Redis.
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { redis } from '../../../src/redis/redis.ts'
import type { SessionOptions } from '../../../src/server/http/legacy/legacy-options.ts'
import { RawClient, startCluster, type TestCluster } from '../../cluster/cluster.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { isFull } from '../full.ts'
import { startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const SESSIONS = isFull ? 100_000 : 3_000
const AT_ONCE = 50
const IDLE_MS = 1_800_000

describeEngine('Redis', 'a flood of sessions on Redis', () => {
  const engine = useEngine(() => startRedis())

  async function started(sessions: SessionOptions): Promise<{ cluster: TestCluster; own: Redis; namespace: string }> {
    const namespace = freshNamespace()
    const cluster = await startCluster(
      ({ onFault }) => {
        const backend = redis(engine().url, { ...PATIENT, namespace })
        onTestFinished(() => backend.close())
        return new MCPServer('flood', { backend, onFault })
      },
      { handler: { sessions } },
    )
    const own = new Redis(engine().socket)
    onTestFinished(() => own.disconnect())
    return { cluster, own, namespace }
  }

  /** The statuses of so many `initialize`, many at once, each at the next node. */
  async function flood(cluster: TestCluster, count: number, user?: string): Promise<Map<number, number>> {
    const statuses = new Map<number, number>()
    let opened = 0
    const openOn = async () => {
      while (opened < count) {
        opened += 1
        const client = new RawClient(cluster, user === undefined ? {} : { user })
        const { status, body } = await client.initialize(opened % cluster.nodes.length)
        await body?.cancel()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, openOn))
    return statuses
  }

  it('D049 (redis): of a flood of one caller over all nodes, as many sessions are opened as one caller may have', async () => {
    const { cluster } = await started({ maxPerPrincipal: 40, idleMs: IDLE_MS })
    expect(await flood(cluster, 600, 'alice')).toEqual(
      new Map([
        [200, 40],
        [503, 560],
      ]),
    )
    expect(await flood(cluster, 1, 'bob')).toEqual(new Map([[200, 1]]))
  })

  it(`D049 (redis): each of ${SESSIONS} sessions takes at most 600 bytes, goes by itself after idleMs, and nodes keep no more objects than they may`, async () => {
    const { cluster, own, namespace } = await started({ max: 1_000, idleMs: IDLE_MS })
    const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await own.info('memory'))?.[1])
    // What grows once.
    await flood(cluster, 500)
    const before = await usedBytes()
    expect(await flood(cluster, SESSIONS)).toEqual(new Map([[200, SESSIONS]]))
    expect((await usedBytes()) - before).toBeLessThanOrEqual(SESSIONS * 600)
    for (const { handler } of cluster.nodes) expect(handler.sessionCount).toBeLessThanOrEqual(1_000)
    let [cursor, found, longest] = ['0', 0, 0]
    do {
      const [next, keys] = await own.scan(cursor, 'MATCH', `${namespace}:v1:r:s.*`, 'COUNT', 1_000)
      const left = await Promise.all(keys.map((key) => own.pttl(key)))
      found += keys.length
      longest = Math.max(longest, ...left)
      // Without a time limit it would be -1.
      expect(left.every((ms) => ms > 0)).toBe(true)
      cursor = next
    } while (cursor !== '0')
    expect(found).toBeGreaterThanOrEqual(SESSIONS + 500)
    expect(longest).toBeLessThanOrEqual(IDLE_MS)
  })
})
