import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

const app = new Hono()
app.mount('/api', toFetch(createHandler(server)))
export const listening = serve({
  fetch: app.fetch,
  port: Number(process.env['PORT'] ?? 3000),
  hostname: '127.0.0.1',
})
