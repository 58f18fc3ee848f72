// The times of a task: how long it lives, runs, waits and is kept.
import { describe, expect, it } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import { accept, NAME_FORM, refusalOf } from '../../../../interaction/kit/support-mcpserver.ts'
import { onlyKey } from '../../../../interaction/kit/support-tasks.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

const MINUTE = 60_000

describe('the times of a task', () => {
  it('tasks T-28: the result is kept for ttlMs, and for keepMs after the end; then the task is unknown', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const { tasks } = await nodes.add((server) => {
      server.tool('quick', { task: { mode: 'always', ttlMs: 60 * MINUTE, keepMs: MINUTE } }, () => 'done')
      server.tool('brief', { task: { mode: 'always', ttlMs: MINUTE, keepMs: 10 * MINUTE } }, () => 'done')
    })
    const quick = await tasks.finish('quick')
    const brief = await tasks.finish('brief')
    await clock.advance(9 * MINUTE)
    expect(await tasks.get(brief.taskId)).toMatchObject({ status: 'completed', ttlMs: 10 * MINUTE })
    await clock.advance(2 * MINUTE)
    expect((await refusalOf(tasks.get(brief.taskId))).message).toContain('Unknown task')
    await clock.advance(48 * MINUTE)
    expect((await tasks.get(quick.taskId)).status).toBe('completed')
    await clock.advance(2 * MINUTE)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refusal = await refusalOf(tasks.send(method, { taskId: quick.taskId, inputResponses: {} }))
      expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown task') })
    }
  })

  it('X-04: work that takes longer than ttlMs goes on, its time on the wire grows, and its result is kept', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const end = createDeferred()
    const { tasks } = await nodes.add((server) => {
      server.tool('long', { task: { mode: 'always', ttlMs: MINUTE, keepMs: 2 * MINUTE } }, async () => {
        await end.promise
        return 'done'
      })
    })
    const { taskId } = await tasks.start('long')
    await clock.advance(10 * MINUTE)
    const working = await tasks.get(taskId)
    expect(working.status).toBe('working')
    expect(working.ttlMs).toBeGreaterThanOrEqual(11 * MINUTE)
    end.resolve()
    await tasks.ended(taskId)
    await clock.advance(MINUTE)
    expect((await tasks.get(taskId)).status).toBe('completed')
  })

  it('X-05: a task that waits for an answer when ttlMs passes is failed, and its question is closed', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const { tasks } = await nodes.add((server) => {
      server.tool('ask', { task: { mode: 'always', ttlMs: MINUTE, keepMs: MINUTE } }, async (_args, ctx) => {
        await ctx.elicit('Name?', NAME_FORM)
        return 'never'
      })
    })
    const { taskId } = await tasks.start('ask')
    const waiting = await tasks.until(taskId, 'input_required')
    await clock.advance(MINUTE + 1)
    const failed = await tasks.get(taskId)
    expect(failed).toMatchObject({
      status: 'failed',
      statusMessage: 'Nobody answered the question in time.',
      error: { code: -32603, message: 'Nobody answered the question in time.' },
    })
    await tasks.update(taskId, { [onlyKey(waiting)]: accept('late') })
    expect(await tasks.get(taskId)).toEqual(failed)
  })

  it('X-05: maxRuntimeMs aborts the run and fails the task, while waiting for an answer does not count', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const reasons: unknown[] = []
    const task = { mode: 'always', maxRuntimeMs: 5_000, holds: true } as const
    const { tasks } = await nodes.add((server) => {
      server.tool('slow', { task }, async (_args, ctx) => {
        await ctx.elicit('Go?', NAME_FORM)
        ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).name))
        await new Promise(() => {})
      })
    })
    const { taskId } = await tasks.start('slow')
    const waiting = await tasks.until(taskId, 'input_required')
    await clock.advance(30_000)
    await tasks.update(taskId, { [onlyKey(waiting)]: accept('go') })
    await clock.advance(4_000)
    expect((await tasks.get(taskId)).status).toBe('working')
    await clock.advance(1_500)
    expect(await tasks.get(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The task ran longer than 5000 ms and was stopped.' },
    })
    expect(reasons).toEqual(['TimeoutError'])
  })

  it('a run that holds is given up after parkAfterMs and replayed with the answer', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    let runs = 0
    const { tasks } = await nodes.add(
      (server) => {
        server.tool('held', { task: { mode: 'always', holds: true } }, async (_args, ctx) => {
          runs += 1
          return (await ctx.elicit('Name?', NAME_FORM)).action
        })
      },
      { limits: { parkAfterMs: 10_000 } },
    )
    const { taskId } = await tasks.start('held')
    const waiting = await tasks.until(taskId, 'input_required')
    await clock.advance(11_000)
    expect(runs).toBe(1)
    await tasks.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
    expect((await tasks.ended(taskId)).status).toBe('completed')
    expect(runs).toBe(2)
  })

  it('a handler that ignores its signal is cancelled after the grace period, and its late result changes nothing', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const end = createDeferred()
    const { tasks } = await nodes.add((server) => {
      server.tool('deaf', { task: 'always' }, async () => {
        await end.promise
        return 'late'
      })
    })
    const { taskId } = await tasks.start('deaf')
    await tasks.cancel(taskId)
    await clock.advance(4_000)
    expect((await tasks.get(taskId)).status).toBe('working')
    await clock.advance(2_000)
    const cancelled = await tasks.get(taskId)
    expect(cancelled.status).toBe('cancelled')
    end.resolve()
    await clock.advance(1)
    expect(await tasks.get(taskId)).toEqual(cancelled)
  })

  it('TQ-15: of many status messages at most one in 500 ms is written, and the last one always', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const end = createDeferred()
    const { tasks } = await nodes.add((server) => {
      server.tool('chatty', { task: 'always' }, async (_args, ctx) => {
        for (let done = 1; done <= 100; done += 1) await ctx.reportProgress(done, 100)
        await end.promise
        await ctx.reportProgress(101, 100, 'Writing')
        return 'done'
      })
    })
    const seen: (string | undefined)[] = []
    const { taskId } = await tasks.start('chatty')
    const look = async () => seen.push((await tasks.get(taskId)).statusMessage)
    await clock.advance(1)
    await look()
    await clock.advance(498)
    await look()
    await clock.advance(2)
    await look()
    end.resolve()
    await tasks.ended(taskId)
    await look()
    expect(seen).toEqual(['1/100', '1/100', '100/100', 'Writing'])
  })

  it('X-24: clients are asked to come more rarely with the age of a task, and not all at once', async () => {
    await using nodes = new TaskNodes()
    const { clock } = nodes
    const end = createDeferred()
    const { tasks } = await nodes.add((server) => {
      server.tool('long', { task: 'always' }, () => end.promise)
    })
    const started: TaskState[] = []
    for (let n = 0; n < 20; n += 1) started.push(await tasks.start('long'))
    expect(new Set(started.map(({ pollIntervalMs }) => pollIntervalMs)).size).toBeGreaterThan(5)
    const { taskId } = started[0] as TaskState
    const intervals: number[] = []
    for (const ms of [0, 1_000, 9_000, 50_000, 540_000]) {
      await clock.advance(ms)
      intervals.push(Math.floor(((await tasks.get(taskId)).pollIntervalMs ?? 0) / 1.2))
    }
    for (const [index, least] of [200, 1_000, 2_000, 5_000, 15_000].entries()) {
      expect(intervals[index]).toBeGreaterThanOrEqual(least / 1.2 - 1)
      expect(intervals[index]).toBeLessThanOrEqual(least)
    }
    end.resolve()
  })
})
