// The tools of tasks/checks.js, served by mcpwire in both eras. Usage: mcpwire-tasks.js stdio | http-json | http-sse
import { MCPError, MCPServer, ToolError } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { z } from 'zod'
import * as catalogue from '../catalogue.js'

const WORK_MS = 200
const POLL_MS = 100
let stopped = 0

const server = new MCPServer('mcpwire-tasks', { version: '1.0.0', extensions: [tasks()] })
const task = { mode: 'required', pollIntervalMs: POLL_MS }

server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`)
server.tool('stopped', () => String(stopped))
server.tool(
  'report',
  { input: z.object({ pages: z.number() }), output: z.object({ pages: z.number() }), task },
  async ({ pages }) => {
    await new Promise((resolve) => setTimeout(resolve, WORK_MS))
    return { pages }
  },
)
server.tool('failing', { task }, () => {
  throw new ToolError('It failed on purpose.')
})
server.tool('broken', { task }, () => {
  throw new MCPError(-32000, 'Broken on purpose')
})
server.tool('approve', { task }, async (_args, ctx) => {
  const answer = await ctx.elicit('Your name?', catalogue.NAME_FORM)
  return `${answer.action} ${answer.content?.name}`
})
server.tool('wait', { task }, async (_args, ctx) => {
  await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
  stopped += 1
  throw ctx.signal.reason
})

const [mode = 'stdio'] = process.argv.slice(2)
if (mode === 'stdio') {
  await server.run()
} else {
  const responseMode = mode === 'http-json' ? 'json' : 'stream'
  const { url } = await server.run({ transport: 'http', port: 0, responseMode })
  console.log(url)
}
