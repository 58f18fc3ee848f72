// Which references stay, and which of them are listed.
import { expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { MemoryTaskReferences } from '../../../../../src/extensions/tasks/client/references.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'

it('the reference of a task whose tool was removed stays until its time is over', async () => {
  const server = new MCPServer('works', { extensions: [tasks()] })
  const tool = server.tool(
    'work',
    { task: { mode: 'always', pollIntervalMs: 100 } },
    () => new Promise<string>(() => {}),
  )
  const references = new MemoryTaskReferences()
  const client = await Client.connect(server, { extensions: [tasks({ references })] })
  const job = await client.tasks.start('work')
  tool.remove()
  await expect(job.result()).rejects.toThrow('The work may have been done: check before you call the tool again.')
  expect(await client.tasks.pending()).toEqual([job.reference])
  await client.close()
  await server.close()
})

it('pending() lists what this connection can resume: not the tasks of the other revision', async () => {
  const server = new MCPServer('works', { extensions: [tasks()] })
  server.tool('work', { task: { mode: 'always', pollIntervalMs: 100 } }, () => 'done')
  const references = new MemoryTaskReferences()
  await using modern = await Client.connect(server, { extensions: [tasks({ references })] })
  const job = await modern.tasks.start('work')
  await using legacy = await Client.connect(server, { mode: '2025-11-25', extensions: [tasks({ references })] })
  expect(await legacy.tasks.pending()).toEqual([])
  expect(await modern.tasks.pending()).toEqual([job.reference])
})
