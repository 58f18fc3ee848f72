import { Client, MCPServer } from 'mcpwire'

const archive = new MCPServer('archive')
archive.tool(
  'search',
  (_args, ctx) =>
    `Minutes left in the archive: ${Math.ceil((ctx.remainingMs ?? 0) / 60_000)}`,
)

const library = new MCPServer('library')
const inArchive = await Client.connect(archive)
library.tool('find', async (_args, ctx) => {
  // Never outlives the caller, and ends when the caller cancels.
  const { content } = await inArchive.callTool(
    'search',
    {},
    { within: ctx },
  )
  return content
})

await using client = await Client.connect(library)
const { content } = await client.callTool(
  'find',
  {},
  { maxTotalMs: 300_000 },
)
console.log(content)
await inArchive.close()
