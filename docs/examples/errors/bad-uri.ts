import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.resource('today.txt', () => 'Monday')
