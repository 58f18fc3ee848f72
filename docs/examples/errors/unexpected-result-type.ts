import { Client, MCPServer } from 'mcpwire'

const identifier = 'com.example/tickets'
const ticket = { resultType: 'com.example/ticket', ticket: 'T1' }
const server = new MCPServer('demo', {
  extensions: [{ identifier, resultTypes: [ticket.resultType], interceptToolCall: () => ticket }],
})
server.tool('order', () => 'ordered')
const claims = [{ resultType: ticket.resultType, resolve: () => ({ content: [] }) }]
await using client = await Client.connect(server, { extensions: [{ identifier, claims }] })
await client.session.callTool('order')
