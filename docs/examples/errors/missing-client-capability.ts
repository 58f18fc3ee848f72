import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
server.tool('order', async (_args, ctx) => (await ctx.elicit('Sure?', z.object({ sure: z.boolean() }))).action)
await using client = await Client.connect(server)
await client.callTool('order')
