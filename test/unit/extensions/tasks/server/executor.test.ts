// Tasks that a job system of the author runs.
import { describe, expect, it, vi } from 'vitest'
import type { Claim, Task, TaskExecutor } from '../../../../../src/backend/task-store.ts'
import { runTask } from '../../../../../src/extensions/tasks/run-task.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { accept, NAME_FORM, textsOf } from '../../../../interaction/kit/support-mcpserver.ts'
import { onlyKey } from '../../../../interaction/kit/support-tasks.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

/** A job system that keeps its jobs until the test runs them. */
class Jobs implements TaskExecutor {
  readonly jobs: Claim[] = []
  readonly cancelled: string[] = []
  failures = 0

  async start(_task: Task, claim: Claim): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1
      throw new Error('queue away')
    }
    // As JSON, like every queue.
    this.jobs.push(JSON.parse(JSON.stringify(claim)) as Claim)
  }

  async cancel(id: string): Promise<void> {
    this.cancelled.push(id)
  }
}

describe('an executor', () => {
  it('gets the claims of new tasks and of answered ones, and runTask runs each once', async () => {
    await using nodes = new TaskNodes()
    const executor = new Jobs()
    const runs = vi.fn()
    const define = (server: MCPServer) => {
      server.tool('ask', { task: 'always' }, async (_args, ctx) => {
        runs(ctx.task?.attempt)
        const answer = await ctx.elicit('Name?', NAME_FORM)
        return answer.action === 'accept' ? answer.content.name : answer.action
      })
    }
    const serving = await nodes.add(define, { executor })
    const working = await nodes.add(define, { workers: 0 })
    const { taskId } = await serving.tasks.start('ask')
    await nodes.clock.advance(1)
    expect(executor.jobs).toHaveLength(1)
    expect(runs).not.toHaveBeenCalled()
    // Longer than the lease of the tool: the job may wait in its queue.
    await nodes.clock.advance(60_000)
    await runTask(working.server, executor.jobs[0] as Claim)
    const waiting = await serving.tasks.until(taskId, 'input_required')
    await runTask(working.server, executor.jobs[0] as Claim)
    await serving.tasks.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
    await nodes.clock.advance(1)
    expect(executor.jobs).toHaveLength(2)
    await Promise.all(executor.jobs.map((job) => runTask(working.server, job)))
    expect(textsOf((await serving.tasks.ended(taskId)).result as never)).toEqual(['Ada'])
    expect(runs.mock.calls).toEqual([[1], [2]])
  })

  it('is told of a cancel, and a job whose task is cancelled does nothing', async () => {
    await using nodes = new TaskNodes()
    const executor = new Jobs()
    const run = vi.fn(() => 'done')
    const { server, tasks } = await nodes.add((one) => void one.tool('report', { task: 'always' }, run), { executor })
    const { taskId } = await tasks.start('report')
    await nodes.clock.advance(1)
    await tasks.cancel(taskId)
    expect(executor.cancelled).toEqual([taskId])
    await nodes.clock.advance(6_000)
    await runTask(server, executor.jobs[0] as Claim)
    expect((await tasks.get(taskId)).status).toBe('cancelled')
    expect(run).not.toHaveBeenCalled()
  })

  it('that fails to start a job is asked again, and the author hears of it', async () => {
    await using nodes = new TaskNodes()
    const executor = new Jobs()
    executor.failures = 1
    const { tasks, faults } = await nodes.add(
      (server) => void server.tool('report', { task: 'always' }, () => 'done'),
      { executor },
    )
    await tasks.start('report')
    await nodes.clock.advance(6_000)
    expect(executor.jobs).toHaveLength(1)
    expect(faults.map(({ error }) => (error as Error).message)).toEqual(['queue away'])
  })

  it('runTask says what is missing for a server without tasks', async () => {
    const claim = { id: 'x', kind: 'report', input: '{}', attempt: 1, steps: {}, answers: {} }
    await expect(runTask(new MCPServer('plain'), claim)).rejects.toThrow("Add tasks() from 'mcpwire/extensions/tasks'")
  })
})
