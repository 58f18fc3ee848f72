import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('add', { input: { type: 'object', properties: { a: { type: 'numbr' } } } }, () => 1)
