import { MCPServer } from 'mcpwire'

const server = new MCPServer('clock')
server.tool('now', () => '12:00')

const serving = await server.run({
  transport: 'http',
  port: 0,
  path: '/clock',
  allowedHosts: ['clock.example.com', '127.0.0.1:*'],
  allowedOrigins: ['https://app.example.com'],
  announce: false,
})

for (const site of ['app.example.com', 'other.example.com']) {
  const { status } = await fetch(serving.url, {
    method: 'OPTIONS',
    headers: {
      origin: `https://${site}`,
      'access-control-request-method': 'POST',
    },
  })
  console.log(new URL(serving.url).pathname, site, status)
}
await serving.close()
