// A view of a tool whose call becomes a task: it hears the result when the task is final, and nothing in between.
import { expect, it } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { apps } from '../../../src/extensions/apps/apps.ts'
import { readView } from '../../../src/extensions/apps/host/read-view.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createHost, settle } from '../../unit/extensions/apps/support.ts'

it('AQ-7 the view of a task gets its input at once and its result when the task is final', async () => {
  const server = new MCPServer('reports', { extensions: [tasks(), apps()] })
  const app = server.app('ui://report/view', { html: '<!doctype html><title>Report</title>' })
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  server.tool('report', { ui: app, task: 'always' }, async () => {
    await finished
    return 'The report'
  })
  await using client = await Client.connect(server, { extensions: [tasks(), apps()] })
  const { tools } = await client.listTools()
  const [tool] = tools
  if (tool === undefined) return expect.fail('the tool is listed')
  const { host, view } = createHost({ client, view: await readView(client, tool) })
  await view.initialize()
  host.sendInput({})
  const statuses: string[] = []
  const call = client.callTool('report', {}, { onStatus: ({ status }) => void statuses.push(status) })
  await expect.poll(() => statuses).toContain('working')
  await settle(view)
  expect(view.heard.map(([method]) => method)).toEqual(['ui/notifications/tool-input'])
  finish()
  host.sendResult(await call)
  await settle(view)
  expect(view.heard.at(-1)).toMatchObject([
    'ui/notifications/tool-result',
    { content: [{ type: 'text', text: 'The report' }] },
  ])
  await host.close()
})
