// What the tests of core tasks share: a server with tools for tasks, and the requests of revision 2025-11-25 by hand.
import { expect } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import type { TasksOptions } from '../../../src/extensions/tasks/options/tasks-options.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import type { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import type { CreateTaskResult, Task, TaskMetadata } from '../../../src/types/features/tasks.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { signedChannel } from '../../support/signed-channel.ts'
import { createServer } from '../kit/support-mcpserver.ts'

export const TAG = 'io.modelcontextprotocol/related-task'

export function serverWithTasks(
  given: TasksOptions = {},
  options: MCPServerOptions = {},
): { server: MCPServer; faults: Fault[] } {
  return createServer({ extensions: [tasks(given)], ...options })
}

/** Calls a tool as a task, and returns the task. */
export async function startTask(
  client: Client,
  name: string,
  args: JSONObject = {},
  task: TaskMetadata = {},
): Promise<Task> {
  const params = { name, arguments: args, task }
  const result = (await client.session.sendRequest('tools/call', params)) as unknown as CreateTaskResult
  expect(result.task, JSON.stringify(result)).toBeTypeOf('object')
  return result.task
}

export function getTask(client: Client, taskId: string): Promise<Task> {
  return client.session.sendRequest('tasks/get', { taskId })
}

export async function resultOf(client: Client, taskId: string, signal?: AbortSignal): Promise<CallToolResult> {
  const result = await client.session.sendRequest('tasks/result', { taskId }, signal ? { signal } : {})
  return result as unknown as CallToolResult
}

export function cancelTask(client: Client, taskId: string): Promise<Task> {
  return client.session.sendRequest('tasks/cancel', { taskId })
}

export function textIn({ content }: CallToolResult): unknown {
  return content[0]?.type === 'text' ? content[0].text : undefined
}

/** A client whose requests come from this caller. */
export function connectAs(
  server: MCPServer,
  subject: string | undefined,
  options: ClientOptions = {},
): Promise<Client> {
  const auth: AuthInfo | undefined = subject === undefined ? undefined : { clientId: 'app', scopes: [], subject }
  return Client.connect(
    {
      kind: 'memory',
      open: async () => {
        const [here, there] = createMemoryChannelPair()
        await server.connect(signedChannel(there, auth))
        return here
      },
    },
    { mode: '2025-11-25', ...options },
  )
}
