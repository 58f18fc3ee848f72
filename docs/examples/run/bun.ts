import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

const handle = toFetch(createHandler(server))
const port = Number(process.env['PORT'] ?? 3000)
Bun.serve({ hostname: '127.0.0.1', port, fetch: handle })
