// A store whose engine is away, or whose answers get lost: what clients hear, and what becomes of runs.
import { describe, expect, it } from 'vitest'
import { BackendError } from '../../../../../src/backend/backend-error.ts'
import type { TaskStore } from '../../../../../src/backend/task-store.ts'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import type { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { extensionsFor } from '../../../../../src/testing/with-tasks.ts'
import { accept, NAME_FORM, textsOf } from '../../../../interaction/kit/support-mcpserver.ts'
import { onlyKey } from '../../../../interaction/kit/support-tasks.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

const SECRET = 'redis://:hunter2@10.0.0.1'

/** What happens to an operation of the store: nothing, it does not arrive, or only its answer gets lost. */
type Fate = 'passes' | 'away' | 'silent'

class Engine {
  fate: (operation: string) => Fate = () => 'passes'
  readonly calls: { operation: string; at: number }[] = []

  readonly nodes = new TaskNodes((store, clock) => this.#between(store, () => clock.monotonic()))

  #between(store: TaskStore, now: () => number): TaskStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown
        if (typeof member !== 'function') return member
        if (name === 'watch') return member.bind(target) as unknown
        return async (...args: unknown[]) => {
          const operation = String(name)
          this.calls.push({ operation, at: now() })
          const fate = this.fate(operation)
          if (fate === 'away') throw failure('unavailable', operation, 'not-done')
          const value = await (Reflect.apply(member, target, args) as Promise<unknown>)
          if (fate === 'silent') throw failure('timeout', operation, 'unknown')
          return value
        }
      },
    })
  }

  count(operation: string): number {
    return this.calls.filter((call) => call.operation === operation).length
  }
}

function failure(kind: 'unavailable' | 'timeout', operation: string, outcome: 'not-done' | 'unknown'): BackendError {
  return new BackendError(`${SECRET} does not answer`, { kind, operation: `tasks.${operation}`, outcome })
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('expected an error'),
    (error: unknown) => error as { code: number; message: string; data?: unknown },
  )

function waitingTool(task: object = { mode: 'always' }) {
  const begun = createDeferred()
  const go = createDeferred()
  const aborted = createDeferred<string>()
  const define = (server: MCPServer) =>
    void server.tool('wait', { task }, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve((ctx.signal.reason as Error).message))
      begun.resolve()
      await go.promise
      return 'done'
    })
  return { define, begun: begun.promise, go: () => go.resolve(), aborted: aborted.promise }
}

describe('an engine that is away', () => {
  it('a call that would become a task, a poll, an answer and a cancel get an error that hides the engine and says when to try again', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const node = await nodes.add((server) => {
      server.tool('ask', { task: 'always' }, async (_args, ctx) => (await ctx.elicit('Name?', NAME_FORM)).action)
    })
    const { taskId } = await node.tasks.start('ask')
    const key = onlyKey(await node.tasks.until(taskId, 'input_required'))
    engine.fate = () => 'away'
    const sent = [
      node.tasks.call('ask'),
      node.tasks.get(taskId),
      node.tasks.update(taskId, { [key]: accept('Ada') }),
      node.tasks.cancel(taskId),
    ]
    for (const error of await Promise.all(sent.map(errorOf))) {
      expect(error.message).toBe('The server cannot reach its tasks now. Try again in a moment.')
      expect(error).toMatchObject({ code: -32603, data: { retryAfterMs: 1_000 } })
    }
    await nodes.clock.advance(50_000)
    // Once a minute, whatever fails for it.
    expect(node.faults.map(({ kind, message }) => ({ kind, message }))).toEqual([
      { kind: 'transport', message: 'The store of tasks does not answer.' },
    ])
    engine.fate = () => 'passes'
    await node.tasks.update(taskId, { [key]: accept('Ada') })
    await nodes.clock.advance(2_000)
    expect(textsOf((await node.tasks.ended(taskId)).result as never)).toEqual(['accept'])
  })

  it('a client that waits for its task goes on after an outage', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const work = waitingTool()
    const { server } = await nodes.add(work.define)
    await using client = await Client.connect(server, { ...extensionsFor(server, [tasks()]) })
    const result = client.callTool('wait')
    result.catch(() => {})
    await nodes.waitFor(work.begun)
    engine.fate = () => 'away'
    await nodes.clock.advance(20_000)
    engine.fate = () => 'passes'
    work.go()
    expect(textsOf((await nodes.waitFor(result)) as never)).toEqual(['done'])
  })

  it('a run whose lease cannot be renewed goes on until the lease has run out, and is stopped then', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const work = waitingTool()
    const node = await nodes.add(work.define)
    await node.tasks.start('wait')
    await nodes.waitFor(work.begun)
    engine.fate = () => 'away'
    let isAborted = false
    void work.aborted.then(() => {
      isAborted = true
    })
    await nodes.clock.advance(28_000)
    expect(isAborted).toBe(false)
    await nodes.clock.advance(4_000)
    expect(await work.aborted).toBe('The task was taken from this process')
  })

  it('a run goes on to its end where the engine is back before its lease has run out', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const work = waitingTool()
    const node = await nodes.add(work.define)
    const { taskId } = await node.tasks.start('wait')
    await nodes.waitFor(work.begun)
    engine.fate = () => 'away'
    await nodes.clock.advance(27_000)
    engine.fate = () => 'passes'
    // A renewal that failed is repeated at once, not after another third of the lease.
    await nodes.clock.advance(60_000)
    work.go()
    await nodes.clock.advance(1)
    expect((await node.tasks.ended(taskId)).status).toBe('completed')
  })

  it('a step of a run is kept once the engine is back, and runs once', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    let steps = 0
    const begun = createDeferred()
    const node = await nodes.add((server) => {
      server.tool('work', { task: 'always' }, async (_args, ctx) => {
        const value = await ctx.step('one', () => {
          steps += 1
          engine.fate = () => 'away'
          begun.resolve()
          return 'kept'
        })
        return value
      })
    })
    const { taskId } = await node.tasks.start('work')
    await nodes.waitFor(begun.promise)
    await nodes.clock.advance(10_000)
    engine.fate = () => 'passes'
    await nodes.clock.advance(5_000)
    expect(textsOf((await node.tasks.ended(taskId)).result as never)).toEqual(['kept'])
    expect(steps).toBe(1)
  })
})

describe('answers that get lost', () => {
  it('D035: finish answered by silence is repeated, and the task has one outcome', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const work = waitingTool()
    const node = await nodes.add(work.define)
    const { taskId } = await node.tasks.start('wait')
    await nodes.waitFor(work.begun)
    let silent = 1
    engine.fate = (operation) => (operation === 'finish' && silent-- > 0 ? 'silent' : 'passes')
    work.go()
    await nodes.clock.advance(5_000)
    expect(engine.count('finish')).toBe(2)
    expect(textsOf((await node.tasks.ended(taskId)).result as never)).toEqual(['done'])
    expect(node.faults).toEqual([])
  })

  it('D035: the result is kept for ten minutes while finish does not arrive, and is given up then', async () => {
    for (const [minutes, status] of [
      [9, 'completed'],
      [11, 'failed'],
    ] as const) {
      const engine = new Engine()
      await using nodes = engine.nodes
      const work = waitingTool()
      const node = await nodes.add(work.define)
      const { taskId } = await node.tasks.start('wait')
      await nodes.waitFor(work.begun)
      engine.fate = (operation) => (operation === 'finish' ? 'away' : 'passes')
      work.go()
      await nodes.clock.advance(minutes * 60_000)
      engine.fate = () => 'passes'
      await nodes.clock.advance(6_000)
      expect((await node.tasks.get(taskId)).status).toBe(status)
    }
  })

  it('create answered by silence is repeated: the call gets its task, and it runs once', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    let runs = 0
    const node = await nodes.add((server) => {
      server.tool('work', { task: 'always' }, () => {
        runs += 1
        return 'done'
      })
    })
    let silent = 1
    engine.fate = (operation) => (operation === 'create' && silent-- > 0 ? 'silent' : 'passes')
    const { taskId } = await node.tasks.start('work')
    expect((await node.tasks.ended(taskId)).status).toBe('completed')
    await nodes.clock.advance(60_000)
    expect(runs).toBe(1)
    expect(await nodes.store.countOpen()).toBe(0)
  })

  it('a task whose caller got an error is withdrawn, where it may exist all the same', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    let runs = 0
    const define = (server: MCPServer) =>
      void server.tool('work', { task: 'always', annotations: { readOnlyHint: true } }, () => {
        runs += 1
        return 'done'
      })
    const node = await nodes.add(define)
    engine.fate = (operation) => (operation === 'create' ? 'silent' : 'passes')
    expect((await errorOf(node.tasks.call('work'))).message).toContain('Try again in a moment')
    await nodes.clock.advance(60_000)
    expect(runs).toBe(0)
    expect(await nodes.store.countOpen()).toBe(0)
  })
})

describe('leases', () => {
  it('the leases of runs that began within a few seconds are renewed together', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const node = await nodes.add((server) => {
      server.tool('wait', { task: 'always' }, () => new Promise(() => {}))
    })
    for (let run = 0; run < 10; run += 1) {
      await node.tasks.start('wait')
      await nodes.clock.advance(200)
    }
    await nodes.clock.advance(60_000)
    const renewals = engine.calls.filter(({ operation }) => operation === 'renew')
    expect(renewals.length).toBeGreaterThanOrEqual(50)
    expect(new Set(renewals.map(({ at }) => at)).size).toBeLessThanOrEqual(renewals.length / 10)
  })

  it('a run that a worker claimed keeps its task, also where the tool has a long lease', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const work = waitingTool({ mode: 'always', leaseMs: 600_000 })
    const serving = await nodes.add(work.define, { workers: 0 })
    await nodes.add(work.define)
    const { taskId } = await serving.tasks.start('wait')
    await nodes.waitFor(work.begun)
    await nodes.clock.advance(120_000)
    work.go()
    await nodes.clock.advance(3_000)
    expect(textsOf((await serving.tasks.ended(taskId)).result as never)).toEqual(['done'])
  })

  it('D040: a task that kills its process each time fails after its attempts, and other tasks go on', async () => {
    const engine = new Engine()
    await using nodes = engine.nodes
    const runs: number[] = []
    const define = (index: number) => (server: MCPServer) => {
      server.tool('poison', { task: { mode: 'always', attempts: 3 } }, async () => {
        runs.push(index)
        await new Promise(() => {})
      })
      server.tool('good', { task: { mode: 'always', attempts: 3 } }, () => 'done')
    }
    const serving = await nodes.add(define(9), { workers: 0 })
    const { taskId } = await serving.tasks.start('poison')
    for (let index = 0; index < 4; index += 1) {
      const node = await nodes.add(define(index))
      await nodes.clock.advance(3_000)
      if (runs.includes(index)) node.die()
      await nodes.clock.advance(40_000)
    }
    const good = await serving.tasks.start('good')
    await nodes.clock.advance(3_000)
    expect(runs).toHaveLength(3)
    expect(await serving.tasks.get(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The worker was lost.' },
    })
    expect((await serving.tasks.get(good.taskId)).status).toBe('completed')
  })
})
