import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

export default { fetch: toFetch(createHandler(server)) }
