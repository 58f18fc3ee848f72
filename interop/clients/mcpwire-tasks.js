// mcpwire as a client of tasks.
import { Client } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'
import { tasks } from 'mcpwire/extensions/tasks'
import { stdio } from 'mcpwire/node'
import { answerElicitation } from './answers.js'

/** Long enough to see a server exit by itself, on a busy machine too. */
const PATIENT = { graceMs: 30_000 }

export async function connect({ command, args, env, url }, era) {
  const transport =
    command === undefined ? streamableHttp(url) : stdio({ command, args, env, stderr: 'ignore', shutdown: PATIENT })
  const client = await Client.connect(transport, {
    mode: era,
    extensions: [tasks()],
    onElicitation: answerElicitation,
  })
  return {
    version: client.protocolVersion,
    callTool: (name, toolArgs, options) => client.callTool(name, toolArgs, options),
    async startTask(name, toolArgs) {
      const { taskId, state } = await client.tasks.start(name, toolArgs)
      return { taskId, status: state.status }
    },
    taskState: (taskId) => client.tasks.get(taskId),
    cancelTask: (taskId) => client.tasks.cancel(taskId),
    close: () => client.close(),
  }
}
