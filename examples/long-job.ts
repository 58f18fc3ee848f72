// A long job: it reports progress, and stops when the client cancels the call.
import { setTimeout as sleep } from 'node:timers/promises'
import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const jobs = { finished: 0, stopped: 0 }

const server = new MCPServer('long-job', { version: '1.0.0' })

server.tool(
  'index_pages',
  {
    description: 'Indexes pages, one after the other.',
    input: z.object({ pages: z.int().min(1), msPerPage: z.number().min(0).default(100) }),
  },
  async ({ pages, msPerPage }, ctx) => {
    ctx.signal.addEventListener('abort', () => {
      jobs.stopped += 1
    })
    for (let page = 1; page <= pages; page++) {
      await sleep(msPerPage, undefined, { signal: ctx.signal })
      await ctx.reportProgress(page, pages, `page ${page}`)
    }
    jobs.finished += 1
    return `Indexed ${pages} pages.`
  },
)

server.tool('count_jobs', { description: 'How many jobs were finished, and how many stopped.' }, () => jobs)

await server.run()
