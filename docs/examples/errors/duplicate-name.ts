import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('add', () => 1)
server.tool('add', () => 2)
