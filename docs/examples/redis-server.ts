import { MCPServer } from 'mcpwire'
import { redis } from 'mcpwire/redis'

const { REDIS_URL = 'redis://127.0.0.1:6379', MCP_SECRET } = process.env
if (MCP_SECRET === undefined)
  throw new Error(
    'Set MCP_SECRET to a secret of 32 bytes or more, the same on all nodes.',
  )

const server = new MCPServer('notes', {
  backend: redis(REDIS_URL, { seal: [MCP_SECRET] }),
  requestState: { keys: [MCP_SECRET] },
})

// A legacy session has the same count on every node. Each modern
// request begins at 1.
server.tool('count', async (_args, ctx) => {
  const count = await ctx.session.shared.update(
    'count',
    (before) => Number(before ?? 0) + 1,
  )
  return `Call ${count}`
})

await server.run({ transport: 'http', port: 3000 })
