import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('wait', () => new Promise<string>(() => {}))
await using client = await Client.connect(server)
await client.callTool('wait', {}, { timeoutMs: 20 })
