// How much memory a task takes that waits for an answer.
import { expect, it } from 'vitest'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { addAskingTool, heapPerOpenTask } from '../../../../support/open-tasks.ts'

const OPEN_TASKS = 3_000
const MAX_BYTES = 2_048

it('an open task takes at most 2 KB of heap', async () => {
  const limits = { perOwner: 2 * OPEN_TASKS, total: 2 * OPEN_TASKS }
  const server = new MCPServer('full', { extensions: [tasks({ limits })] })
  addAskingTool(server)
  expect(await heapPerOpenTask(server, OPEN_TASKS)).toBeLessThan(MAX_BYTES)
  await server.close()
})
