import { Client, type Context, MCPServer, tool } from 'mcpwire'

async function advance(ctx: Context, done: number, total: number) {
  ctx.signal.throwIfAborted()
  await ctx.reportProgress(done, total)
}

function addExport(server: MCPServer) {
  server.tool('export_rows', async (_args, ctx) => {
    for (let row = 1; row <= 2; row++) await advance(ctx, row, 2)
    return 'exported'
  })
}

const count = tool('count_rows', () => 2)
const server = new MCPServer('rows', { tools: [count] })
addExport(server)

const client = await Client.connect(server)
const onProgress = ({ progress }: { progress: number }) =>
  console.log(progress)
const { content } = await client.callTool(
  'export_rows',
  {},
  { onProgress },
)
console.log(content)
await client.close()
