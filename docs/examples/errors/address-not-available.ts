import { MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'

await serveHttp(new MCPServer('demo'), { port: 0, host: '192.0.2.1' })
