import { Client, MCPServer } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'
import { serveHttp } from 'mcpwire/node'

const server = new MCPServer('demo')
server.tool('add', () => 1)
await using serving = await serveHttp(server, { port: 0 })
// A proxy that removes a header on the way.
const proxy: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers)
  headers.delete('mcp-method')
  return fetch(url, { ...init, headers })
}
await Client.connect(streamableHttp(serving.url, { fetch: proxy }), { mode: 'modern' })
