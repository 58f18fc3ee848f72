import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('shop')
server.tool('order', { input: z.object({ item: z.string() }) }, async ({ item }, ctx) => {
  const answer = await ctx.elicit(`Really order one ${item}?`, z.object({ sure: z.boolean() }))
  return answer.action === 'accept' && answer.content.sure ? `Ordered: ${item}` : 'Nothing was ordered.'
})

for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect(server, {
    mode,
    onElicitation: () => ({ action: 'accept', content: { sure: true } }),
  })
  const result = await client.callTool('order', { item: 'book' })
  console.log(client.protocolVersion, result.content)
}
