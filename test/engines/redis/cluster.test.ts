// What the backend promises on a Redis cluster while its slots move.
import { createCluster } from '@redis/client'
import { Cluster } from 'ioredis'
import { expect, it, vi } from 'vitest'
import type { BackendError } from '../../../src/backend/backend-error.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { slotOf } from '../../../src/redis/connection/slot.ts'
import { redis } from '../../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { type RedisCluster, startRedisCluster } from '../redis-cluster.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TTL = 3_600_000

/** The nodes: where a slot is, and another one. */
async function placesOf(cluster: RedisCluster, slot: number) {
  const ids = await Promise.all(
    cluster.ports.map(async (_, node) => textOf(await cluster.command(node, 'CLUSTER MYID'))),
  )
  const holders = await cluster.command(0, 'CLUSTER NODES')
  const from = ids.findIndex((id) => {
    const line = holders.split('\n').find((text) => text.includes(id)) ?? ''
    const ranges = line.slice(line.indexOf(' connected')).matchAll(/ (\d+)(?:-(\d+))?(?![\d-])/g)
    return [...ranges].some(([, first, last = first]) => slot >= Number(first) && slot <= Number(last))
  })
  return { ids, from, to: (from + 1) % ids.length }
}

function textOf(reply: string): string {
  return reply.replace(/^\$\d+\r\n/, '').trim()
}

/** Moves one slot with its keys; begins some work while it is in two places, and waits for it once it has moved. */
async function moveSlot(cluster: RedisCluster, slot: number, work: () => Promise<unknown>): Promise<void> {
  const { ids, from, to } = await placesOf(cluster, slot)
  await cluster.command(to, `CLUSTER SETSLOT ${slot} IMPORTING ${ids[from]}`)
  await cluster.command(from, `CLUSTER SETSLOT ${slot} MIGRATING ${ids[to]}`)
  const done = work()
  for (;;) {
    const reply = await cluster.command(from, `CLUSTER GETKEYSINSLOT ${slot} 1`)
    const key = reply.split('\r\n')[2]
    if (key === undefined || key === '') break
    await cluster.command(from, `MIGRATE 127.0.0.1 ${cluster.ports[to]} ${key} 0 5000`)
  }
  for (const node of [to, from, ...ids.keys()]) await cluster.command(node, `CLUSTER SETSLOT ${slot} NODE ${ids[to]}`)
  await done
}

describeEngine('Redis', 'mcpwire/redis while slots of a cluster move', () => {
  const cluster = useEngine(startRedisCluster)

  function open(namespace = freshNamespace()) {
    return redis(`redis://127.0.0.1:${cluster().ports[0]}`, { namespace, ...PATIENT })
  }

  it('knows the slot of a key as the cluster does', async () => {
    for (const key of ['a', 'user:1', 'x{tag}y', 'x{}y', '{a}{b}', 'ä€😀', `${'k'.repeat(200)}`]) {
      const reply = await cluster().command(0, `CLUSTER KEYSLOT ${key}`)
      expect(slotOf(key)).toBe(Number(reply.slice(1)))
    }
  })

  it('D017 (redis): records and logs are served, and nothing is doubled or lost', async () => {
    const namespace = freshNamespace()
    const backend = open(namespace)
    let seq = 0
    const append = async () => {
      seq += 1
      expect(await backend.logs.append('l', { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL })).toBe('kept')
    }
    await append()
    await moveSlot(cluster(), slotOf(`${namespace}:v1:l:{l}`), append)
    await append()
    const page = await backend.logs.read('l', 0)
    expect(page?.entries.map(({ data }) => data)).toEqual(Array.from({ length: seq }, (_, index) => `e${index + 1}`))
    await backend.records.put('k', '0', { ttlMs: TTL })
    let value = 0
    const change = async () => {
      const { revision } = (await backend.records.get('k')) ?? { revision: '' }
      value += 1
      expect(await backend.records.put('k', String(value), { ttlMs: TTL, if: { revision } })).toBeTypeOf('string')
    }
    await moveSlot(cluster(), slotOf(`${namespace}:v1:r:k`), change)
    await change()
    expect((await backend.records.get('k'))?.value).toBe(String(value))
    await backend.close()
  })

  it('D017 (redis): a queue of tasks that has moved goes on, each task ends once', async () => {
    const namespace = freshNamespace()
    const backend = open(namespace)
    const tasks = backend.tasks as NonNullable<typeof backend.tasks>
    const times = { ttlMs: TTL, keepMs: TTL, pollIntervalMs: 500 }
    const task = { owner: 'ada', kind: 'report', dialect: 'core', input: '{}', maxAttempts: 1, ...times }
    for (const id of ['a', 'b', 'c']) await tasks.create({ id, ...task })
    const claims: Claim[] = []
    await moveSlot(cluster(), slotOf(`${namespace}:v1:t:{${namespace}.0}`), async () => {
      await tasks.create({ id: 'd', ...task })
      claims.push(...(await tasks.claim('w', { kinds: ['report'], max: 5, leaseMs: TTL })))
    })
    expect(claims.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(await tasks.countOpen('ada')).toBe(4)
    for (const claim of claims) {
      expect(await tasks.finish(claim, { status: 'completed', text: 'r' })).toBe('finished')
    }
    expect(await tasks.countOpen()).toBe(0)
    await backend.close()
  })

  it('D017 (redis): a topic whose slot has moved says that it missed something, and goes on', async () => {
    const namespace = freshNamespace()
    const backend = open(namespace)
    const heard: string[] = []
    const listener = { message: (text: string) => void heard.push(text), missed: () => void heard.push('missed') }
    await backend.topics.subscribe('t', listener).ready
    await backend.topics.publish('t', 'before')
    await vi.waitFor(() => expect(heard).toEqual(['before']))
    await moveSlot(cluster(), slotOf(`${namespace}:v1:p:t`), async () => {})
    await vi.waitFor(() => expect(heard).toContain('missed'))
    // The nodes learn of the move one after the other: until all have, it can break once more.
    await vi.waitFor(async () => {
      await backend.topics.publish('t', 'after')
      expect(heard).toContain('after')
    })
    expect(heard.slice(0, 2)).toEqual(['before', 'missed'])
    await backend.close()
  })

  it('D018 (redis): a cluster client that reads from replicas is refused at open', async () => {
    const [port] = cluster().ports
    const reading = new Cluster([{ host: '127.0.0.1', port: port as number }], { scaleReads: 'all' })
    const failure = await redis(reading, PATIENT)
      .open()
      .catch((error: BackendError) => error)
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('scaleReads') as string })
    reading.disconnect()
    const other = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }], useReplicas: true })
    await other.connect()
    const second = await redis(other, PATIENT)
      .open()
      .catch((error: BackendError) => error)
    expect(second).toMatchObject({ kind: 'refused', message: expect.stringContaining('useReplicas') as string })
    other.destroy()
  })

  it('durability: replicated is refused on a cluster, where no write can be waited for', async () => {
    const backend = redis(`redis://127.0.0.1:${cluster().ports[0]}`, { ...PATIENT, durability: 'replicated' })
    const failure = await backend.open().catch((error: BackendError) => error)
    expect(failure).toMatchObject({ kind: 'refused', operation: 'open' })
  })
})
