import { MCPServer } from 'mcpwire'
import { sqlite } from 'mcpwire/sqlite'

const { STATE_FILE = 'state.db', MCP_SECRET } = process.env

const server = new MCPServer('notes', {
  backend: sqlite(STATE_FILE, MCP_SECRET === undefined ? {} : { seal: [MCP_SECRET] }),
})

// The same count on every process that serves the session, and after a restart.
server.tool('count', async (_args, ctx) => {
  const count = await ctx.session.shared.update('count', (before) => Number(before ?? 0) + 1)
  return `Call ${count}`
})

await server.run({ transport: 'http', port: 3000 })
