// Books a table: asks the user twice, and reserves the table once, even if the handler runs several times.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const Wishes = z.object({
  guests: z.int().min(1).max(8),
  seating: z.enum(['inside', 'terrace']),
})
const Confirmation = z.object({ confirmed: z.boolean() })

const held = new Set<number>()

const server = new MCPServer('booking', { version: '1.0.0' })

server.tool(
  'book_table',
  {
    description: 'Books a table for an evening, after asking the user how and whether.',
    input: z.object({ date: z.iso.date() }),
    requires: { elicitation: {} },
  },
  async ({ date }, ctx) => {
    const wishes = await ctx.elicit(`What table would you like on ${date}?`, Wishes)
    if (wishes.action !== 'accept') return 'Nothing was booked.'
    const { guests, seating } = wishes.content

    // In the modern era this handler runs again from the start with each answer; a step runs once.
    const table = await ctx.step('hold', holdTable)
    const answer = await ctx.elicit(`Table ${table} (${seating}) is free for ${guests}. Take it?`, Confirmation)
    if (answer.action === 'accept' && answer.content.confirmed) return `Table ${table} is booked for ${date}.`

    held.delete(table)
    return `Table ${table} was given back.`
  },
)

server.tool('held_tables', { description: 'The tables that are held or booked.' }, () => ({ tables: [...held] }))

function holdTable(): number {
  let table = 1
  while (held.has(table)) table += 1
  held.add(table)
  return table
}

await server.run()
