import { Client } from 'mcpwire'
import { Server } from 'mcpwire/server'

const server = new Server('calculator', {
  version: '1.0.0',
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
    'tools/call': (ctx, { arguments: args }) => {
      const { a, b } = args as { a: number; b: number }
      return { content: [{ type: 'text', text: `${ctx.protocolVersion}: ${a + b}` }] }
    },
  },
})

await using client = await Client.connect(server) // mode: 'legacy' for the handshake era
const result = await client.callTool('add', { a: 1, b: 2 })
console.log(result.content)
