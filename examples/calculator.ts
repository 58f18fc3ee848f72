// A small server for the tour: over stdio, or with `--http` on a free local port.
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('calculator', { version: '1.0.0', instructions: 'Ask it to add.' })

server.tool(
  'add',
  { description: 'Adds two numbers.', input: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }, ctx) => {
    await ctx.reportProgress(1, 2, 'thinking')
    await ctx.reportProgress(2, 2, 'done thinking')
    return a + b
  },
)

server.tool('confirm', { description: 'Asks before it answers.' }, async (_args, ctx) => {
  const { action } = await ctx.elicit('Are you sure?', z.object({ sure: z.boolean() }))
  return `The user chose to ${action}.`
})

server.tool('wait', { description: 'Waits until it is stopped.' }, (_args, ctx) => {
  return new Promise<never>((_resolve, reject) => {
    ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
  })
})

if (process.argv.includes('--http')) {
  const { url } = await server.run({ transport: 'http', port: 0 })
  console.log(url)
} else {
  await server.run()
}
