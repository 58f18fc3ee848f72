import { Client, MCPServer, UrlElicitationRequiredError } from 'mcpwire'

const server = new MCPServer('demo')
server.tool('pay', () => {
  throw new UrlElicitationRequiredError([
    { mode: 'url', message: 'Pay here', url: 'https://pay.example/1', elicitationId: '1' },
  ])
})
await using client = await Client.connect(server, { mode: 'legacy' })
await client.callTool('pay')
