// How soon the caller of a short task has its result.
import { describe, expect, it } from 'vitest'
import { pollIntervalOf } from '../../../../src/extensions/tasks/server/values/wire.ts'
import { tasks } from '../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { fakeClock } from '../../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../../src/testing/with-tasks.ts'

describe.each(['2025-11-25', '2026-07-28'] as const)('a task that ends after 50 ms (%s)', (mode) => {
  it('is returned within a quarter of a second, at the pace that the server names', async () => {
    const clock = fakeClock()
    const server = new MCPServer('works', { extensions: [tasks()] })
    let polls = 0
    server.use((ctx, next) => {
      if (ctx.method === 'tasks/get') polls += 1
      return next()
    })
    server.tool('short', { task: 'always' }, async () => {
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 50))
      return 'done'
    })
    await using client = await connect(withTasks(server, { clock }), { mode, extensions: [tasks({ watch: false })] })
    await client.listTools()
    let isDone = false
    const call = client.callTool('short', {}, { task: true }).then((result) => {
      isDone = true
      return result
    })
    await clock.advance(199)
    expect([isDone, polls]).toEqual([false, 0])
    await clock.advance(51)
    expect([isDone, polls]).toEqual([true, 1])
    expect((await call).content).toMatchObject([{ text: 'done' }])
  })
})

it('the interval that a server names grows with the age of the task', () => {
  const task = { id: '\0\0', createdAt: 0, updatedAt: 0, status: 'working', pollIntervalMs: 0 } as const
  const ages = [0, 999, 1_000, 9_999, 10_000, 60_000, 600_000]
  expect(ages.map((age) => pollIntervalOf(task, age))).toEqual([200, 200, 1_000, 1_000, 2_000, 5_000, 15_000])
  expect(pollIntervalOf({ ...task, pollIntervalMs: 700 }, 0)).toBe(700)
})
