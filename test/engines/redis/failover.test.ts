// What is promised when a replica takes over from its primary without the primary's last writes.
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { type RedisBackendOptions, redis } from '../../../src/redis/redis.ts'
import { RawClient, StreamReader, startCluster, type TestCluster, type TestNode } from '../../cluster/cluster.ts'
import { describeEngine } from '../describe-engine.ts'
import { newTask, untilDone } from '../failing-engine.ts'
import { type RedisPair, startRedisPair } from '../redis-pair.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TTL = 3_600_000
const CLAIM = { kinds: ['report'], max: 1, leaseMs: 60_000 }
const DONE = { status: 'completed', text: 'first' } as const
const AGAIN = { status: 'completed', text: 'second' } as const

type WithTasks = Backend & { tasks: NonNullable<Backend['tasks']> }

async function startPair(): Promise<RedisPair> {
  const pair = await startRedisPair()
  onTestFinished(() => pair.close())
  return pair
}

function backendAt(url: string, options: RedisBackendOptions = {}): WithTasks {
  const backend = redis(url, { ...PATIENT, ...options })
  onTestFinished(() => backend.close())
  return backend as WithTasks
}

/** Everything that was written so far is on the replica. */
async function untilCopied({ primary, replica }: RedisPair): Promise<void> {
  await vi.waitFor(async () => {
    const offset = /master_repl_offset:(\d+)/.exec(await primary.command('INFO replication'))?.[1]
    expect(await replica.command('INFO replication')).toContain(`slave_repl_offset:${offset}`)
  })
}

/** Leases end sooner than in service, so that a test need not wait for them. */
const endsSoon = (claim: Claim | undefined, tasks: WithTasks['tasks']) =>
  untilDone(() => tasks.renew(claim as Claim, 1))

/** Two nodes that reach Redis by the address of the pair. */
async function startNodes(pair: RedisPair): Promise<TestCluster> {
  return startNodesAt(pair.url, freshNamespace(), 2)
}

async function startNodesAt(url: string, namespace: string, size: number): Promise<TestCluster> {
  return startCluster(
    ({ onFault }) => {
      const backend = redis(url, { namespace, ...PATIENT })
      const server = new MCPServer('failover', { backend, onFault, logging: true })
      server.tool('echo', () => 'here')
      server.tool('announce', async (_, ctx) => {
        await ctx.session.sendToolListChanged()
        return 'done'
      })
      server.tool('tell', { input: z.object({ uri: z.string() }) }, async ({ uri }, ctx) => {
        await ctx.session.sendResourceUpdated(uri)
        return 'done'
      })
      return server
    },
    { size, handler: { sessions: { checkMs: 0 } } },
  )
}

describeEngine('Redis', 'a failover of Redis', () => {
  it('D010 (redis): records are as the replica has them, and a change that counts on a lost one is refused', async () => {
    const pair = await startPair()
    const { records } = backendAt(pair.url)
    const kept = await records.put('kept', 'kept', { ttlMs: TTL })
    const before = await records.put('changed', 'before', { ttlMs: TTL })
    await untilCopied(pair)
    await pair.promote()
    const after = await records.put('changed', 'after', { ttlMs: TTL, if: { revision: before as string } })
    expect(after).toBeDefined()
    await records.put('lost', 'lost', { ttlMs: TTL })
    pair.redirect()
    expect(await untilDone(() => records.get('kept'))).toEqual({ value: 'kept', revision: kept })
    expect(await records.get('changed')).toEqual({ value: 'before', revision: before })
    expect(await records.get('lost')).toBeUndefined()
    // Whoever knows the lost revision reads first.
    expect(await records.put('changed', 'next', { ttlMs: TTL, if: { revision: after as string } })).toBeUndefined()
    expect(await records.put('changed', 'next', { ttlMs: TTL, if: { revision: before as string } })).toBeDefined()
  })

  it('D010 (redis): a session that the replica does not know is 404, the others go on, on every node', async () => {
    const pair = await startPair()
    const cluster = await startNodes(pair)
    const known = await RawClient.open(cluster, 0)
    await untilCopied(pair)
    await pair.promote()
    const lost = await RawClient.open(cluster, 0)
    expect((await lost.tool(1, 'echo')).status).toBe(200)
    pair.redirect()
    for (const node of [0, 1]) {
      await vi.waitFor(async () => expect((await known.tool(node, 'echo')).status).toBe(200), 20_000)
      expect((await lost.tool(node, 'echo')).status).toBe(404)
    }
  })

  it('D011 (redis): a writer that has numbered a lost event writes no further, and no number gets another event', async () => {
    const pair = await startPair()
    const { logs } = backendAt(pair.url)
    const append = (seq: number) => logs.append('l', { seq, data: `e${seq}` }, { writer: 'w', ttlMs: TTL })
    for (const seq of [1, 2, 3]) expect(await append(seq)).toBe('kept')
    await untilCopied(pair)
    await pair.promote()
    for (const seq of [4, 5]) expect(await append(seq)).toBe('kept')
    pair.redirect()
    expect(await untilDone(() => append(6))).toBe('conflict')
    expect((await logs.read('l', 2))?.entries).toEqual([{ seq: 3, data: 'e3' }])
    // A client that has event 5 cannot go on from there.
    expect(await logs.read('l', 5)).toBeUndefined()
  })

  it('D011 (redis): a client that has lost messages of its own stream is refused, and hears what follows on a new one', async () => {
    const pair = await startPair()
    const cluster = await startNodes(pair)
    const client = await RawClient.open(cluster, 0)
    const seen = new Map<string, string>()
    const read = async (stream: StreamReader) => {
      const message = JSON.stringify(await stream.next())
      const id = stream.lastEventId as string
      // The promise of the row: an id never names two events.
      expect(seen.get(id) ?? message).toBe(message)
      seen.set(id, message)
      return id
    }
    const stream = new StreamReader(await client.get(0))
    await client.tool(1, 'announce')
    await read(stream)
    await untilCopied(pair)
    await pair.promote()
    await client.tool(1, 'announce')
    await client.tool(1, 'announce')
    await read(stream)
    const last = await read(stream)
    pair.redirect()
    // The node that holds the stream sees that its end is gone.
    expect(await stream.next()).toBeUndefined()
    await vi.waitFor(async () => {
      const resumed = await client.get(1, last)
      await resumed.body?.cancel()
      expect(resumed.status).toBe(400)
    }, 20_000)
    const next = await vi.waitFor(async () => {
      const opened = await client.get(1)
      expect(opened.status).toBe(200)
      return new StreamReader(opened)
    }, 20_000)
    await client.tool(0, 'announce')
    await read(next)
    expect(next.lastEventId?.split('.')[0]).not.toBe(last.split('.')[0])
  })

  it('D011 (redis): messages that get the numbers of lost ones have other ids, and a client of the lost ones hears them', async () => {
    const pair = await startPair()
    const namespace = freshNamespace()
    const cluster = await startNodesAt(pair.url, namespace, 2)
    const client = await RawClient.open(cluster, 0)
    const stream = new StreamReader(await client.get(0))
    const seen = new Map<string, string>()
    const read = async (from: StreamReader) => {
      const message = JSON.stringify(await from.next())
      const id = from.lastEventId as string
      expect(seen.get(id) ?? message).toBe(message)
      seen.set(id, message)
      return message
    }
    const tell = (node: number, uri: string) => client.tool(node, 'tell', { uri })
    await tell(1, 'note://kept')
    await read(stream)
    await untilCopied(pair)
    await pair.promote()
    // A node that reaches the new primary already, while the others write to the old one.
    const ahead = await startNodesAt(`redis://127.0.0.1:${pair.replica.port}`, namespace, 1)
    ;(cluster.nodes as TestNode[]).push(ahead.nodes[0] as TestNode)
    for (const uri of ['note://lost/1', 'note://lost/2']) await tell(1, uri)
    await read(stream)
    await read(stream)
    const lastIds = [...seen.keys()].slice(-2)
    const told = ['note://new/1', 'note://new/2', 'note://new/3']
    for (const uri of told) await tell(2, uri)
    pair.redirect()
    expect(await stream.next()).toBeUndefined()
    for (const id of lastIds) {
      await vi.waitFor(async () => {
        const resumed = await client.get(1, id)
        await resumed.body?.cancel()
        expect(resumed.status).toBe(400)
      }, 20_000)
    }
    const next = await vi.waitFor(async () => {
      const opened = await client.get(1)
      expect(opened.status).toBe(200)
      return new StreamReader(opened)
    }, 20_000)
    const heard: string[] = []
    // Nobody knows any more which of the messages that are left the client has had: it gets all of them.
    while (heard.length < 1 + told.length) heard.push(await read(next))
    expect(heard.map((message) => /note:[^"]+/.exec(message)?.[0])).toEqual(['note://kept', ...told])
  })

  it('D012 (redis): a finish that the replica has not got may be done again, once', async () => {
    const pair = await startPair()
    const { tasks } = backendAt(pair.url)
    const task = newTask({ maxAttempts: 2 })
    await tasks.create(task)
    const [claim] = await tasks.claim('a', CLAIM)
    await untilCopied(pair)
    await pair.promote()
    expect(await tasks.finish(claim as Claim, DONE)).toBe('finished')
    pair.redirect()
    expect(await untilDone(() => tasks.get(task.id))).toMatchObject({ status: 'working' })
    await endsSoon(claim, tasks)
    const [second] = await vi.waitFor(async () => {
      const claims = await tasks.claim('b', CLAIM)
      expect(claims).toHaveLength(1)
      return claims
    })
    expect(await tasks.finish(second as Claim, AGAIN)).toBe('finished')
    expect(await tasks.finish(claim as Claim, DONE)).toBe('already')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'completed', outcome: 'second' })
  })

  it("D012 (redis): with durability 'replicated' a finish that was acknowledged outlives the primary", async () => {
    const pair = await startPair()
    const backend = backendAt(pair.url, { durability: 'replicated' })
    const task = newTask({ maxAttempts: 2 })
    await backend.tasks.create(task)
    const [claim] = await backend.tasks.claim('a', CLAIM)
    expect(await backend.tasks.finish(claim as Claim, DONE)).toBe('finished')
    await pair.primary.process.stop('SIGKILL')
    await pair.promote()
    pair.redirect()
    // There is no second copy any more, so reads alone succeed.
    expect(await untilDone(() => backend.tasks.get(task.id))).toMatchObject({ status: 'completed', outcome: 'first' })
    const alone = backendAt(pair.url)
    expect(await alone.tasks.finish(claim as Claim, AGAIN)).toBe('already')
    expect(await alone.tasks.claim('b', CLAIM)).toEqual([])
  })

  it('D013 (redis): after two primaries at once every record has one value, and a task one outcome', async () => {
    const pair = await startPair()
    const former = backendAt(`redis://127.0.0.1:${pair.primary.port}`)
    const task = newTask({ maxAttempts: 3 })
    await former.tasks.create(task)
    const [first] = await former.tasks.claim('a', CLAIM)
    const revision = await former.records.put('k', 'start', { ttlMs: TTL })
    await untilCopied(pair)
    await pair.promote()
    const latter = backendAt(`redis://127.0.0.1:${pair.replica.port}`)
    // Both sides serve, and neither hears of the other.
    const condition = { ttlMs: TTL, if: { revision: revision as string } }
    expect(await former.records.put('k', 'former', condition)).toBeDefined()
    const latterRevision = await latter.records.put('k', 'latter', condition)
    await former.records.put('only-former', 'x', { ttlMs: TTL })
    await former.logs.append('l', { seq: 1, data: 'former' }, { writer: 'a', ttlMs: TTL })
    await latter.logs.append('l', { seq: 1, data: 'latter' }, { writer: 'b', ttlMs: TTL })
    expect(await former.tasks.finish(first as Claim, DONE)).toBe('finished')
    await endsSoon(first, latter.tasks)
    const [second] = await vi.waitFor(async () => {
      const claims = await latter.tasks.claim('b', CLAIM)
      expect(claims).toHaveLength(1)
      return claims
    })
    expect(await latter.tasks.finish(second as Claim, AGAIN)).toBe('finished')
    await former.close()
    await pair.heal()
    pair.redirect()
    const healed = backendAt(pair.url)
    const value = { value: 'latter', revision: latterRevision }
    expect(await healed.records.get('k')).toEqual(value)
    expect(await healed.records.get('only-former')).toBeUndefined()
    expect((await healed.logs.read('l', 0))?.entries).toEqual([{ seq: 1, data: 'latter' }])
    expect(await healed.tasks.get(task.id)).toMatchObject({ status: 'completed', outcome: 'second' })
    expect(await healed.tasks.finish(first as Claim, DONE)).toBe('already')
    // The former primary, which has been brought into line, says the same.
    expect(await pair.primary.command('INFO replication')).toContain('role:slave')
    await pair.primary.command('REPLICAOF NO ONE')
    const there = backendAt(`redis://127.0.0.1:${pair.primary.port}`)
    expect(await there.records.get('k')).toEqual(value)
    expect(await there.tasks.get(task.id)).toMatchObject({ outcome: 'second' })
  })
})
