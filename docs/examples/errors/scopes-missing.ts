import { MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('erase', { scopes: ['admin'] }, () => 'erased')
await server.callTool('erase', {}, { auth: { token: 't', clientId: 'c', scopes: ['read'] } as never })
