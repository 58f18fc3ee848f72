import { Client, MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('editor')
const openDrafts = new Set<object>()

server.tool('publish', async (_args, ctx) => {
  const draft = {}
  openDrafts.add(draft)
  const close = () => openDrafts.delete(draft)
  ctx.signal.addEventListener('abort', close, { once: true })
  try {
    const { action } = await ctx.elicit(
      'Publish the draft?',
      z.object({}),
    )
    return action === 'accept' ? 'Published.' : 'Kept.'
  } finally {
    close()
  }
})

for (const mode of ['legacy', 'auto'] as const) {
  await using client = await Client.connect(server, {
    mode,
    onElicitation: () => ({ action: 'accept' }),
  })
  await client.callTool('publish')
  console.log(`${client.protocolVersion}: ${openDrafts.size} left open`)
}
