import { MCPServer } from 'mcpwire'

export const server = new MCPServer('clock', { version: '0.1.0' })

server.tool('now', { description: 'The present time' }, () => new Date().toISOString())
