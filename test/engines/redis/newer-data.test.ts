// What a newer release has stored on Redis, seen by this one: an error for that session or task, and nothing is changed.
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { type RedisBackendOptions, redis } from '../../../src/redis/redis.ts'
import { RawClient, startCluster, textOf } from '../../cluster/cluster.ts'
import { NAME_FORM } from '../../interaction/kit/support-mcpserver.ts'
import { BareTasks, WITH_TASKS } from '../../interaction/kit/support-tasks.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { failureOf } from '../failing-engine.ts'
import { startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const SEAL = ['a secret of at least thirty-two bytes']

describeEngine('Redis', 'data of a newer release on Redis', () => {
  const engine = useEngine(() => startRedis())

  function openedClient(): Redis {
    const client = new Redis(engine().socket)
    onTestFinished(() => client.disconnect())
    return client
  }

  function startNodes(options: RedisBackendOptions) {
    return startCluster(
      ({ onFault }) => {
        const backend = redis(engine().url, { ...PATIENT, ...options })
        onTestFinished(() => backend.close())
        const server = new MCPServer('newer', { backend, onFault })
        server.tool('where', () => 'here')
        return server
      },
      { size: 2, handler: { sessions: { checkMs: 0 } } },
    )
  }

  it.each([
    { title: 'plain', options: {}, newer: JSON.stringify({ v: 2, everything: 'else' }) },
    { title: 'sealed', options: { seal: SEAL }, newer: 's2.AAAA' },
  ])(
    'D046 (redis): a session of a newer release ($title) is 503 on every node and left untouched; others are served',
    async ({ options, newer }) => {
      const namespace = freshNamespace()
      const cluster = await startNodes({ namespace, ...options })
      const own = openedClient()
      const client = await RawClient.open(cluster, 0)
      const [key = ''] = await own.keys(`${namespace}:v1:r:s.*`)
      const other = await RawClient.open(cluster, 0)
      const [revision] = ((await own.get(key)) ?? '').split(':', 1)
      await own.set(key, `${revision}:${newer}`, 'KEEPTTL')
      for (const node of [0, 1, 0]) {
        const refused = await client.tool(node, 'where')
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
        expect((await client.request(node, 'logging/setLevel', { level: 'debug' })).status).toBe(503)
      }
      expect(await own.get(key)).toBe(`${revision}:${newer}`)
      expect(await textOf(await other.tool(1, 'where'))).toBe('here')
    },
  )

  it('D046 (redis): a sealed task of a newer release is an error for who asks for it, and is run by no worker of this one', async () => {
    const namespace = freshNamespace()
    const start = async (workers: number) => {
      const backend = redis(engine().url, { ...PATIENT, namespace, seal: SEAL })
      const server = new MCPServer('newer', { backend, extensions: [tasks({ workers })], onFault: () => {} })
      const runs: string[] = []
      server.tool('ask', { task: { mode: 'always', attempts: 1 } }, async (_, ctx) => {
        runs.push(ctx.task?.id ?? '')
        return (await ctx.elicit('Name?', NAME_FORM)).action
      })
      const client = await Client.connect(server, WITH_TASKS)
      onTestFinished(async () => {
        await client.close()
        await server.close()
        await backend.close()
      })
      return { tasks: new BareTasks(client), runs }
    }
    const first = await start(1)
    const { taskId } = await first.tasks.start('ask')
    await expect.poll(async () => (await first.tasks.get(taskId)).status).toBe('input_required')
    // As a newer release would have stored it.
    const own = openedClient()
    const rewrite = async (from: string, to: string) => {
      for (const key of await own.keys(`${namespace}:v1:t:*${taskId}*`)) {
        for (const [field, value] of Object.entries(await own.hgetall(key))) {
          if (value.includes(from)) await own.hset(key, field, value.replaceAll(from, to))
        }
      }
    }
    const { inputRequests = {} } = await first.tasks.get(taskId)
    await rewrite('s1.', 's2.')
    expect((await failureOf(first.tasks.get(taskId))).message).toContain('written by a newer release of this server')
    const store = redis(engine().url, { ...PATIENT, namespace })
    onTestFinished(() => store.close())
    const before = await store.tasks?.get(taskId)
    const [question = ''] = Object.keys(inputRequests)
    expect(await store.tasks?.answer(taskId, { [question]: 's2.AAAA' })).toBe('taken')
    // Its turn comes, and it goes back to the queue. Others are run meanwhile.
    const next = await first.tasks.start('ask')
    await expect.poll(async () => (await first.tasks.get(next.taskId)).status).toBe('input_required')
    const after = await store.tasks?.get(taskId)
    expect(after).toMatchObject({ status: 'working', owner: before?.owner })
    expect(after?.outcome).toBeUndefined()
    expect(first.runs).toEqual([taskId, next.taskId])
  })
})
