// A method that one revision has of its own can be an extension's in another, as the methods of tasks are.
import { expect, it } from 'vitest'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { ExtensionSet } from '../../../../src/server/extensions/extension-set.ts'
import { Server, type ServerOptions } from '../../../../src/server/server.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { RawPeer } from '../../../support/peers.ts'

const ID = 'io.modelcontextprotocol/tasks'

const TASKS: ServerOptions = {
  extensions: [
    {
      identifier: ID,
      requests: {
        'tasks/get': {
          handle: (_ctx, { taskId }) => ({ taskId: taskId ?? null, status: 'working', from: 'extension' }),
          protocolVersions: ['2026-07-28'],
          nameParam: 'taskId',
        },
      },
    },
  ],
}

async function connect(options: ServerOptions) {
  const [here, there] = createMemoryChannelPair()
  const served = await new Server('tasks', options).connect(there)
  const peer = new RawPeer(here)
  const call = (method: string, params: JSONObject) => {
    peer.send({ jsonrpc: '2.0', id: 1, method, params })
    return peer.next()
  }
  return { call, [Symbol.asyncDispose]: () => served.close() }
}

it('answers in the revision that is the extension’s, and leaves the other one to the specification', async () => {
  const task = { taskId: 'T1', status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: null } as const
  const options: ServerOptions = {
    ...TASKS,
    handlers: { 'tasks/get': () => ({ ...task, lastUpdatedAt: task.createdAt }) },
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [ID]: {} } },
  }
  await using modern = await connect(options)
  await using older = await connect(options)
  const clientInfo = { name: 'c', version: '1' }
  await older.call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

  expect(await modern.call('tasks/get', { taskId: 'T1', _meta })).toMatchObject({
    result: { resultType: 'complete', taskId: 'T1', from: 'extension' },
  })
  expect(await older.call('tasks/get', { taskId: 'T1' })).toMatchObject({ result: task })
})

it('does not exist at other revisions without a handler of the server', async () => {
  await using older = await connect(TASKS)
  const clientInfo = { name: 'c', version: '1' }
  await older.call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

  expect(await older.call('tasks/get', { taskId: 'T1' })).toMatchObject({ error: { code: -32601 } })
})

it('knows which param a header repeats', () => {
  const extensions = new ExtensionSet(TASKS.extensions ?? [], new Server('one'))

  expect(extensions.request('tasks/get', '2026-07-28')?.nameParam).toBe('taskId')
  expect(extensions.request('tasks/get', '2025-11-25')?.nameParam).toBeUndefined()
  expect(extensions.request('tools/call', '2026-07-28')?.nameParam).toBeUndefined()
})
