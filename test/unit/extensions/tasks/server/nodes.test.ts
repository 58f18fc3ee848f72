// Several processes on one store: who runs a task, what happens when one is lost, and that nothing runs twice.
import { describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { accept, NAME_FORM, textsOf } from '../../../../interaction/kit/support-mcpserver.ts'
import { onlyKey } from '../../../../interaction/kit/support-tasks.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

describe('tasks of several processes', () => {
  it('a task whose process is lost fails, because the work may have been done already', async () => {
    await using nodes = new TaskNodes()
    const runs: string[] = []
    const define = (name: string) => (server: Parameters<Parameters<TaskNodes['add']>[0]>[0]) => {
      server.tool('charge', { task: 'always' }, async () => {
        runs.push(name)
        await new Promise(() => {})
      })
    }
    const first = await nodes.add(define('first'))
    const second = await nodes.add(define('second'))
    const { taskId } = await first.tasks.start('charge')
    first.die()
    await nodes.clock.advance(29_000)
    expect((await second.tasks.get(taskId)).status).toBe('working')
    await nodes.clock.advance(2_000)
    expect(await second.tasks.get(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The worker was lost.' },
    })
    await nodes.clock.advance(60_000)
    expect(runs).toEqual(['first'])
  })

  it.each([{ readOnlyHint: true }, { idempotentHint: true }])(
    'a tool with %o is run again by another process, and its steps are not repeated',
    async (annotations) => {
      await using nodes = new TaskNodes()
      const seen: string[] = []
      const define = (name: string) => (server: Parameters<Parameters<TaskNodes['add']>[0]>[0]) => {
        server.tool('read', { task: 'always', annotations }, async (_args, ctx) => {
          await ctx.step('fetch', () => void seen.push(`step ${name}`))
          seen.push(`run ${name} ${ctx.task?.attempt} ${ctx.task?.isResumed}`)
          if (name === 'first') await new Promise(() => {})
          return 'done'
        })
      }
      const first = await nodes.add(define('first'))
      const second = await nodes.add(define('second'))
      const { taskId } = await first.tasks.start('read')
      await nodes.clock.advance(1)
      first.die()
      await nodes.clock.advance(40_000)
      expect(textsOf((await second.tasks.ended(taskId)).result as never)).toEqual(['done'])
      expect(seen).toEqual(['step first', 'run first 1 false', 'run second 2 true'])
    },
  )

  it('a process that only serves creates tasks, answers about them and cancels them; another one runs them', async () => {
    await using nodes = new TaskNodes()
    const runs: string[] = []
    const aborted = createDeferred<string>()
    const define = (name: string) => (server: Parameters<Parameters<TaskNodes['add']>[0]>[0]) => {
      server.tool('ask', { task: 'always' }, async (_args, ctx) => {
        runs.push(name)
        return (await ctx.elicit('Name?', NAME_FORM)).action
      })
      server.tool('endless', { task: 'always' }, async (_args, ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        aborted.resolve((ctx.signal.reason as Error).message)
        throw ctx.signal.reason
      })
    }
    const serving = await nodes.add(define('serving'), { workers: 0 })
    await nodes.add(define('working'))
    const { taskId } = await serving.tasks.start('ask')
    const waiting = await serving.tasks.until(taskId, 'input_required')
    await serving.tasks.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
    expect((await serving.tasks.ended(taskId)).status).toBe('completed')
    expect(new Set(runs)).toEqual(new Set(['working']))

    const endless = await serving.tasks.start('endless')
    await serving.tasks.cancel(endless.taskId)
    expect(await aborted.promise).toBe('The task was cancelled')
    expect((await serving.tasks.ended(endless.taskId)).status).toBe('cancelled')
  })

  it('at most so many runs go on at once; the others wait their turn', async () => {
    await using nodes = new TaskNodes()
    let running = 0
    let most = 0
    const ends: (() => void)[] = []
    const { tasks } = await nodes.add(
      (server) => {
        server.tool('work', { task: 'always' }, async () => {
          running += 1
          most = Math.max(most, running)
          await new Promise<void>((resolve) => ends.push(resolve))
          running -= 1
        })
      },
      { workers: 2 },
    )
    // At once, so that each of them is created while the others are.
    const started = await Promise.all(Array.from({ length: 7 }, () => tasks.start('work')))
    await nodes.clock.advance(1)
    expect(running).toBe(2)
    for (const _task of started) {
      while (ends.length === 0) await nodes.clock.advance(1)
      ends.shift()?.()
      await nodes.clock.advance(1)
    }
    for (const { taskId } of started) await tasks.ended(taskId)
    expect(most).toBe(2)
  })

  it('a task that the store creates but can not show does not run, and its place is free again', async () => {
    await using nodes = new TaskNodes()
    const run = vi.fn(() => 'done')
    const define = (server: Parameters<Parameters<TaskNodes['add']>[0]>[0]) =>
      void server.tool('work', { task: 'always', annotations: { readOnlyHint: true } }, run)
    const { tasks } = await nodes.add(define, { workers: 1 })
    vi.spyOn(nodes.store, 'get').mockRejectedValueOnce(new Error('Out of reach'))
    await expect(tasks.start('work')).rejects.toThrow()
    await nodes.clock.advance(120_000)
    expect(run).not.toHaveBeenCalled()
    expect(await nodes.store.countOpen()).toBe(0)
    const { taskId } = await tasks.start('work')
    expect((await tasks.ended(taskId)).status).toBe('completed')
  })

  it('X-12: a task of a tool that a process does not have waits for one that has it', async () => {
    await using nodes = new TaskNodes()
    const serving = await nodes.add((server) => void server.tool('report', { task: 'always' }, () => 'never'), {
      workers: 0,
    })
    await nodes.add((server) => void server.tool('other', { task: 'always' }, () => 'other'))
    const { taskId } = await serving.tasks.start('report')
    await nodes.clock.advance(20_000)
    expect((await serving.tasks.get(taskId)).status).toBe('working')
    await nodes.add((server) => void server.tool('report', { task: 'always' }, () => 'done'))
    expect(textsOf((await serving.tasks.ended(taskId)).result as never)).toEqual(['done'])
  })

  it('a process that closes gives back what may be repeated, and fails the rest', async () => {
    await using nodes = new TaskNodes()
    const define = (name: string) => (server: Parameters<Parameters<TaskNodes['add']>[0]>[0]) => {
      const run = async () => (name === 'first' ? new Promise<string>(() => {}) : 'done')
      server.tool('charge', { task: 'always' }, run)
      server.tool('read', { task: 'always', annotations: { readOnlyHint: true } }, run)
    }
    const first = await nodes.add(define('first'))
    const charge = await first.tasks.start('charge')
    const read = await first.tasks.start('read')
    const second = await nodes.add(define('second'))
    await first.server.close()
    expect(await second.tasks.ended(charge.taskId)).toMatchObject({ status: 'failed' })
    expect(await second.tasks.ended(read.taskId)).toMatchObject({ status: 'completed' })
  })
})
