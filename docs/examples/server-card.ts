import { MCPServer } from 'mcpwire'
import { createHandler, toFetch } from 'mcpwire/server'

const server = new MCPServer('com.example/weather', {
  version: '1.2.0',
  description: 'Forecasts for cities.',
  supportedVersions: ['2026-07-28'],
})
server.tool('now', () => 'Sunny')

const handle = toFetch(
  createHandler(server, { experimentalServerCard: true }),
)
const response = await handle(
  new Request('https://mcp.example.com/mcp/server-card'),
)
console.log(JSON.stringify(await response.json(), null, 2))
