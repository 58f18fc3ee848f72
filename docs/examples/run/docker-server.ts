import { MCPServer } from 'mcpwire'

const server = new MCPServer('clock')
server.tool('now', () => new Date().toISOString())

await server.run({
  transport: 'http',
  host: '0.0.0.0',
  port: Number(process.env['PORT'] ?? 3000),
  allowedHosts: ['mcp.example.com', 'localhost:*', '127.0.0.1:*'],
})
