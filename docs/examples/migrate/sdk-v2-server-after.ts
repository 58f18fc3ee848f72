import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('counter', { version: '1.0.0' })
server.tool(
  'count',
  { description: 'Counts', input: z.object({ to: z.number() }) },
  async ({ to }, ctx) => {
    for (let progress = 1; progress <= to; progress++)
      await ctx.reportProgress(progress, to)
    return `Counted to ${to}`
  },
)

await server.run()
