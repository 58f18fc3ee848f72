// Tools that run as tasks: one for each way in which a task can go.
import { setTimeout as sleep } from 'node:timers/promises'
import { ErrorCode, MCPError, type MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

/** Clients of the suite look this often. */
const POLL_MS = 100

const Confirmation = z.object({ confirm: z.boolean().optional(), name: z.string().optional() })

export function addTasks(server: MCPServer): void {
  server.tool(
    'greet',
    { description: 'Greets, at once.', input: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  )

  server.tool(
    'slow_compute',
    {
      description: 'Takes as long as it is told to.',
      input: z.object({ seconds: z.number().min(0), label: z.string().optional() }),
      task: { mode: 'always', pollIntervalMs: POLL_MS },
    },
    async ({ seconds, label = 'nothing' }, ctx) => {
      await sleep(seconds * 1_000, undefined, { signal: ctx.signal })
      return `Computed ${label} in ${seconds} s.`
    },
  )

  const task = { mode: 'required', pollIntervalMs: POLL_MS } as const

  server.tool('failing_job', { description: 'Fails as a tool does.', task }, () => {
    throw new ToolError('This job always fails.')
  })

  server.tool('protocol_error_job', { description: 'Fails with an error of the protocol.', task }, () => {
    throw new MCPError(ErrorCode.InternalError, 'This job always ends with a protocol error.')
  })

  server.tool(
    'confirm_delete',
    { description: 'Asks before it deletes.', input: z.object({ filename: z.string() }), task },
    async ({ filename }, ctx) => {
      const answer = await ctx.elicit(`Delete ${filename}?`, Confirmation)
      const isConfirmed = answer.action === 'accept' && answer.content.confirm !== false
      return isConfirmed ? `Deleted ${filename}.` : `Kept ${filename}.`
    },
  )

  server.tool('multi_input', { description: 'Asks two questions at once.', task }, async (_args, ctx) => {
    const [first, second] = await Promise.all([
      ctx.elicit('First: who are you?', Confirmation),
      ctx.elicit('Second: are you sure?', Confirmation),
    ])
    return `First: ${first.action}. Second: ${second.action}.`
  })

  server.tool(
    'test_tool_with_task',
    {
      description: 'Asks for a name, then works in the background.',
      task: { mode: 'manual', pollIntervalMs: POLL_MS },
      requires: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
    async (_args, ctx) => {
      const answer = await ctx.elicit('What is your name?', z.object({ name: z.string() }))
      const name = answer.action === 'accept' ? answer.content.name : 'nobody'
      await ctx.background(`Greeting ${name}`)
      return `Hello, ${name}!`
    },
  )
}
