import { Client, MCPServer } from 'mcpwire'

const archive = new MCPServer('archive')
archive.tool('search', (_args, ctx) =>
  ctx.remainingMs === undefined ? 'no limit' : 'limited',
)
const upstream = await Client.connect(archive)

const front = new MCPServer('front')
front.tool('ask', async (_args, ctx) =>
  upstream.callTool('search', {}, { within: ctx }),
)

const client = await Client.connect(front)
const { content } = await client.callTool(
  'ask',
  {},
  { maxTotalMs: 5_000 },
)
console.log(content)
await client.close()
await upstream.close()
