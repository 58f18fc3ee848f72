import { MCPServer } from 'mcpwire'
import { postgres } from 'mcpwire/postgres'

const { DATABASE_URL = 'postgres://localhost/notes', MCP_SECRET } = process.env

const server = new MCPServer('notes', {
  backend: postgres(DATABASE_URL, MCP_SECRET === undefined ? {} : { seal: [MCP_SECRET] }),
})

// The same count on every node that serves the session, and after a restart.
server.tool('count', async (_args, ctx) => {
  const count = await ctx.session.shared.update('count', (before) => Number(before ?? 0) + 1)
  return `Call ${count}`
})

await server.run({ transport: 'http', port: 3000 })
