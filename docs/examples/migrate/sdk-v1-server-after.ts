import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('notes', { version: '1.0.0' })
const notes = new Map([['1', 'Buy milk']])

const input = z.object({ id: z.string(), text: z.string() })
server.tool(
  'add_note',
  { description: 'Adds a note', input },
  ({ id, text }) => {
    notes.set(id, text)
    return `Added ${id}`
  },
)

server.resource(
  'notes://{id}',
  { name: 'note', mimeType: 'text/plain' },
  ({ id }) => notes.get(id) ?? '',
)

server.prompt(
  'tidy',
  { input: z.object({ style: z.string() }) },
  ({ style }) => `Tidy my notes: ${style}`,
)

await server.run()
