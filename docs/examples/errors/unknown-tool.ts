import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('add', () => 1)
await using client = await Client.connect(server)
await client.callTool('ad')
