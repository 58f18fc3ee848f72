import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.resource('notes://today', () => 'Monday')
await using client = await Client.connect(server, { mode: 'legacy' })
await client.readResource('notes://tomorrow')
