import { createServer } from 'node:http'
import { MCPServer } from 'mcpwire'
import { createHandler, toNodeHandler } from 'mcpwire/node'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

const handle = toNodeHandler(createHandler(server))
export const listening = createServer(handle)
listening.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
