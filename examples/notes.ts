// Notes as resources: an index, one resource per note, and a tool that writes notes and notifies subscribers.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const notes = new Map([['welcome', 'Write a note with the tool add_note.']])

const server = new MCPServer('notes', { version: '1.0.0' })

server.resource('notes://index', { title: 'All notes', description: 'The titles of all notes.' }, () => [
  ...notes.keys(),
])

server.resource(
  'notes://note/{title}',
  {
    description: 'The text of one note.',
    mimeType: 'text/markdown',
    list: () => [...notes.keys()].map((title) => ({ uri: uriOf(title), name: title })),
    complete: { title: (value) => [...notes.keys()].filter((title) => title.startsWith(value)) },
  },
  ({ title }) => notes.get(title),
)

server.tool(
  'add_note',
  {
    description: 'Writes a note, in place of an older one of the same title.',
    input: z.object({ title: z.string().min(1), text: z.string() }),
  },
  async ({ title, text }, ctx) => {
    notes.set(title, text)
    await ctx.notifyResourceUpdated('notes://index')
    await ctx.notifyResourceUpdated(uriOf(title))
    return `Saved as ${uriOf(title)}.`
  },
)

function uriOf(title: string): string {
  return `notes://note/${encodeURIComponent(title)}`
}

await server.run()
