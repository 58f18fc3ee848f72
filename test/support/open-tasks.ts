// The memory that tasks take while they wait for an answer, in the server alone: their caller keeps nothing.
import type { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { heapUsed } from './heap.ts'

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Adds the tool that such tasks are calls of. */
export function addAskingTool(server: MCPServer): void {
  server.tool('asking', { task: 'required' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Go on?', { type: 'object', properties: {} })
    return action
  })
}

/** Bytes of heap for each of so many tasks of a server with `addAskingTool`. */
export async function heapPerOpenTask(server: MCPServer, count: number): Promise<number> {
  const caller = await server.server.connectInProcess()
  void caller.run(
    () => ({}),
    () => {},
  )
  const start = async (more: number) => {
    let taskId = ''
    for (let n = 0; n < more; n++) {
      const handle = await caller.sendRawRequest('tools/call', { name: 'asking', arguments: {}, _meta })
      taskId = String(handle['taskId'])
    }
    const statusOf = async () => (await caller.sendRawRequest('tasks/get', { taskId, _meta }))['status']
    while ((await statusOf()) !== 'input_required') await nextTurn()
  }
  await start(Math.ceil(count / 10))
  const before = await heapUsed()
  await start(count)
  return ((await heapUsed()) - before) / count
}
