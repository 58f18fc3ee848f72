// Tasks as jobs of a real BullMQ queue: the node that serves adds them, a worker of BullMQ runs them.
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Claim, Task } from '../../../src/backend/task-store.ts'
import { type BullMQExecutorOptions, bullmqExecutor } from '../../../src/bullmq/bullmq-executor.ts'
import { Client } from '../../../src/client/client.ts'
import { runTask } from '../../../src/extensions/tasks/run-task.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { redis } from '../../../src/redis/redis.ts'
import { accept, NAME_FORM, textsOf } from '../../interaction/kit/support-mcpserver.ts'
import { BareTasks, onlyKey, WITH_TASKS } from '../../interaction/kit/support-tasks.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { freshNamespace, PATIENT } from '../redis/clients.ts'
import { startRedis } from '../redis.ts'

describeEngine('Redis', 'bullmqExecutor()', () => {
  const engine = useEngine(() => startRedis())

  function connect(): Redis {
    const connection = new Redis(engine().socket, { maxRetriesPerRequest: null })
    connection.on('error', () => {})
    onTestFinished(() => connection.disconnect())
    return connection
  }

  /** A node that serves, a server that runs jobs, and a queue between them. */
  async function start(define: (server: MCPServer) => void, options: BullMQExecutorOptions = {}) {
    const name = freshNamespace()
    const queue = new Queue(name, { connection: connect() as never })
    const executor = bullmqExecutor(queue, options)
    const backend = (): Backend => redis(engine().url, { namespace: name, ...PATIENT })
    const create = (given: Parameters<typeof tasks>[0]) => {
      const server = new MCPServer('jobs', { backend: backend(), extensions: [tasks(given)], onFault: () => {} })
      define(server)
      return server
    }
    const serving = create({ executor })
    const working = create({ workers: 0 })
    const client = await Client.connect(serving, WITH_TASKS)
    const keeper = await Client.connect(working, WITH_TASKS)
    onTestFinished(async () => {
      await client.close()
      await keeper.close()
      await serving.close()
      await working.close()
      await queue.close()
    })
    const startWorker = (run: (claim: Claim) => Promise<void> = (claim) => runTask(working, claim)) => {
      const worker = new Worker(name, (job: { data: Claim }) => run(job.data), {
        connection: connect() as never,
        concurrency: 4,
      })
      worker.on('error', () => {})
      onTestFinished(() => worker.close(true))
      return worker
    }
    return { queue, executor, working, tasks: new BareTasks(client), startWorker }
  }

  test('a task succeeds, one fails, and each is one job with the id of its task and attempt', async () => {
    const {
      tasks: client,
      queue,
      startWorker,
    } = await start((server) => {
      server.tool('good', { task: 'always' }, () => 'done')
      server.tool('bad', { task: 'always' }, () => {
        throw new TypeError('broken')
      })
    })
    startWorker()
    const good = await client.start('good')
    expect(textsOf((await client.ended(good.taskId)).result as never)).toEqual(['done'])
    expect((await client.finish('bad')).result).toMatchObject({ isError: true })
    expect((await queue.getJob(`${good.taskId}-1`))?.name).toBe('good')
  })

  test('an answer to a question makes a new claim and a new job', async () => {
    const {
      tasks: client,
      queue,
      startWorker,
    } = await start((server) => {
      server.tool('ask', { task: 'always' }, async (_args, ctx) => {
        const answer = await ctx.elicit('Name?', NAME_FORM)
        return answer.action === 'accept' ? String(answer.content?.['name']) : answer.action
      })
    })
    startWorker()
    const { taskId } = await client.start('ask')
    const waiting = await client.until(taskId, 'input_required')
    await client.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
    expect(textsOf((await client.ended(taskId)).result as never)).toEqual(['Ada'])
    expect(await queue.getJob(`${taskId}-2`)).toBeDefined()
  })

  test('a cancel takes a waiting job out of the queue, and aborts one that runs', async () => {
    const begun = createDeferred()
    const aborted = createDeferred()
    const {
      tasks: client,
      queue,
      startWorker,
    } = await start((server) => {
      server.tool('endless', { task: 'always' }, async (_args, ctx) => {
        begun.resolve()
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
        aborted.resolve()
        throw ctx.signal.reason
      })
    })
    const waiting = await client.start('endless')
    await vi.waitFor(async () => expect(await queue.getJob(`${waiting.taskId}-1`)).toBeDefined())
    await client.cancel(waiting.taskId)
    await vi.waitFor(async () => expect(await queue.getJob(`${waiting.taskId}-1`)).toBeUndefined())
    startWorker()
    const running = await client.start('endless')
    await begun.promise
    await client.cancel(running.taskId)
    await aborted.promise
    expect((await client.ended(running.taskId)).status).toBe('cancelled')
  })

  test('D034: a job whose worker is lost is started anew with the next claim, as far as attempts allow', async () => {
    const runs: number[] = []
    const {
      tasks: client,
      working,
      startWorker,
    } = await start(
      (server) => {
        server.tool('read', { task: 'always', annotations: { readOnlyHint: true } }, (_args, ctx) => {
          runs.push(ctx.task?.attempt ?? 0)
          return 'done'
        })
      },
      { startWithinMs: 1_000 },
    )
    // The first job never comes to its run.
    startWorker((claim) => (claim.attempt === 1 ? new Promise(() => {}) : runTask(working, claim)))
    const { taskId } = await client.start('read')
    expect(textsOf((await client.ended(taskId)).result as never)).toEqual(['done'])
    expect(runs).toEqual([2])
  })

  test('start called twice with one claim makes one job, and one run', async () => {
    let runs = 0
    const {
      tasks: client,
      queue,
      executor,
      startWorker,
    } = await start((server) => {
      server.tool('once', { task: 'always' }, () => {
        runs += 1
        return 'done'
      })
    })
    const { taskId } = await client.start('once')
    const job = await vi.waitFor(async () => {
      const found = await queue.getJob(`${taskId}-1`)
      if (found === undefined) throw new Error('no job yet')
      return found
    })
    await executor.start({ id: taskId } as Task, job.data as Claim)
    expect(await queue.getWaitingCount()).toBe(1)
    startWorker()
    expect((await client.ended(taskId)).status).toBe('completed')
    await executor.start({ id: taskId } as Task, job.data as Claim)
    expect(await queue.getWaitingCount()).toBe(0)
    expect(runs).toBe(1)
  })
})
