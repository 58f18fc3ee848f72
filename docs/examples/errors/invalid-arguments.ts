import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
server.tool('double', { input: z.object({ a: z.number() }) }, ({ a }) => 2 * a)
await using client = await Client.connect(server)
console.log(await client.callTool('double', { a: 'two' }))
