import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('shop')
server.tool('order', { input: z.object({ item: z.string() }) }, async ({ item }, ctx) => {
  const answer = await ctx.elicit(`Order one ${item}?`, z.object({ sure: z.boolean() }))
  return answer.action === 'accept' && answer.content.sure ? `Ordered: ${item}` : 'No order'
})

const client = await Client.connect(server, {
  onElicitation: () => ({ action: 'accept', content: { sure: true } }),
})
console.log((await client.callTool('order', { item: 'book' })).content)
await client.close()
