// Two servers behind one: their tools under the names of their sources, over stdio.
// The servers run in this process here; a URL or { command: 'node', args: ['server.js'] } in their place works alike.
import { MCPServer } from 'mcpwire'
import { createGateway } from 'mcpwire/proxy'
import { z } from 'zod'

const clock = new MCPServer('clock', { version: '1.0.0' })
clock.tool('now', { description: 'The time, in UTC.' }, () => new Date().toISOString())

const words = new MCPServer('words', { version: '1.0.0' })
words.tool(
  'count',
  { description: 'Counts words.', input: z.object({ text: z.string() }) },
  ({ text }) => text.split(/\s+/).filter(Boolean).length,
)

const gateway = createGateway({ clock, words }, { name: 'gateway', version: '1.0.0' })
await gateway.run()
