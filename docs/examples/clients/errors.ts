import { Client, ConnectError, MCPError, MCPServer } from 'mcpwire'

const server = new MCPServer('strict')
server.tool('wait', () => new Promise<string>(() => {}))
const client = await Client.connect(server)

const calls = [
  () => client.callTool('missing'),
  () => client.callTool('wait', {}, { timeoutMs: 20 }),
  () => Client.connect('http://127.0.0.1:9/mcp'),
]
for (const call of calls) {
  try {
    await call()
  } catch (error) {
    if (error instanceof ConnectError)
      console.log('connect:', error.phase)
    else if (error instanceof MCPError)
      console.log(error.code, error.local)
  }
}
await client.close()
