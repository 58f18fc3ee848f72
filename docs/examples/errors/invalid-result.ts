import { Client } from 'mcpwire'
import { Server } from 'mcpwire/server'

const tool = { name: 'count', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['count'] } }
const server = new Server('demo', {
  handlers: {
    'tools/list': () => ({ tools: [tool] }) as never,
    'tools/call': () => ({ content: [], structuredContent: {} }) as never,
  },
})
await using client = await Client.connect(server)
await client.listTools()
await client.callTool('count')
