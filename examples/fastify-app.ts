// A Fastify application with an MCP endpoint at /api/mcp beside its own routes.
// npx tsx examples/fastify-app.ts
import fastify from 'fastify'
import { MCPServer } from 'mcpwire'
import { createHandler, toNodeHandler } from 'mcpwire/node'
import { z } from 'zod'

const orders = new Map([['7', 'shipped']])

const server = new MCPServer('orders', { version: '1.0.0' })
server.tool('order_state', { input: z.object({ id: z.string() }) }, ({ id }) => orders.get(id) ?? 'unknown')

const app = fastify()
const handler = createHandler(server)
app.all('/api/mcp', toNodeHandler(handler))
app.get('/orders/:id', (request) => orders.get((request.params as { id: string }).id) ?? 'unknown')
app.addHook('onClose', () => handler.close())
const port = Number(process.env['PORT'] ?? 3000)
await app.listen({ port, host: '127.0.0.1' })
console.log(`http://127.0.0.1:${port}/api/mcp`)

process.once('SIGINT', () => void app.close())
