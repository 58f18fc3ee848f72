// Options that are passed on from somewhere that may not have them.
import { expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { tasks } from '../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'

it('an option of tasks() that is undefined counts as not given, on a server and on a client', async () => {
  const given = { workers: undefined, executor: undefined, owner: undefined, limits: undefined, keepTokens: undefined }
  const server = new MCPServer('s', { extensions: [tasks(given)] })
  server.tool('work', { task: 'always' }, () => 'done')
  await using client = await Client.connect(server, { extensions: [tasks(given)] })
  const states: string[] = []
  const { content } = await client.callTool('work', {}, { onStatus: ({ status }) => states.push(status) })
  expect(content).toEqual([{ type: 'text', text: 'done' }])
  expect(states.at(-1)).toBe('completed')
})
