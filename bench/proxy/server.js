// The server behind the proxies of the benchmark: node server.js http|stdio.
import { MCPServer } from 'mcpwire'

const TEN_MEGABYTES = 'x'.repeat(10 * 1024 * 1024)
const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }

let handshakes = 0
const server = new MCPServer('behind')
server.use((ctx, next) => {
  if (ctx.method === 'initialize' || ctx.method === 'server/discover') handshakes += 1
  return next()
})
server.tool('add', { input }, ({ a, b }) => a + b)
server.tool('large', () => TEN_MEGABYTES)
server.tool('handshakes', () => String(handshakes))
server.tool('count', async (_args, ctx) => {
  for (let n = 1; n <= 100; n++) await ctx.reportProgress(n, 100)
  return 'done'
})
if (process.argv[2] === 'stdio') await server.run({ transport: 'stdio', isolate: 'guard' })
else console.log((await server.run({ transport: 'http', port: 0, announce: false })).url)
