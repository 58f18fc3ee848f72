import { Queue, Worker } from 'bullmq'
import { MCPServer } from 'mcpwire'
import type { Claim } from 'mcpwire/backend'
import { bullmqExecutor } from 'mcpwire/bullmq'
import { runTask, tasks } from 'mcpwire/extensions/tasks'
import { serveTasks } from 'mcpwire/node'
import { redis } from 'mcpwire/redis'

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  ROLE = 'node',
} = process.env
const connection = { url: REDIS_URL }
const queue = new Queue('reports', { connection })

const server = new MCPServer('reports', {
  backend: redis(REDIS_URL),
  extensions: [tasks({ executor: bullmqExecutor(queue) })],
})
server.tool(
  'build_report',
  { task: { mode: 'always', pollIntervalMs: 100 } },
  () => `Built by process ${process.pid}`,
)

if (ROLE === 'worker') {
  const worker = new Worker<Claim>(
    'reports',
    (job) => runTask(server, job.data),
    { connection },
  )
  // Keeps the backend open until SIGTERM.
  const serving = await serveTasks(server, { handleSignals: true })
  console.error('Working')
  await serving.closed
  await worker.close()
} else {
  await server.run({ transport: 'http', port: Number(PORT) })
}
await queue.close()
