import { MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'

await using first = await serveHttp(new MCPServer('first'), { port: 0 })
await serveHttp(new MCPServer('second'), { port: Number(new URL(first.url).port) })
