// Spans of the runs of a task, and counters of tasks.
import { expect, it } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'
import { accept, NAME_FORM } from '../../interaction/kit/support-mcpserver.ts'
import { BareTasks, onlyKey, WITH_TASKS } from '../../interaction/kit/support-tasks.ts'
import { FakeTelemetry } from './fake-api.ts'

it('each run of a task is a span that is linked to the request that created it, and tasks are counted', async () => {
  const telemetry = new FakeTelemetry()
  const clock = fakeClock()
  const middleware = [traceServer({ api: telemetry.api })]
  const server = withTasks(new MCPServer('traced', { middleware, extensions: [tasks()] }), { clock })
  const task = { mode: 'always', ttlMs: 60_000, keepMs: 60_000 } as const
  server.tool('ask', { task }, async (_args, ctx) => (await ctx.elicit('Name?', NAME_FORM)).action)
  await using client = await Client.connect(server, WITH_TASKS)
  const bare = new BareTasks(client)

  const { taskId } = await bare.start('ask')
  const waiting = await bare.until(taskId, 'input_required')
  await bare.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
  await bare.ended(taskId)
  const forgotten = await bare.start('ask')
  await bare.until(forgotten.taskId, 'input_required')
  await clock.advance(70_000)
  expect((await bare.get(forgotten.taskId)).status).toBe('failed')

  const calls = telemetry.spans.filter(({ name }) => name === 'tools/call ask')
  const [created, first, second] = calls.filter(({ attributes }) => attributes['mcp.task.id'] === taskId)
  expect(created).toMatchObject({ kind: 1, attributes: { 'mcp.task.id': taskId, 'mcp.task.status': 'working' } })
  expect(first).toMatchObject({ kind: 0, attributes: { 'mcp.task.attempt': 1, 'mcp.task.status': 'input_required' } })
  expect(second).toMatchObject({ kind: 0, attributes: { 'mcp.task.attempt': 2, 'mcp.task.status': 'completed' } })
  for (const run of [first, second]) expect(run?.links).toMatchObject([{ spanId: created?.spanId }])

  const total = (name: string) =>
    telemetry.measured(`mcp.server.task.${name}`).reduce((sum, { value }) => sum + value, 0)
  expect(['open', 'waiting', 'finished', 'expired'].map(total)).toEqual([0, 0, 2, 1])
  expect(telemetry.measured('mcp.server.task.finished').map(({ attributes }) => attributes)).toEqual([
    { 'gen_ai.tool.name': 'ask', 'mcp.task.status': 'completed' },
    { 'gen_ai.tool.name': 'ask', 'mcp.task.status': 'failed' },
  ])
})
