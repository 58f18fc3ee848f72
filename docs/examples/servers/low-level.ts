import { Client, MCPError } from 'mcpwire'
import { Server } from 'mcpwire/server'

const tools = [
  {
    name: 'add',
    inputSchema: {
      type: 'object' as const,
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    },
  },
]

const server = new Server('raw', {
  version: '1.0.0',
  handlers: {
    'tools/list': () => ({ tools }),
    'tools/call': (_ctx, { name, arguments: given }) => {
      const { a, b } = (given ?? {}) as { a: number; b: number }
      if (name !== 'add') throw new MCPError(-32602, 'Unknown tool')
      return { content: [{ type: 'text', text: String(a + b) }] }
    },
  },
})

const client = await Client.connect(server)
console.log(client.serverCapabilities)
console.log((await client.callTool('add', { a: 1, b: 2 })).content)
await client.close()
