import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('shop')
const input = z.object({ item: z.string() })
server.tool('order', { input }, async ({ item }, ctx) => {
  const form = z.object({ pieces: z.number().int().min(1) })
  const answer = await ctx.elicit(`How many of ${item}?`, form)
  if (answer.action !== 'accept') return 'Nothing was ordered.'
  return `Ordered ${answer.content.pieces} × ${item}`
})

for (const mode of ['legacy', 'modern'] as const) {
  const client = await Client.connect(server, {
    mode,
    onElicitation: ({ message }) => {
      console.log(mode, 'question:', message)
      return { action: 'accept', content: { pieces: 2 } }
    },
  })
  const result = await client.callTool('order', { item: 'book' })
  console.log(mode, 'result:', result.content)
  await client.close()
}
