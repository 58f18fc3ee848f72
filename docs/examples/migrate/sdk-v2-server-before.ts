import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

function createServer(): McpServer {
  const server = new McpServer({ name: 'counter', version: '1.0.0' })
  server.registerTool(
    'count',
    {
      description: 'Counts',
      inputSchema: z.object({ to: z.number() }),
    },
    async ({ to }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (let progress = 1; progress <= to; progress++) {
        if (progressToken === undefined) continue
        const params = { progressToken, progress, total: to }
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params,
        })
      }
      return { content: [{ type: 'text', text: `Counted to ${to}` }] }
    },
  )
  return server
}

serveStdio(createServer)
