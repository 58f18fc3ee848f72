// An Express application with an MCP endpoint at /api/mcp beside its own routes.
// npx tsx examples/express-app.ts
import express from 'express'
import { MCPServer } from 'mcpwire'
import { createHandler, toNodeHandler } from 'mcpwire/node'
import { z } from 'zod'

const orders = new Map([['7', 'shipped']])

const server = new MCPServer('orders', { version: '1.0.0' })
server.tool('order_state', { input: z.object({ id: z.string() }) }, ({ id }) => orders.get(id) ?? 'unknown')

const app = express()
const handler = createHandler(server)
app.use('/api', toNodeHandler(handler))
app.get('/orders/:id', (request, response) => response.send(orders.get(request.params['id'] ?? '') ?? 'unknown'))
const port = Number(process.env['PORT'] ?? 3000)
const listening = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/api/mcp`))

process.once('SIGINT', () => {
  listening.close()
  void handler.close()
})
