import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.prompt('greet', () => 'Say hello.')
await using client = await Client.connect(server)
await client.getPrompt('great')
