// The signal of a run: quiet when the run has ended by itself.
import { Client, MCPServer } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { expect, it } from 'vitest'

it('the signal of a task that has ended by itself is not aborted', async () => {
  const signals: AbortSignal[] = []
  const server = new MCPServer('quiet', { extensions: [tasks()] })
  server.tool('work', { task: { mode: 'required', pollIntervalMs: 100 } }, (_args, ctx) => {
    signals.push(ctx.signal)
    return 'done'
  })
  await using client = await Client.connect(server, { extensions: [tasks()] })
  const { content } = await client.callTool('work')
  expect(content).toEqual([{ type: 'text', text: 'done' }])
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})
