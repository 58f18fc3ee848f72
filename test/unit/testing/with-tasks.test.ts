// The clock of a test, for a server and the clients of connect().
import { expect, it } from 'vitest'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { connect, recordWire } from '../../../src/testing/connect.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'

it.each([undefined, 'wire'] as const)(
  'ten minutes of work with promotion and polling pass without waiting, %s',
  async (kind) => {
    const clock = fakeClock()
    const server = withTasks(new MCPServer('s', { extensions: [tasks()] }), { clock })
    server.tool('build', { task: true }, async () => {
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 600_000))
      return 'built'
    })
    const wire = kind === 'wire' ? { wire: recordWire() } : {}
    await using client = await connect(server, { extensions: [tasks({ watch: false })], mode: 'modern', ...wire })
    const statuses: string[] = []
    const call = client.callTool('build', {}, { onStatus: ({ status }) => statuses.push(status) })
    await clock.advance(660_000)
    expect(await call).toMatchObject({ content: [{ type: 'text', text: 'built' }] })
    expect(statuses.at(-1)).toBe('completed')
  },
)

it('a task expires without waiting', async () => {
  const clock = fakeClock()
  const server = withTasks(new MCPServer('s', { extensions: [tasks()] }), { clock })
  server.tool('build', { task: { mode: 'always', ttlMs: 1_000, keepMs: 60_000 } }, () => 'built')
  await using client = await connect(server, { extensions: [tasks()], mode: 'modern' })
  const { taskId } = await client.tasks.start('build')
  await clock.advance(59_000)
  expect(await client.tasks.get(String(taskId))).toMatchObject({ status: 'completed' })
  await clock.advance(2_000)
  await expect(client.tasks.get(String(taskId))).rejects.toMatchObject({ code: -32602 })
})
