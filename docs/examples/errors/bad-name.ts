import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('add two numbers', () => 1)
