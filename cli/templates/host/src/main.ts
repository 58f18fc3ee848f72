import { openHost } from './host.ts'
import { askOnTerminal } from './questions.ts'

const [tool = 'booking_book', args = '{ "day": "Friday" }'] = process.argv.slice(2)

const host = await openHost('mcp.json', askOnTerminal)
try {
  for (const [name, { description }] of host.tools) console.log(`${name}: ${description}`)
  const { content } = await host.callTool(tool, JSON.parse(args))
  for (const block of content) if (block.type === 'text') console.log(`> ${block.text}`)
} finally {
  await host.close()
}
