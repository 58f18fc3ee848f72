import { MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { connect, fakeClock, withTasks } from 'mcpwire/testing'

const clock = fakeClock()
const minutes = (count: number) =>
  new Promise<void>(
    (resolve) => void clock.setTimer(resolve, count * 60_000),
  )

const server = new MCPServer('reports', { extensions: [tasks()] })

// Answered plainly if it ends within 2 s, else a task.
server.tool('build_report', { task: true }, async (_args, ctx) => {
  await minutes(10)
  return ctx.task ? 'Built as a task.' : 'Built in the call.'
})

// A task as soon as the handler knows that it will take long.
server.tool('archive', { task: 'manual' }, async (_args, ctx) => {
  await ctx.background('Archiving 10,000 files')
  await minutes(30)
  return 'Archived.'
})

await using client = await connect(withTasks(server, { clock }), {
  extensions: [tasks()],
})
const report = client.callTool('build_report')
const statuses: (string | undefined)[] = []
const archive = client.callTool(
  'archive',
  {},
  { onStatus: ({ statusMessage }) => statuses.push(statusMessage) },
)

await clock.advance(31 * 60_000)
console.log(
  [await report, await archive].flatMap(({ content }) => content),
)
console.log(statuses[0])
