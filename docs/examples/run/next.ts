// app/mcp/route.ts
import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

const handle = toFetch(createHandler(server))

export { handle as DELETE, handle as GET, handle as POST }
