import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'
import { z } from 'zod'

const server = new MCPServer('demo', { requestState: { replayPatienceMs: 20 } })
server.tool('ask', async (_args, ctx) => {
  const answer = await ctx.elicit(`Is it ${Math.random()}?`, z.object({ sure: z.boolean() }))
  return answer.action
})
const onElicitation = () => ({ action: 'accept' as const, content: { sure: true } })
await using client = await connect(server, { onElicitation, mode: 'modern' })
await client.callTool('ask')
