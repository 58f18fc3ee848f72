// Hints of a store over a network come late, twice, in another order or never. Whoever waits looks every two seconds, so that
// everything ends all the same.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TaskListener, TaskStore } from '../../../../../src/backend/task-store.ts'
import { Client } from '../../../../../src/client/client.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { ServerRequestContext } from '../../../../../src/server/context.ts'
import { coreOf } from '../../../../../src/server/internals.ts'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import { accept, NAME_FORM } from '../../../../interaction/kit/support-mcpserver.ts'
import { resultOf, startTask, textIn } from '../../../../interaction/tasks/support-core.ts'
import { lateHints } from '../../../../support/late-hints.ts'
import { type TaskNode, TaskNodes } from '../../../../support/shared-tasks.ts'

type Server = TaskNode['server']

/** Every hint is lost. */
const SILENT = { seed: 1, lost: 100, answerMs: 0 }

/** The time of one look, and of its answers. */
const LOOK_MS = 2_300

function silentNodes(): TaskNodes {
  return new TaskNodes((store, clock) => lateHints(store, clock, SILENT))
}

/** A tool whose run ends when the test says so, or when it is stopped. */
function defineWork(task: object = {}) {
  const begun = createDeferred<ServerRequestContext['signal']>()
  const go = createDeferred()
  const aborted = createDeferred<unknown>()
  const define = (server: Server) => {
    server.tool('work', { task: { mode: 'always', ...task } }, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason))
      begun.resolve(ctx.signal)
      await Promise.race([go.promise, aborted.promise])
      ctx.signal.throwIfAborted()
      return 'done'
    })
  }
  return { define, begun: begun.promise, go: go.resolve, aborted: aborted.promise }
}

function connectLegacy({ server }: TaskNode, onStatus: (status: string) => void): Promise<Client> {
  const onMessage = ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'notifications/tasks/status') onStatus((params as TaskState).status)
  }
  return Client.connect(server, { mode: '2025-11-25', onMessage })
}

/** What a client hears that watches tasks on a server. */
async function watchTask({ client }: TaskNode, taskId: string) {
  const heard: TaskState[] = []
  const ended = createDeferred<TaskState>()
  const subscription = await client.listen({ taskIds: [taskId] } as never)
  const hear = async () => {
    for await (const event of subscription as AsyncIterable<unknown>) {
      const { params } = event as { params: TaskState }
      heard.push(params)
      if (['completed', 'failed', 'cancelled'].includes(params.status)) ended.resolve(params)
    }
  }
  hear().catch(ended.reject)
  ended.promise.catch(() => {})
  return { heard, ended: ended.promise, close: () => subscription.close() }
}

describe('a store whose hints are all lost', () => {
  it('a worker begins a task that another process created within two seconds', async () => {
    await using nodes = silentNodes()
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    await serving.tasks.start('work')
    await nodes.waitFor(work.begun, LOOK_MS)
  })

  it.each([{ holds: false }, { holds: true }])('a run hears of a cancel within two seconds (%o)', async (task) => {
    await using nodes = silentNodes()
    const work = defineWork(task)
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const { taskId } = await serving.tasks.start('work')
    await nodes.waitFor(work.begun)
    await serving.tasks.cancel(taskId)
    expect(await nodes.waitFor(work.aborted, LOOK_MS)).toMatchObject({ message: 'The task was cancelled' })
    expect((await nodes.waitFor(serving.tasks.ended(taskId))).status).toBe('cancelled')
  })

  it('a run that holds a question hears of a cancel within two seconds', async () => {
    await using nodes = silentNodes()
    const aborted = createDeferred()
    const define = (server: Server) => {
      server.tool('ask', { task: { mode: 'always', holds: true } }, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.resolve())
        return (await ctx.elicit('Name?', NAME_FORM)).action
      })
    }
    const serving = await nodes.add(define, { workers: 0 })
    await nodes.add(define)
    const { taskId } = await serving.tasks.start('ask')
    await nodes.waitFor(serving.tasks.until(taskId, 'input_required'))
    await serving.tasks.cancel(taskId)
    await nodes.waitFor(aborted.promise, LOOK_MS)
    expect((await nodes.waitFor(serving.tasks.ended(taskId))).status).toBe('cancelled')
  })

  it('tasks/result of another process is answered within two seconds of the end', async () => {
    await using nodes = silentNodes()
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    await using client = await Client.connect(serving.server, { mode: '2025-11-25' })
    const { taskId } = await startTask(client, 'work')
    const result = resultOf(client, taskId)
    await nodes.waitFor(work.begun)
    work.go()
    expect(textIn(await nodes.waitFor(result, LOOK_MS))).toBe('done')
  })

  it('the session that created a task of 2025-11-25 hears of its end within two seconds', async () => {
    await using nodes = silentNodes()
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const heard = createDeferred<string>()
    const onStatus = (status: string) => heard.resolve(status)
    await using client = await connectLegacy(serving, onStatus)
    await startTask(client, 'work')
    await nodes.waitFor(work.begun)
    work.go()
    expect(await nodes.waitFor(heard.promise, LOOK_MS)).toBe('completed')
  })

  it('a subscriber by taskIds hears of the end within two seconds', async () => {
    await using nodes = silentNodes()
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const { taskId } = await serving.tasks.start('work')
    const watched = await watchTask(serving, taskId)
    await nodes.waitFor(work.begun)
    work.go()
    expect((await nodes.waitFor(watched.ended, LOOK_MS)).status).toBe('completed')
    await nodes.clock.advance(10_000)
    expect(watched.heard).toHaveLength(1)
    await watched.close()
  })

  it('metrics of the process that created a task hear of its end within two seconds', async () => {
    await using nodes = silentNodes()
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const ended = createDeferred<string>()
    coreOf(serving.server.server).taskObservers.add(({ to }) => void (to === 'completed' && ended.resolve(to)))
    await serving.tasks.start('work')
    await nodes.waitFor(work.begun)
    work.go()
    await nodes.waitFor(ended.promise, LOOK_MS)
  })
})

describe('a store that says that hints were missed', () => {
  it('workers, runs, waiting results, subscribers and metrics look at once', async () => {
    const listeners = new Set<TaskListener>()
    const mute = (store: TaskStore): TaskStore =>
      new Proxy(store, {
        get: (target, name) => {
          if (name === 'watch') {
            return (listener: TaskListener) => {
              listeners.add(listener)
              return () => {}
            }
          }
          const member = Reflect.get(target, name) as unknown
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    await using nodes = new TaskNodes(mute)
    const missed = async () => {
      for (const listener of listeners) listener.missed()
      // Shorter than the time to the next look.
      await nodes.clock.advance(1)
    }
    const work = defineWork()
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const observed: string[] = []
    coreOf(serving.server.server).taskObservers.add(({ to }) => void observed.push(to))
    const statuses: string[] = []
    await using client = await connectLegacy(serving, (status) => void statuses.push(status))
    const { taskId } = await serving.tasks.start('work')
    const core = await startTask(client, 'work')
    const result = resultOf(client, core.taskId).then(textIn)
    const watched = await watchTask(serving, taskId)
    await missed()
    await work.begun
    work.go()
    await nodes.clock.advance(1)
    expect([observed, watched.heard, statuses]).toEqual([['working', 'working'], [], []])
    await missed()
    expect(await result).toBe('done')
    expect((await watched.ended).status).toBe('completed')
    expect(observed.slice(2)).toEqual(['completed', 'completed'])
    expect(statuses).toEqual(['completed'])
    const second = defineWork()
    await using other = new TaskNodes(mute)
    const alone = await other.add(second.define)
    const endless = await alone.tasks.start('work')
    await other.clock.advance(1)
    await other.store.cancel(endless.taskId, 5_000)
    for (const listener of listeners) listener.missed()
    await other.clock.advance(1)
    expect(await second.aborted).toMatchObject({ message: 'The task was cancelled' })
    await watched.close()
  })
})

describe('a store whose hints come late', () => {
  it('a run does not renew its lease again and again because of its own changes', async () => {
    let renewals = 0
    const counted = (store: TaskStore): TaskStore =>
      new Proxy(store, {
        get: (target, name) => {
          const member = Reflect.get(target, name) as (...args: unknown[]) => unknown
          return (...args: unknown[]) => {
            if (name === 'renew') renewals += 1
            return Reflect.apply(member, target, args)
          }
        },
      })
    const late = { seed: 3, lost: 0, doubled: 50, latestMs: 300, answerMs: 0 }
    await using nodes = new TaskNodes((store, clock) => counted(lateHints(store, clock, late)))
    // Each renewal would make the time on the wire grow.
    const work = defineWork({ ttlMs: 1_000, keepMs: 600_000 })
    const node = await nodes.add(work.define)
    const { taskId } = await node.tasks.start('work')
    await nodes.clock.advance(60_000)
    expect(renewals).toBeLessThanOrEqual(7)
    work.go()
    expect((await nodes.waitFor(node.tasks.ended(taskId))).status).toBe('completed')
  })

  it('a cancel that comes while a run writes is heard after the write', async () => {
    const gate = createDeferred()
    const writes = createDeferred()
    const gated = (store: TaskStore): TaskStore =>
      new Proxy(store, {
        get: (target, name) => {
          const member = Reflect.get(target, name) as (...args: unknown[]) => unknown
          return async (...args: unknown[]) => {
            const done = Reflect.apply(member, target, args)
            if (name !== 'keepStep') return done
            writes.resolve()
            await gate.promise
            return done
          }
        },
      })
    const asSync = (store: TaskStore): TaskStore => {
      const slow = gated(store)
      return new Proxy(slow, {
        get: (target, name) => (name === 'watch' ? store.watch.bind(store) : Reflect.get(target, name)),
      })
    }
    await using nodes = new TaskNodes(asSync)
    const aborted = createDeferred<unknown>()
    const define = (server: Server) => {
      server.tool('work', { task: 'always' }, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.reason))
        await ctx.step('write', () => 1)
        await aborted.promise
        return 'stopped'
      })
    }
    const node = await nodes.add(define)
    const { taskId } = await node.tasks.start('work')
    await writes.promise
    await nodes.store.cancel(taskId, 5_000)
    gate.resolve()
    await nodes.clock.advance(1)
    expect(await aborted.promise).toMatchObject({ message: 'The task was cancelled' })
  })

  it('a subscriber hears of each state once, however often its hint comes', async () => {
    const twice = { seed: 5, lost: 0, doubled: 100, latestMs: 3_000, answerMs: 20 }
    await using nodes = new TaskNodes((store, clock) => lateHints(store, clock, twice))
    const work = defineWork()
    const node = await nodes.add(work.define)
    const { taskId } = await nodes.waitFor(node.tasks.start('work'))
    const watched = await nodes.waitFor(watchTask(node, taskId))
    work.go()
    await nodes.waitFor(watched.ended)
    await nodes.clock.advance(10_000)
    expect(watched.heard.map(({ status }) => status)).toEqual(['completed'])
    await watched.close()
  })
})

it('questions, cancels, results, subscriptions and workers come to their end with hints in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.boolean(),
      fc.constantFrom('finish' as const, 'cancel' as const),
      async (seed, holds, how) => {
        await using nodes = new TaskNodes((store, clock, node) => lateHints(store, clock, { seed: seed + node }))
        const define = (server: Server) => {
          server.tool('ask', { task: { mode: 'always', holds } }, async (_args, ctx) => {
            await ctx.step('begin', () => 1)
            const answers = await Promise.all([ctx.elicit('A?', NAME_FORM), ctx.elicit('B?', NAME_FORM)])
            if (how === 'cancel' && !ctx.signal.aborted) {
              await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
            }
            ctx.signal.throwIfAborted()
            return answers.map(({ action }) => action).join()
          })
        }
        const serving = await nodes.add(define, { workers: 0 })
        const working = await nodes.add(define)
        await using legacy = await Client.connect(serving.server, {
          mode: '2025-11-25',
          onElicitation: () => accept('Ada'),
        })
        const core = await nodes.waitFor(startTask(legacy, 'ask'))
        const result = resultOf(legacy, core.taskId).then(textIn, () => 'no result')
        const { taskId } = await nodes.waitFor(serving.tasks.start('ask'))
        const watched = await nodes.waitFor(watchTask(working, taskId))
        await nodes.waitFor(answerAll(serving, taskId), 30_000)
        if (how === 'cancel') {
          await nodes.waitFor(serving.tasks.cancel(taskId))
          await nodes.waitFor(nodes.store.cancel(core.taskId, 0))
        }
        const expected = how === 'cancel' ? 'cancelled' : 'completed'
        expect((await nodes.waitFor(watched.ended, 15_000)).status).toBe(expected)
        expect(await nodes.waitFor(result, 30_000)).toBe(how === 'cancel' ? 'no result' : 'accept,accept')
        expect((await nodes.waitFor(serving.tasks.get(taskId))).status).toBe(expected)
        await nodes.waitFor(watched.close())
      },
    ),
    { numRuns: 6 },
  )
}, 120_000)

/** Answers both questions of a task, each as soon as it is open. */
async function answerAll({ tasks }: TaskNode, taskId: string): Promise<void> {
  const answered = new Set<string>()
  while (answered.size < 2) {
    const { status, inputRequests = {} } = await tasks.get(taskId)
    expect(['working', 'input_required']).toContain(status)
    for (const key of Object.keys(inputRequests)) {
      if (answered.has(key)) continue
      await tasks.update(taskId, { [key]: accept('Ada') })
      answered.add(key)
    }
  }
}
