import { expect, it, vi } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { planTask } from '../../../../../src/mcpserver/extensions/task-plan.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'

it.each(['2024-11-05', '2025-03-26', '2025-06-18'] as const)(
  'a tool that must be a task does not run at revision %s, which has none',
  async (mode) => {
    const run = vi.fn(() => 'never')
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('work', { task: 'required' }, run)
    await using client = await Client.connect(server, { mode, extensions: [tasks()] })
    await expect(client.callTool('work')).rejects.toMatchObject({
      code: -32601,
      message: `The tool "work" runs as a task only, and revision ${mode} has no tasks. Connect with revision 2025-11-25 or later.`,
    })
    expect(run).not.toHaveBeenCalled()
  },
)

it('the message for a wrong task.mode names the values that mode takes', () => {
  expect(() => planTask('tool "work"', { mode: 'yes' as never }, undefined)).toThrow(
    `task.mode of tool "work" must be true or 'optional', 'always', 'required', 'manual', not "yes".`,
  )
})
