// How much memory a task takes that waits for an answer.
import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { expect, it } from 'vitest'
import { heapUsed } from '../../../../support/heap.ts'

const OPEN_TASKS = 3_000
const WARM_UP_TASKS = 300
const MAX_BYTES = 2_048

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

it('an open task takes at most 2 KB of heap', async () => {
  const server = new MCPServer('full', {
    extensions: [tasks({ limits: { perOwner: 2 * OPEN_TASKS, total: 2 * OPEN_TASKS } })],
  })
  server.tool('ask', { task: 'required' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Go on?', { type: 'object', properties: {} })
    return action
  })
  const caller = await server.server.connectInProcess()
  void caller.run(
    () => ({}),
    () => {},
  )
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  }
  const start = async (count: number) => {
    let taskId = ''
    for (let n = 0; n < count; n++) {
      const handle = await caller.sendRawRequest('tools/call', { name: 'ask', arguments: {}, _meta })
      taskId = String(handle['taskId'])
    }
    const statusOf = async () => (await caller.sendRawRequest('tasks/get', { taskId, _meta }))['status']
    while ((await statusOf()) !== 'input_required') await nextTurn()
  }
  await start(WARM_UP_TASKS)
  const before = await heapUsed()
  await start(OPEN_TASKS)
  const bytes = (await heapUsed()) - before
  expect(bytes / OPEN_TASKS).toBeLessThan(MAX_BYTES)
  await server.close()
})
