import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
// @ts-expect-error: the compiler says so too.
server.tool('add', { description: 'Adds two numbers' })
