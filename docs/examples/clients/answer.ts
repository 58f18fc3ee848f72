import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('shop')
server.tool('order', async (_args, ctx) => {
  const form = z.object({ size: z.enum(['S', 'M', 'L']) })
  const answer = await ctx.elicit('Which size?', form)
  return answer.action === 'accept' ? answer.content.size : 'no order'
})

const client = await Client.connect(server, {
  onElicitation: (params) => {
    if (params.mode === 'url') return { action: 'decline' }
    console.log(params.message, params.requestedSchema.properties)
    return { action: 'accept', content: { size: 'M' } }
  },
})
console.log((await client.callTool('order')).content)
await client.close()
