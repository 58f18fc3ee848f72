import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const prices = new Map([['book', 12]])

export const server = new MCPServer('shop')

server.tool(
  'price',
  {
    input: z.object({ item: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ item }) => prices.get(item) ?? 0,
)
