import express from 'express'
import { MCPServer } from 'mcpwire'
import { createHandler, toNodeHandler } from 'mcpwire/node'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

const app = express()
app.use('/api', toNodeHandler(createHandler(server)))
export const listening = app.listen(
  Number(process.env['PORT'] ?? 3000),
  '127.0.0.1',
)
