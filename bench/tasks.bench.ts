// The cost of tasks: a tool that may become one and does not, a task from creation to its result, a poll, and memory.
import { Client } from '../src/client/client.ts'
import { tasks } from '../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../src/node/http/serve-http.ts'
import { addAskingTool, heapPerOpenTask } from '../test/support/open-tasks.ts'
import { goal, measure, report } from './measure.ts'

const OPEN_TASKS = 10_000
/** One run of a task goes through more code than a thousand runs of a plain call have compiled. */
const MEASURED = { warmUpMs: 1_500 }

const input = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const
const args = { a: 1, b: 2 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function createServer(): MCPServer {
  const limits = { perOwner: 1_000_000, total: 1_000_000 }
  const server = new MCPServer('bench', { extensions: [tasks({ limits })] })
  server.tool('plain', { input }, ({ a, b }) => a + b)
  server.tool('optional', { input, task: true }, ({ a, b }) => a + b)
  // Kept for a second, so that ended tasks do not fill the heap.
  server.tool('required', { input, task: { mode: 'required', keepMs: 0, ttlMs: 1_000 } }, ({ a, b }) => a + b)
  addAskingTool(server)
  server.tool(
    'endless',
    { task: 'required' },
    (_args, ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      }),
  )
  server.server.setRequestHandler('bench/ping', () => ({}))
  return server
}

/** The ratios of one connection. Tasks are polled over a network; in process they show what the work itself costs. */
async function compare(title: string, client: Client): Promise<void> {
  await client.listTools()
  const calls = await measure(
    [
      { name: 'a plain tool', run: () => client.callTool('plain', args) },
      { name: 'the same tool with task: true', run: () => client.callTool('optional', args) },
      { name: 'a task, created, run and fetched', run: () => seeThrough(client) },
    ],
    MEASURED,
  )
  report(`tools/call ${title}`, calls)
  goal('task: true / without', calls[1]!.nanoseconds / calls[0]!.nanoseconds, 1.05)
  goal('created, run and fetched / plain call', calls[2]!.nanoseconds / calls[0]!.nanoseconds, 5)

  const { taskId = '' } = await client.tasks.start('endless')
  const polls = await measure(
    [
      { name: 'a request that does nothing, as ping does', run: () => client.session.sendRequest('bench/ping', {}) },
      { name: 'tasks/get of a task that runs', run: () => client.tasks.get(taskId) },
    ],
    MEASURED,
  )
  report(`polling ${title}`, polls)
  goal('poll / ping', polls[1]!.nanoseconds / polls[0]!.nanoseconds, 1.2)
  await client.tasks.cancel(taskId)
}

/** Creates a task, lets it run, and asks for it until its result is there. */
async function seeThrough(client: Client): Promise<void> {
  const { taskId } = await client.tasks.start('required', args)
  if (taskId === undefined) throw new Error('The call was no task')
  do await nextTurn()
  while ((await client.tasks.get(taskId)).status !== 'completed')
}

const onElicitation = () => ({ action: 'accept' as const })
const near = await Client.connect(createServer(), { extensions: [tasks()], onElicitation })
await compare('in process', near)
await near.close()

const serving = await serveHttp(createServer(), { port: 0 })
const far = await Client.connect(serving.url, { mode: 'modern', extensions: [tasks()], onElicitation })
await compare('over HTTP, client and server together', far)
await far.close()

console.log(`\n${OPEN_TASKS} open tasks, each waiting for an answer`)
goal('KB of heap per task', (await heapPerOpenTask(createServer(), OPEN_TASKS)) / 1024, 2)
process.exit(0)
