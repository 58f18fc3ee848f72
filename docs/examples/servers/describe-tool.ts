import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('files')
server.tool(
  'delete_file',
  {
    title: 'Delete a file',
    description: 'Deletes one file of the project. Cannot be undone.',
    input: z.object({
      path: z.string().describe('Path in the project'),
    }),
    annotations: { destructiveHint: true },
  },
  ({ path }) => `Deleted ${path}`,
)

const client = await Client.connect(server)
const { tools } = await client.listTools()
console.log(tools[0]?.title, tools[0]?.annotations)
const { content } = await client.callTool('delete_file', {
  path: 'a.txt',
})
console.log(content)
await client.close()
