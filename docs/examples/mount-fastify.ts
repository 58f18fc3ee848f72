import fastify from 'fastify'
import { MCPServer } from 'mcpwire'
import { createHandler, toNodeHandler } from 'mcpwire/node'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

export const app = fastify()
app.all('/api/mcp', toNodeHandler(createHandler(server)))
await app.listen({
  port: Number(process.env['PORT'] ?? 3000),
  host: '127.0.0.1',
})
