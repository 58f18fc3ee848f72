import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('clock')
server.tool('now', () => '12:00')

const client = await Client.connect(server)
console.log((await client.callTool('now')).content)
await client.close()
