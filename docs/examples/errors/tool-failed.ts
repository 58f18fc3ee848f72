import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('query', () => {
  throw new Error('No such table: orders')
})
await using client = await Client.connect(server)
console.log(await client.callTool('query'))
