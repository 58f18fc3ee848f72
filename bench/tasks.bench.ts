// The cost of tasks: a tool that may become one and does not, a task from creation to its result, a poll, and memory.
import { Client } from '../src/client/client.ts'
import { tasks } from '../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { type Contender, goal, measure, report } from './measure.ts'

const OPEN_TASKS = 10_000

const input = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

const limits = { perOwner: 1_000_000, total: 1_000_000 }

const server = new MCPServer('bench', { extensions: [tasks({ limits })] })
server.tool('plain', { input }, ({ a, b }) => a + b)
server.tool('optional', { input, task: true }, ({ a, b }) => a + b)
server.tool('required', { input, task: { mode: 'required', keepMs: 0, ttlMs: 60_000 } }, ({ a, b }) => a + b)
server.tool('asking', { task: 'required' }, async (_args, ctx) => {
  const { action } = await ctx.elicit('Go on?', { type: 'object', properties: {} })
  return action
})

const client = await Client.connect(server, { extensions: [tasks()], onElicitation: () => ({ action: 'accept' }) })
await client.listTools()

const bare = new MCPServer('bench')
bare.tool('plain', { input }, ({ a, b }) => a + b)
const bareClient = await Client.connect(bare)
await bareClient.listTools()

const args = { a: 1, b: 2 }
const calling = (name: string, by: Client, tool: string): Contender => ({ name, run: () => by.callTool(tool, args) })

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Creates a task, lets it run, and asks for it until its result is there. */
async function seeThrough(): Promise<void> {
  const { taskId } = await client.tasks.start('required', args)
  if (taskId === undefined) throw new Error('The call was no task')
  do await nextTurn()
  while ((await client.tasks.get(taskId)).status !== 'completed')
}

const calls = await measure([
  calling('a plain tool', client, 'plain'),
  calling('the same tool with task: true', client, 'optional'),
  calling('a plain tool, neither side with extensions', bareClient, 'plain'),
  { name: 'a task, created, run and fetched', run: seeThrough },
])
report('tools/call in process', calls)
goal('task: true / without', calls[1]!.nanoseconds / calls[0]!.nanoseconds, 1.05)
goal('created, run and fetched / plain call', calls[3]!.nanoseconds / calls[0]!.nanoseconds, 5)

const { taskId: openTask = '' } = await client.tasks.start('asking')
server.server.setRequestHandler('bench/ping', () => ({}))
const polling = await measure([
  { name: 'an empty request', run: () => client.session.sendRequest('bench/ping', {}) },
  { name: 'tasks/get of an open task', run: () => client.tasks.get(openTask) },
])
report('polling in process', polling)
goal('poll / ping', polling[1]!.nanoseconds / polling[0]!.nanoseconds, 1.2)

const heap = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
const before = heap()
const ids: string[] = []
for (let n = 0; n < OPEN_TASKS; n++) {
  const { taskId = '' } = await client.tasks.start('asking')
  ids.push(taskId)
}
while ((await client.tasks.get(ids.at(-1) ?? '')).status !== 'input_required') await Promise.resolve()
const bytes = (heap() - before) / OPEN_TASKS
console.log(`\n${OPEN_TASKS} open tasks, each waiting for an answer`)
goal('KB of heap per task', bytes / 1024, 2)
process.exit(0)
