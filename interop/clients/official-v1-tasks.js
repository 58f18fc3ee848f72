// The official SDK v1 as a client of tasks of 2025-11-25.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { answerElicitation } from './answers.js'

export async function connect(target) {
  const client = new Client(
    { name: 'official-v1-tasks', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerElicitation(params))
  await client.connect(openTransport(target))
  // The client learns from the list which tools are tasks.
  const { tools } = await client.listTools()
  const tasks = new Set(tools.filter(({ execution }) => execution?.taskSupport === 'required').map(({ name }) => name))
  const call = (name, args) => client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema)
  return {
    version: '2025-11-25',
    async callTool(name, args) {
      if (!tasks.has(name)) return client.callTool({ name, arguments: args })
      for await (const message of call(name, args)) {
        if (message.type === 'result') return message.result
        if (message.type === 'error') throw message.error
      }
      throw new Error('the call ended without a result')
    },
    async startTask(name, args) {
      for await (const message of call(name, args)) if (message.type === 'taskCreated') return message.task
      throw new Error('the call was no task')
    },
    taskState: (taskId) => client.experimental.tasks.getTask(taskId),
    cancelTask: (taskId) => client.experimental.tasks.cancelTask(taskId),
    close: () => client.close(),
  }
}

function openTransport({ command, args, env, url }) {
  if (command !== undefined) return new StdioClientTransport({ command, args, env, stderr: 'ignore' })
  return new StreamableHTTPClientTransport(new URL(url))
}
