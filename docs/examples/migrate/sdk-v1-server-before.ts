import {
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'notes', version: '1.0.0' })
const notes = new Map([['1', 'Buy milk']])

server.registerTool(
  'add_note',
  {
    description: 'Adds a note',
    inputSchema: { id: z.string(), text: z.string() },
  },
  async ({ id, text }) => {
    notes.set(id, text)
    return { content: [{ type: 'text', text: `Added ${id}` }] }
  },
)

server.registerResource(
  'note',
  new ResourceTemplate('notes://{id}', { list: undefined }),
  { mimeType: 'text/plain' },
  async (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'text/plain',
        text: notes.get(String(id)) ?? '',
      },
    ],
  }),
)

server.registerPrompt(
  'tidy',
  { argsSchema: { style: z.string() } },
  ({ style }) => ({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `Tidy my notes: ${style}` },
      },
    ],
  }),
)

await server.connect(new StdioServerTransport())
