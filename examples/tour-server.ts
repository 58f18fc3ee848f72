// The server of the tour: over stdio, or with `--http` on a free local port.
import { setTimeout as sleep } from 'node:timers/promises'
import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { serveHttp } from 'mcpwire/node'
import { z } from 'zod'

const server = new MCPServer('bakery', { version: '1.0.0', extensions: [tasks()] })

server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b)

server.tool('bake', { input: z.object({ what: z.string() }) }, async ({ what }, ctx) => {
  for (const [done, step] of ['knead', 'rest', 'shape', 'bake'].entries()) {
    await ctx.reportProgress(done + 1, 4, step)
    await sleep(150, undefined, { signal: ctx.signal })
  }
  return `Fresh ${what}`
})

server.tool('order', { input: z.object({ cake: z.string() }) }, async ({ cake }, ctx) => {
  const answer = await ctx.elicit('How many people will eat?', z.object({ people: z.number() }))
  if (answer.action !== 'accept') return 'No cake then.'
  return `A ${cake} for ${answer.content.people}`
})

const inventory = { task: { mode: 'always', pollIntervalMs: 150 } } as const
server.tool('inventory', inventory, async (_args, ctx) => {
  for (const [done, shelf] of ['flour', 'butter', 'sugar'].entries()) {
    await ctx.reportProgress(done + 1, 3, `counting ${shelf}`)
    await sleep(300, undefined, { signal: ctx.signal })
  }
  return '12 sacks of flour, 7 kg of butter, 3 kg of sugar'
})

if (process.argv.includes('--http')) {
  const { url } = await serveHttp(server, { port: 0 })
  console.log(url)
} else {
  await server.run()
}
