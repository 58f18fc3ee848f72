import { Client, MCPServer } from 'mcpwire'
import {
  runTask,
  type TaskExecutor,
  tasks,
} from 'mcpwire/extensions/tasks'

// Stands for a job system: it gets a claim, which is plain JSON, and
// runs it later, perhaps in another process.
const executor: TaskExecutor = {
  async start(_task, claim) {
    setTimeout(() => runTask(server, claim), 0)
  },
  async cancel(_taskId) {},
}

const server = new MCPServer('reports', {
  extensions: [tasks({ executor })],
})
server.tool(
  'build_report',
  { task: { mode: 'always', pollIntervalMs: 100 } },
  () => 'Built.',
)

await using client = await Client.connect(server, {
  extensions: [tasks()],
})
const { content } = await client.callTool('build_report')
console.log(content)
