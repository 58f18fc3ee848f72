// What the compiler knows of tasks: jobs typed by the tools of the server, and values of steps.
import { z } from 'zod'
import { Client } from '../../src/client/client.ts'
import type { ClientTasks } from '../../src/client/extensions/client-tasks.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { tool } from '../../src/mcpserver/tools/tool.ts'
import type { Job, TaskReference } from '../../src/types/extensions/tasks.ts'
import type { CallToolResult } from '../../src/types/features/tools.ts'
import { holds, type Same } from './assert.ts'

const report = tool(
  'report',
  { input: z.object({ quarter: z.string() }), output: z.object({ pages: z.number() }), task: 'always' },
  () => ({ pages: 3 }),
)
const clean = tool('clean', { task: true }, () => 'clean')
const server = new MCPServer('reports', { extensions: [tasks()], tools: [report, clean] })

export async function typed(): Promise<void> {
  const client = await Client.connect(server, { extensions: [tasks()] })
  const job = await client.tasks.start('report', { quarter: 'Q3' }, { maxTotalMs: 5_000 })
  const result = await job.result()
  holds<Same<typeof result.structuredContent, { pages: number } | undefined>>()
  await client.tasks.start('clean')
  await client.tasks.start('clean', {}, { signal: undefined })
  // The server may have more tools than its type.
  const other = await client.tasks.start('other', { anything: 1 })
  holds<Same<typeof other, Job<CallToolResult>>>()
  // @ts-expect-error: the arguments are those of the tool
  await client.tasks.start('report', { quarter: 3 })
  // @ts-expect-error: and one of them is required
  await client.tasks.start('report')
  // @ts-expect-error: an option that a start does not have
  await client.tasks.start('clean', {}, { leaveAfterMs: 1 })

  // A reference is plain JSON: the name of its tool, which resume() checks, says what the result is.
  const reference = job.reference as TaskReference
  const resumed = await client.tasks.resume(reference, 'report').result()
  holds<Same<typeof resumed.structuredContent, { pages: number } | undefined>>()
  const someJob = client.tasks.resume(reference)
  holds<Same<typeof someJob, Job<CallToolResult>>>()
  const otherJob = client.tasks.resume(reference, 'other')
  holds<Same<typeof otherJob, Job<CallToolResult>>>()
  // @ts-expect-error: a tool has a name
  client.tasks.resume(reference, 5)

  // Where the tools do not matter, a typed client is a client like any other.
  const anyTasks: ClientTasks = client.tasks
  const anyClient: Client = client
  const anyJob: Job = job
  void [anyTasks, anyClient, anyJob]
}

export async function untyped(client: Client): Promise<void> {
  const job = await client.tasks.start('any', { x: 1 }, { timeoutMs: 5 })
  holds<Same<typeof job, Job<CallToolResult>>>()
  interface Own {
    x: number
  }
  const own: Own = { x: 1 }
  await client.tasks.start('any', own)
}

interface Row {
  readonly id: string
  note?: string
  tags: string[]
  nested: { ok: boolean | null }
}
declare const row: Row
declare const unknownValue: unknown
declare const anyValue: ReturnType<typeof JSON.parse>

server.tool('steps', async (_args, ctx) => {
  const rows = await ctx.step('rows', () => [row])
  holds<Same<typeof rows, Row[]>>()
  const count = await ctx.step('count', async () => 3)
  holds<Same<typeof count, number>>()
  const nothing = await ctx.step('nothing', () => {})
  holds<Same<typeof nothing, void>>()
  const either = await ctx.step('either', () => (Math.random() > 0.5 ? 'a' : undefined))
  holds<Same<typeof either, 'a' | undefined>>()
  holds<Same<Awaited<ReturnType<typeof ctx.step<unknown>>>, unknown>>()
  await ctx.step('unknown', () => unknownValue)
  await ctx.step('any', () => anyValue)
  // @ts-expect-error: JSON has no dates
  await ctx.step('date', () => new Date())
  // @ts-expect-error: nor inside of objects
  await ctx.step('inner date', async () => ({ at: new Date() }))
  // @ts-expect-error: JSON has no maps
  await ctx.step('map', () => new Map([['a', 1]]))
  // @ts-expect-error: JSON has no functions
  await ctx.step('function', () => () => 1)
  // @ts-expect-error: nor objects with methods
  await ctx.step('method', () => ({ close() {} }))
  // @ts-expect-error: JSON has no bigints
  await ctx.step('bigint', () => [1n])
  // @ts-expect-error: JSON has no bytes
  await ctx.step('bytes', () => new Uint8Array(3))
  return rows.length + count
})
