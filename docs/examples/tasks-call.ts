import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const server = new MCPServer('reports', { extensions: [tasks()] })
server.tool(
  'build_report',
  { task: 'always' },
  () => 'Report of the third quarter',
)

const client = await Client.connect(server, { extensions: [tasks()] })
const result = await client.callTool(
  'build_report',
  {},
  { onStatus: (task) => console.log(task.status) },
)
console.log(result.content)
await client.close()
