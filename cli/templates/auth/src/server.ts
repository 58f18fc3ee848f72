import { MCPServer } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('my-server', { version: '0.1.0' })

const notes: string[] = []
server.tool('read', { description: 'All notes' }, () => notes.join('\n') || 'There are no notes.')

// Callers without the scope get a response that names it. Their client asks the user for it and calls again.
const options = { description: 'Add a note', input: z.object({ text: z.string() }), scopes: ['notes:write'] }
server.tool('write', options, ({ text }, { auth }) => {
  notes.push(`${auth?.subject}: ${text}`)
  return 'Added.'
})
