import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const server = new MCPServer('demo', { extensions: [tasks()] })
server.tool('build', { task: 'always' }, () => 'built')
await using client = await Client.connect(server, { extensions: [tasks()] })
const { reference } = await client.tasks.start('build')
if (reference !== undefined) await client.tasks.resume({ ...reference, taskId: 'of-yesterday' }).result()
