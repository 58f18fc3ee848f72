import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.resource('notes://{id', () => 'A note')
