import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('import')
server.tool('import_rows', async (_args, ctx) => {
  for (let row = 1; row <= 3; row++) {
    ctx.signal.throwIfAborted()
    await ctx.reportProgress(row, 3, `Row ${row}`)
  }
  await ctx.log.info('All rows are in')
  return `Imported for ${ctx.clientInfo?.name}`
})

const client = await Client.connect(server, {
  clientInfo: { name: 'my-agent', version: '1.0.0' },
  onLog: ({ data }) => console.log('log:', data),
})
const { content } = await client.callTool(
  'import_rows',
  {},
  {
    onProgress: ({ progress, total, message }) =>
      console.log(`${progress}/${total} ${message}`),
  },
)
console.log(content)
await client.close()
