// One node of a server that runs on several. Every node runs this program; the backend is what they share.
import { setTimeout as sleep } from 'node:timers/promises'
import { MCPServer } from 'mcpwire'
import type { Backend } from 'mcpwire/backend'
import { tasks } from 'mcpwire/extensions/tasks'
import { redis } from 'mcpwire/redis'
import { sqlite } from 'mcpwire/sqlite'
import { z } from 'zod'

const {
  NODE_NAME: node = '1',
  PORT = '3000',
  REDIS_URL,
  SQLITE_FILE = 'cluster.db',
  MCP_SECRET = 'x'.repeat(32),
} = process.env
const STEP_MS = Number(process.env['STEP_MS'] ?? 500)

const backend: Backend = REDIS_URL === undefined ? sqlite(SQLITE_FILE) : redis(REDIS_URL)
const server = new MCPServer('cluster', {
  version: '1.0.0',
  backend,
  requestState: { keys: [MCP_SECRET] },
  extensions: [tasks()],
})

server.tool('where', { description: 'Says which node answers.' }, () => `node ${node}`)

server.tool(
  'count',
  {
    description: 'Counts to five, slowly, and says which node counted what.',
    input: z.object({ to: z.number().int().positive().max(20) }),
    // It may be done again where a node was lost. What is in a step is not repeated.
    annotations: { idempotentHint: true },
    task: { mode: 'always', leaseMs: 2_000, pollIntervalMs: 200 },
  },
  async ({ to }, ctx) => {
    const counted: string[] = []
    for (let number = 1; number <= to; number++) {
      counted.push(
        await ctx.step(`count ${number}`, async () => {
          await ctx.reportProgress(number, to, `node ${node} counts ${number}`)
          await sleep(STEP_MS, undefined, { signal: ctx.signal })
          return `${number} on node ${node}`
        }),
      )
    }
    return counted.join(', ')
  },
)

await server.run({ transport: 'http', port: Number(PORT), announce: false })
console.log(`node ${node} listens`)
