// Calls that become tasks while their handler runs, and calls that can't, on every transport. The clock of the server is the test's.
import { expect, vi } from 'vitest'
import type { TaskOption } from '../../../src/mcpserver/extensions/task-options.ts'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'
import { requirement } from '../kit/requirement.ts'
import { textsOf } from '../kit/support-mcpserver.ts'
import { BareTasks, nextTurn, taskServer, WITH_TASKS, WITHOUT_TASKS } from '../kit/support-tasks.ts'

/** A server whose tool `work` tells when it has begun, and ends when the test says so. */
function heldServer(task: TaskOption, begin: (ctx: Context) => Promise<void> | void = () => {}) {
  const { server, faults } = taskServer()
  const clock = fakeClock()
  const begun = createDeferred<Context>()
  const end = createDeferred<string>()
  withTasks(server, { clock }).tool('work', { task }, async (_args, ctx) => {
    begun.resolve(ctx)
    await begin(ctx)
    return `${await end.promise}, ${ctx.task === undefined ? 'in the call' : 'in a task'}`
  })
  /** When the handler waits, and whoever watches it has begun to. */
  const hasBegun = async () => {
    await begun.promise
    await nextTurn()
  }
  return { server, faults, clock, hasBegun, end: end.resolve }
}

requirement('tasks promotion: a call that takes longer than promoteAfterMs becomes a task', async ({ connect }) => {
  const { server, faults, clock, hasBegun, end } = heldServer({ promoteAfterMs: 3_000 })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const call = tasks.call('work')
  await hasBegun()
  await clock.advance(2_999)
  // An answer to a later request, so that an earlier one would be here.
  await client.listTools()
  expect(await Promise.race([call, 'open'])).toBe('open')
  await clock.advance(1)
  const handle = await call
  expect(handle).toMatchObject({ resultType: 'task', status: 'working' })
  const taskId = String(handle['taskId'])
  expect((await tasks.get(taskId)).status).toBe('working')
  end('done')
  const ended = await tasks.ended(taskId)
  expect([ended.status, textsOf(ended.result as never)]).toEqual(['completed', ['done, in a task']])
  expect(faults).toEqual([])
})

requirement('tasks promotion: a call that ends in time is answered plainly', async ({ connect }) => {
  const { server, clock, hasBegun, end } = heldServer(true)
  await using client = await connect(server, WITH_TASKS)
  const call = new BareTasks(client).call('work')
  await hasBegun()
  await clock.advance(1_999)
  end('done')
  expect(textsOf((await call) as never)).toEqual(['done, in the call'])
})

requirement('tasks promotion: ctx.background()', async ({ connect }) => {
  const { server, end } = heldServer('manual', (ctx) => ctx.background('Reading'))
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const handle = await tasks.start('work')
  expect(handle).toMatchObject({ status: 'working', statusMessage: 'Reading' })
  end('done')
  expect(textsOf((await tasks.ended(handle.taskId)).result as never)).toEqual(['done, in a task'])
})

requirement('tasks promotion: a client without tasks is kept waiting by progress', async ({ connect }) => {
  const { server, faults, clock, hasBegun, end } = heldServer(true, (ctx) => ctx.background('Reading'))
  await using client = await connect(server, WITHOUT_TASKS)
  const seen: number[] = []
  const call = client.callTool('work', {}, { onProgress: ({ progress }) => seen.push(progress) })
  await hasBegun()
  for (const count of [1, 2, 3]) {
    await clock.advance(10_000)
    await vi.waitFor(() => expect(seen).toHaveLength(count), { timeout: 30_000 })
  }
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  end('done')
  expect(textsOf(await call)).toEqual(['done, in the call'])
  expect(faults).toEqual([])
})
