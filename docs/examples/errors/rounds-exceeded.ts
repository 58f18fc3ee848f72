import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
server.tool('ask', async (_args, ctx) => {
  for (const n of [1, 2, 3, 4]) await ctx.elicit(`Question ${n}?`, z.object({ sure: z.boolean() }))
  return 'done'
})
const onElicitation = () => ({ action: 'accept' as const, content: { sure: true } })
await using client = await Client.connect(server, { onElicitation, inputRequiredMaxRounds: 2 })
await client.callTool('ask')
