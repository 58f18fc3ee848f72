import { MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'
import { redis } from 'mcpwire/redis'

const server = new MCPServer('demo', { backend: redis('redis://127.0.0.1:1') })
await serveHttp(server, { port: 0 })
