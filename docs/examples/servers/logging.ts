import { Client, MCPServer } from 'mcpwire'
import { timeRequests } from 'mcpwire/server'

const server = new MCPServer('import')
server.use(
  timeRequests(({ method, target, outcome }) => {
    if (target) console.log('operator:', method, target, outcome.kind)
  }),
)
server.tool('import_rows', async (_args, ctx) => {
  await ctx.log.debug('Opened the file')
  await ctx.log.warning({ row: 7, problem: 'no date' })
  await ctx.reportProgress(1, 2, 'Half of the rows')
  return 'Imported'
})

const client = await Client.connect(server, {
  logLevel: 'warning',
  onLog: ({ level, data }) => console.log('client:', level, data),
})
await client.callTool(
  'import_rows',
  {},
  { onProgress: ({ message }) => console.log('client:', message) },
)
await client.close()
