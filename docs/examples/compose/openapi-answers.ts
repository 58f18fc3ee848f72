import { Client } from 'mcpwire'
import { openAPIServer } from 'mcpwire/openapi'

const document = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/orders': { get: { operationId: 'list_orders', summary: 'Lists orders.' } } },
}

// In place of the API, for this page.
const orders = [1, 2, 3].map((id) => ({ id, state: 'open', history: 'x'.repeat(1_000) }))
type Page = { orders: typeof orders; next: string }
const fetch = async () => Response.json({ orders, next: 'page2' } satisfies Page)

const server = await openAPIServer(document, {
  fetch,
  // What the model gets of an answer.
  responses: {
    pick: (body) => (body as Page).orders.map(({ id, state }) => ({ id, state })),
  },
  // What it reads about the next page.
  each: (tool) => ({
    ...tool,
    description: `${tool.description} The newest come first.`,
    next: ({ body }) => ({ cursor: (body as Page).next }),
  }),
})

const client = await Client.connect(server)
const { content } = await client.callTool('list_orders')
for (const block of content) if (block.type === 'text') console.log(block.text)
await client.close()
