import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('calculator')
server.tool('now', () => '12:00')
server.tool(
  'add',
  { input: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => a + b,
)

const client = await Client.connect(server)
console.log((await client.callTool('now')).content)
console.log((await client.callTool('add', { a: 1, b: 2 })).content)
await client.close()
