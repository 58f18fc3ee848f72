// What compiles, and what does not, around tasks of revision 2025-11-25.
import { type Client, MCPServer } from 'mcpwire'
import type { ClientExtension } from 'mcpwire/client'
import { tasks } from 'mcpwire/extensions/tasks'

export async function call(client: Client): Promise<void> {
  await client.callTool('build', {}, { task: true })
  // @ts-expect-error: the server says how long it keeps a task
  await client.callTool('build', {}, { task: { ttl: 1_000 } })
  for await (const { taskId, ttlMs } of client.tasks.list()) console.log(taskId.length, ttlMs)
}

export const vendor: ClientExtension = {
  identifier: 'com.example/tasks',
  taskCalls: {
    taskFor: ({ toolName, isRequired }) => (isRequired || toolName === 'build' ? { ttl: 60_000 } : undefined),
    resolve: async ({ task }, { signal }) => ({
      content: [{ type: 'text', text: `${task.status} ${signal.aborted}` }],
    }),
  },
}

export const incomplete: ClientExtension = {
  identifier: 'com.example/tasks',
  // @ts-expect-error: whoever sends calls as tasks has to finish them
  taskCalls: { taskFor: () => undefined },
}

export const server = new MCPServer('reports', { extensions: [tasks()] })
server.tool('build', { task: 'required' }, () => 'built')
// @ts-expect-error: no such mode
server.tool('build', { task: 'sometimes' }, () => 'built')
