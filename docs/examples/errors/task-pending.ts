import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const server = new MCPServer('demo', { extensions: [tasks()] })
server.tool('build', { task: 'always' }, () => new Promise<string>(() => {}))
await using client = await Client.connect(server, { extensions: [tasks()] })
await client.callTool('build', {}, { leaveAfterMs: 50 })
