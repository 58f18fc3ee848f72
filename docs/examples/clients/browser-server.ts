import { MCPServer } from 'mcpwire'

const server = new MCPServer('clock')
server.tool('now', { title: 'What time is it?' }, () =>
  new Date().toISOString(),
)
await server.run({
  transport: 'http',
  port: Number(process.env['PORT'] ?? 3000),
  allowedOrigins: [process.env['PAGE'] ?? 'https://app.example.com'],
})
