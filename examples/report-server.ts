// A report that takes ten minutes and asks one question on its way. The call becomes a task, so nobody has to stay connected.
import { setTimeout as sleep } from 'node:timers/promises'
import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { z } from 'zod'

/** Shorter than a minute when you have no ten minutes to try it. */
const MINUTE_MS = Number(process.env['MINUTE_MS'] ?? 60_000)

const server = new MCPServer('reports', { version: '1.0.0', extensions: [tasks()] })

server.tool(
  'build_report',
  {
    description: 'Builds the report of a quarter, in about ten minutes.',
    input: z.object({ quarter: z.string() }),
    task: { mode: 'always', pollIntervalMs: Math.max(100, MINUTE_MS / 20) },
  },
  async ({ quarter }, ctx) => {
    /** A minute of work. */
    const work = async (minute: number, what: string) => {
      await ctx.reportProgress(minute, 10, `${what}, minute ${minute} of 10`)
      await sleep(MINUTE_MS, undefined, { signal: ctx.signal })
    }
    // After the question the handler runs again from the start. What is in a step runs once and is remembered.
    const entries = await ctx.step('read the ledger', async () => {
      for (let minute = 1; minute <= 5; minute++) await work(minute, 'Reading the ledger')
      return { final: 120, drafts: 7 }
    })
    const answer = await ctx.elicit('Include drafts?', z.object({ drafts: z.boolean() }))
    const hasDrafts = answer.action === 'accept' && answer.content.drafts
    const count = entries.final + (hasDrafts ? entries.drafts : 0)
    for (let minute = 6; minute <= 10; minute++) await work(minute, 'Writing the report')
    return `Report of ${quarter}: ${count} entries.`
  },
)

const { url } = await server.run({ transport: 'http', port: Number(process.env['PORT'] ?? 3000) })
console.log(url)
