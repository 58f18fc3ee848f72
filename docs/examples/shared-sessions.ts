import { Client, MCPServer } from 'mcpwire'
import { memory } from 'mcpwire/backend'
import { streamableHttp } from 'mcpwire/client'
import { createHandler, toFetch } from 'mcpwire/server'

const backend = memory()
const served = new Set<string>()

function startNode(name: string) {
  const server = new MCPServer('cart', { backend })
  server.tool('add', async (_, ctx) => {
    served.add(name)
    const count = await ctx.session.shared.update(
      'count',
      (before) => Number(before ?? 0) + 1,
    )
    return `${count} in the cart`
  })
  const handler = createHandler(server)
  return { answer: toFetch(handler), close: () => handler.close() }
}

const nodes = [startNode('A'), startNode('B'), startNode('C')]

// A balancer without sticky routing: each request goes to the next node.
let requests = 0
const fetch: typeof globalThis.fetch = (input, init) => {
  requests += 1
  const node = nodes[requests % nodes.length] ?? startNode('D')
  return node.answer(new Request(input, init))
}

const client = await Client.connect(
  streamableHttp('http://localhost/mcp', { fetch }),
  { mode: 'legacy' },
)
for (let i = 0; i < 6; i += 1) {
  const { content } = await client.callTool('add')
  if (i === 5) console.log(content, `from ${served.size} nodes`)
}
await client.close()
for (const node of nodes) await node.close()
