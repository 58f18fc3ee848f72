import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('ask', () => 'done')
await using client = await Client.connect(server)
await client.callTool('ask', {}, { requestState: 'a state of another server', inputResponses: {} })
