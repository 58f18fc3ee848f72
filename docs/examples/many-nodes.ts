import { MCPServer } from 'mcpwire'
import { redis } from 'mcpwire/redis'

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  MCP_SECRET,
  PORT = '3000',
} = process.env
if (MCP_SECRET === undefined)
  throw new Error(
    'Set MCP_SECRET to a secret of 32 bytes or more, the same on all nodes.',
  )

const server = new MCPServer('shop', {
  backend: redis(REDIS_URL, { seal: [MCP_SECRET] }),
  requestState: { keys: [MCP_SECRET] },
})

server.tool('where', () => `process ${process.pid}`)

await server.run({ transport: 'http', port: Number(PORT) })
