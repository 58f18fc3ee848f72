// A server whose tool asks the user before it books.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('booking', { version: '0.1.0' })

const days = ['Monday', 'Friday']
server.tool('free_days', { description: 'Days that can be booked' }, () => days.join(', '))

const input = z.object({ day: z.string() })
server.tool('book', { description: 'Book a table', input }, async ({ day }, ctx) => {
  const answer = await ctx.elicit(`A table on ${day}?`, z.object({ guests: z.number(), outside: z.boolean() }))
  if (answer.action !== 'accept') return 'Nothing was booked.'
  const { guests, outside } = answer.content
  return `Booked: ${day}, ${guests} guests, ${outside ? 'outside' : 'inside'}.`
})
