import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('notes')

const input = z.object({ id: z.string(), text: z.string() })
server.tool(
  'add_note',
  { description: 'Adds a note', input },
  async ({ id, text }, ctx) => {
    await ctx.reportProgress(1, 1)
    return `Added ${id}: ${text}`
  },
)

server.resource(
  'notes://{id}',
  { name: 'note', mimeType: 'text/plain' },
  ({ id }) => `Note ${id}`,
)

server.prompt(
  'tidy',
  { input: z.object({ style: z.string() }) },
  ({ style }) => `Tidy my notes: ${style}`,
)

await server.run()
