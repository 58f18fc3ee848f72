import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { fileTaskReferences } from 'mcpwire/node'

const server = new MCPServer('reports', { extensions: [tasks()] })
server.tool(
  'build_report',
  { task: 'always' },
  () => 'Report of the third quarter',
)

const references = fileTaskReferences(
  join(tmpdir(), `reports-${process.pid}`, 'tasks.json'),
)

const first = await Client.connect(server, {
  extensions: [tasks({ references })],
})
const job = await first.tasks.start('build_report')
console.log(job.state.status)
await first.close()

const second = await Client.connect(server, {
  extensions: [tasks({ references })],
})
for (const reference of await second.tasks.pending()) {
  const result = await second.tasks.resume(reference).result()
  console.log(reference.tool, result.content)
}
await second.close()
