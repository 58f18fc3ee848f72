import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'

const server = new MCPServer('reports', { extensions: [tasks()] })

server.tool('build_report', { task: true }, (_args, ctx) =>
  ctx.task ? 'Built as a task.' : 'Built in the call.',
)
server.tool('archive_year', { task: 'required' }, (_args, ctx) =>
  ctx.task ? 'Archived as a task.' : 'Never seen.',
)

await using client = await Client.connect(server, {
  mode: '2025-11-25',
  extensions: [tasks()],
})
const { tools } = await client.listTools()
console.log(
  tools
    .map(({ name, execution }) => `${name}: ${execution?.taskSupport}`)
    .join(', '),
)

const plain = await client.callTool('build_report')
const asTask = await client.callTool('build_report', {}, { task: true })
const required = await client.callTool('archive_year')
console.log([plain, asTask, required].flatMap(({ content }) => content))
