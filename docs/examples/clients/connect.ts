import { Client, MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'

const server = new MCPServer('clock', { version: '1.0.0' })
server.tool('now', () => '12:00')
const { url, close } = await serveHttp(server, { port: 0 })

// A URL, a server in this process, or a command:
// { command: 'node', args: ['server.js'] }
for (const target of [url, server]) {
  const client = await Client.connect(target)
  console.log(client.serverInfo?.name, client.protocolVersion)
  await client.close()
}
await close()
