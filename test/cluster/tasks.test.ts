// Tasks of several nodes on one backend: created on one, found, answered, watched and cancelled on another, run by any of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { memory } from '../../src/backend/memory/memory.ts'
import { sealed } from '../../src/backend/sealed/sealed.ts'
import { Client } from '../../src/client/client.ts'
import type { TasksOptions } from '../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { nats } from '../../src/nats/nats.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { redis } from '../../src/redis/redis.ts'
import { sqlite } from '../../src/sqlite/sqlite.ts'
import type { TaskState } from '../../src/types/extensions/tasks.ts'
import { describeEngine, useEngine } from '../engines/describe-engine.ts'
import { startNats } from '../engines/nats.ts'
import * as clients from '../engines/redis/clients.ts'
import { startRedis } from '../engines/redis.ts'
import { accept, NAME_FORM, textsOf } from '../interaction/kit/support-mcpserver.ts'
import { BareTasks, onlyKey, WITH_TASKS } from '../interaction/kit/support-tasks.ts'
import { cancelTask, connectAs, getTask, resultOf, startTask, textIn } from '../interaction/tasks/support-core.ts'

/** The backends of as many nodes as a test asks for. */
type CreateBackends = () => () => Backend

interface Node {
  readonly server: MCPServer
  readonly tasks: BareTasks
  readonly client: Client
}

/** Starts a node; it closes with the test. */
async function startNode(
  backend: Backend,
  define: (server: MCPServer) => void,
  options: TasksOptions = {},
): Promise<Node> {
  const server = new MCPServer('reports', { backend, extensions: [tasks(options)], onFault: () => {} })
  define(server)
  const client = await Client.connect(server, WITH_TASKS)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return { server, client, tasks: new BareTasks(client) }
}

function testTasks(title: string, createBackends: CreateBackends): void {
  describe(title, () => {
    test('D042: a task is found on another node as soon as its handle has come', async () => {
      const next = createBackends()
      const go = createDeferred()
      const define = (server: MCPServer) =>
        void server.tool('wait', { task: 'always' }, async () => {
          await go.promise
          return 'done'
        })
      const a = await startNode(next(), define)
      const b = await startNode(next(), define)
      for (let round = 0; round < 10; round += 1) {
        const { taskId } = await a.tasks.start('wait')
        expect((await b.tasks.get(taskId)).status).toBe('working')
        if (round < 9) await b.tasks.cancel(taskId)
        else go.resolve()
      }
    })

    test('a node without workers serves: another one runs, asks and is answered through it', async () => {
      const next = createBackends()
      const runs: string[] = []
      const define = (name: string) => (server: MCPServer) =>
        void server.tool('ask', { task: 'always' }, async (_args, ctx) => {
          runs.push(name)
          const answer = await ctx.elicit('Name?', NAME_FORM)
          return `${name}: ${answer.action === 'accept' ? answer.content?.['name'] : 'nobody'}`
        })
      const serving = await startNode(next(), define('serving'), { workers: 0 })
      await startNode(next(), define('working'))
      const { taskId } = await serving.tasks.start('ask')
      const waiting = await serving.tasks.until(taskId, 'input_required')
      await serving.tasks.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
      const ended = await serving.tasks.ended(taskId)
      expect(textsOf(ended.result as never)).toEqual(['working: Ada'])
      expect(new Set(runs)).toEqual(new Set(['working']))
    })

    test('limits.perOwner is not passed by creates of two nodes at once', async () => {
      const next = createBackends()
      const define = (server: MCPServer) => void server.tool('wait', { task: 'always' }, () => 'done')
      const options = { workers: 0, owner: () => 'ada', limits: { perOwner: 5 } }
      const nodes = [await startNode(next(), define, options), await startNode(next(), define, options)]
      const tries = Array.from({ length: 20 }, (_, index) => (nodes[index % 2] as Node).tasks.start('wait'))
      const settled = await Promise.allSettled(tries)
      expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(5)
      const [refused] = settled.filter((one) => one.status === 'rejected')
      expect(refused?.reason).toMatchObject({ code: -32603, data: { limit: 'limits.perOwner', max: 5 } })
    })

    test('limits.maxBytesPerOwner counts results that another node has stored', async () => {
      const next = createBackends()
      const define = (server: MCPServer) => void server.tool('large', { task: 'always' }, () => 'x'.repeat(300_000))
      const options = { owner: () => 'ada', limits: { maxBytesPerOwner: 1_000_000 } }
      const nodes = [await startNode(next(), define, options), await startNode(next(), define, options)]
      const ends: string[] = []
      for (let index = 0; index < 4; index += 1) {
        const { tasks: calls } = nodes[index % 2] as Node
        ends.push((await calls.ended((await calls.start('large')).taskId)).status)
      }
      expect(ends.slice(0, 2)).toEqual(['completed', 'completed'])
      expect(ends[3]).toBe('failed')
    })

    test('tasks of one caller do not keep that of another waiting', async () => {
      const next = createBackends()
      const order: string[] = []
      const define = (server: MCPServer) => {
        for (const name of ['many', 'one']) {
          server.tool(name, { task: 'always' }, () => {
            order.push(name)
            return 'done'
          })
        }
      }
      const many = await startNode(next(), define, { workers: 0, owner: () => 'many' })
      const one = await startNode(next(), define, { workers: 0, owner: () => 'one' })
      for (let count = 0; count < 20; count += 1) await many.tasks.start('many')
      const { taskId } = await one.tasks.start('one')
      await startNode(next(), define, { workers: 1 })
      await one.tasks.ended(taskId)
      expect(order.indexOf('one')).toBeLessThan(3)
    })

    test('D036: a cancel on another node aborts the run, and both nodes see the same end', async () => {
      const next = createBackends()
      const begun = createDeferred()
      const aborted = createDeferred<string>()
      const define = (server: MCPServer) =>
        void server.tool('endless', { task: 'always' }, async (_args, ctx) => {
          ctx.signal.addEventListener('abort', () => aborted.resolve((ctx.signal.reason as Error).message))
          begun.resolve()
          await aborted.promise
          throw ctx.signal.reason
        })
      const a = await startNode(next(), define)
      const b = await startNode(next(), define, { workers: 0 })
      const { taskId } = await a.tasks.start('endless')
      await begun.promise
      await b.tasks.cancel(taskId)
      expect(await aborted.promise).toBe('The task was cancelled')
      expect((await b.tasks.ended(taskId)).status).toBe('cancelled')
      expect((await a.tasks.get(taskId)).status).toBe('cancelled')
    })

    test('a subscription by taskIds on one node hears of the end that another node wrote', async () => {
      const next = createBackends()
      const go = createDeferred()
      const define = (server: MCPServer) =>
        void server.tool('wait', { task: 'always' }, async () => {
          await go.promise
          return 'done'
        })
      const a = await startNode(next(), define, { workers: 0 })
      await startNode(next(), define)
      const { taskId } = await a.tasks.start('wait')
      const subscription = await a.client.listen({ taskIds: [taskId] } as never)
      go.resolve()
      for await (const event of subscription as AsyncIterable<unknown>) {
        const { params } = event as { params: TaskState }
        if (params.status === 'completed') break
      }
      await subscription.close()
    })

    test('tasks/result of 2025-11-25 waits on one node, asks its client, and brings the result of another node', async () => {
      const next = createBackends()
      const define = (server: MCPServer) => {
        server.tool('ask', { task: true }, async (_args, ctx) => {
          const answer = await ctx.elicit('Name?', NAME_FORM)
          return answer.action === 'accept' ? String(answer.content?.['name']) : 'nobody'
        })
        server.tool('endless', { task: true }, (_args, ctx) => {
          return new Promise((_resolve, reject) =>
            ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
          )
        })
      }
      const a = await startNode(next(), define, { workers: 0 })
      const b = await startNode(next(), define)
      const onElicitation = () => accept('Grace')
      await using creating = await connectAs(b.server, 'ada', {})
      await using waiting = await connectAs(a.server, 'ada', { onElicitation })
      await using other = await connectAs(a.server, 'eve')
      const task = await startTask(creating, 'endless')
      expect((await getTask(waiting, task.taskId)).status).toBe('working')
      await expect(getTask(other, task.taskId)).rejects.toThrow()
      expect((await cancelTask(waiting, task.taskId)).status).toBe('cancelled')
      const asking = await startTask(waiting, 'ask')
      expect(textIn(await resultOf(waiting, asking.taskId))).toBe('Grace')
      const { tasks: listed } = (await waiting.session.sendRequest('tasks/list', {})) as { tasks: { taskId: string }[] }
      expect(listed.map(({ taskId }) => taskId).sort()).toEqual([task.taskId, asking.taskId].sort())
    })

    test('D053: a call that is promoted runs once, while the workers of four nodes poll', async () => {
      const next = createBackends()
      let runs = 0
      const go = createDeferred()
      const define = (server: MCPServer) =>
        void server.tool('slow', { task: { promoteAfterMs: 1 }, annotations: { readOnlyHint: true } }, async () => {
          runs += 1
          await go.promise
          return 'done'
        })
      const nodes = await Promise.all(Array.from({ length: 4 }, () => startNode(next(), define)))
      const { taskId } = await nodes[0]!.tasks.start('slow')
      for (const node of nodes) expect((await node.tasks.get(taskId)).status).toBe('working')
      go.resolve()
      expect(textsOf((await nodes[3]!.tasks.ended(taskId)).result as never)).toEqual(['done'])
      expect(runs).toBe(1)
    })

    test('D039: a task of a tool that this node does not have waits for a node that has it', async () => {
      const next = createBackends()
      const old = await startNode(next(), (server) => void server.tool('old', { task: 'always' }, () => 'old'))
      const serving = await startNode(next(), (server) => void server.tool('new', { task: 'always' }, () => 'x'), {
        workers: 0,
      })
      const { taskId } = await serving.tasks.start('new')
      expect((await old.tasks.finish('old')).status).toBe('completed')
      expect((await serving.tasks.get(taskId)).status).toBe('working')
      await startNode(next(), (server) => void server.tool('new', { task: 'always' }, () => 'new'))
      expect(textsOf((await serving.tasks.ended(taskId)).result as never)).toEqual(['new'])
    })

    test('a node that closes gives back what may be repeated, and another one goes on', async () => {
      const next = createBackends()
      const runs: string[] = []
      const begun = createDeferred()
      const define = (name: string) => (server: MCPServer) =>
        void server.tool('read', { task: 'always', annotations: { readOnlyHint: true } }, async () => {
          runs.push(name)
          begun.resolve()
          if (name === 'first') await new Promise(() => {})
          return name
        })
      const first = await startNode(next(), define('first'))
      const { taskId } = await first.tasks.start('read')
      await begun.promise
      const second = await startNode(next(), define('second'))
      await first.server.close()
      expect(textsOf((await second.tasks.ended(taskId)).result as never)).toEqual(['second'])
      expect(runs).toEqual(['first', 'second'])
    })
  })
}

testTasks('tasks of servers that share memory()', () => {
  const backend = memory()
  return () => backend
})

testTasks('tasks of servers that share memory(), sealed', () => {
  const backend = memory()
  return () => sealed(backend, ['s'.repeat(32)])
})

testTasks('tasks of nodes on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpwire-tasks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return () => sqlite(join(folder, 'state.db'))
})

describeEngine('Redis', 'on Redis', () => {
  const engine = useEngine(() => startRedis())
  testTasks('tasks of nodes', () => {
    const namespace = clients.freshNamespace()
    return () => redis(engine().url, { namespace, ...clients.PATIENT })
  })
})

describeEngine('NATS', 'on NATS', () => {
  const engine = useEngine(() => startNats())
  testTasks('tasks of nodes', () => {
    const namespace = clients.freshNamespace()
    return () => nats(engine().url, { namespace, ...clients.PATIENT })
  })
})
