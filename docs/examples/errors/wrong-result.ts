import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.prompt('greet', () => 5)
await server.getPrompt('greet')
