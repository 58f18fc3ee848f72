// Handlers that work on after their task has ended: what they count for, and how long.
import { describe, expect, it, vi } from 'vitest'
import type { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import type { BareTasks } from '../../../../interaction/kit/support-tasks.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

/** The time that a cancelled run has to stop before its task is cancelled without it. */
const GRACE_MS = 5_001

/** A tool whose runs hear no signal, and end when the test lets them. */
function deafTool() {
  const ends: (() => void)[] = []
  const define = (server: MCPServer) =>
    void server.tool('deaf', { task: 'always', annotations: { readOnlyHint: true } }, () => {
      return new Promise<string>((resolve) => ends.push(() => resolve('done')))
    })
  return { define, ends }
}

async function startAndCancel(tasks: BareTasks, nodes: TaskNodes): Promise<void> {
  const { taskId } = await tasks.start('deaf')
  await nodes.clock.advance(1)
  await tasks.cancel(taskId)
  await nodes.clock.advance(GRACE_MS)
  expect((await tasks.get(taskId)).status).toBe('cancelled')
}

describe('a handler that works on after its task was cancelled', () => {
  it.each([
    ['its owner', { limits: { perOwner: 2 }, owner: () => 'ada' }, 'limits.perOwner'],
    ['all, where nobody verified its caller', { limits: { total: 2 } }, 'limits.total'],
  ])('traps X-07: counts for the limit of %s until it ends', async (_whose, options, limit) => {
    await using nodes = new TaskNodes()
    const { define, ends } = deafTool()
    const { tasks } = await nodes.add(define, { workers: 8, ...options })
    for (let count = 0; count < 2; count++) await startAndCancel(tasks, nodes)
    await expect(tasks.start('deaf')).rejects.toMatchObject({ data: { limit, max: 2 } })

    ends[0]?.()
    await nodes.clock.advance(1)
    await startAndCancel(tasks, nodes)
    await expect(tasks.start('deaf')).rejects.toMatchObject({ data: { limit } })

    // One that never ends counts for 60 s.
    await nodes.clock.advance(60_000)
    await tasks.start('deaf')
    await tasks.start('deaf')
    expect(ends).toHaveLength(5)
  })

  it('traps X-07: counts once where another process goes on with its task', async () => {
    await using nodes = new TaskNodes()
    const { define, ends } = deafTool()
    const options = { workers: 1, limits: { perOwner: 2 }, owner: () => 'ada' }
    const { tasks, faults } = await nodes.add(define, options)
    await nodes.add(define, options)
    const { taskId } = await tasks.start('deaf')
    const renew = vi.spyOn(nodes.store, 'renew').mockRejectedValue(new Error('Out of reach'))
    await nodes.clock.advance(40_000)
    renew.mockRestore()
    expect(ends).toHaveLength(2)
    // The first run learns that it has lost its task.
    await nodes.clock.advance(15_000)
    expect(await tasks.get(taskId)).toMatchObject({ status: 'working' })
    expect(faults.length).toBeGreaterThan(0)
    await tasks.start('deaf')
    await expect(tasks.start('deaf')).rejects.toMatchObject({ data: { limit: 'limits.perOwner' } })
  })
})
