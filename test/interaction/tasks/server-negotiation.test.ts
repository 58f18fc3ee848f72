// Who gets a task, and who is refused.
import { expect, vi } from 'vitest'
import type { RequestOptions } from '../../../src/client/session/request-options.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { createHandler } from '../../../src/server/http/handler.ts'
import { TASKS_EXTENSION } from '../../../src/types/extensions/tasks.ts'
import { requirement } from '../kit/requirement.ts'
import { refusalOf, textsOf } from '../kit/support-mcpserver.ts'
import { BareTasks, taskServer, WITH_TASKS, WITHOUT_TASKS } from '../kit/support-tasks.ts'

const REQUIRED = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } }

requirement('tasks T-01: declared', async ({ connect, isModern }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server)

  const { extensions, tasks } = client.serverCapabilities
  expect(extensions?.[TASKS_EXTENSION]).toEqual(isModern ? {} : undefined)
  if (isModern) expect(tasks).toBeUndefined()
})

requirement('tasks T-03: only to clients that declared it with the request', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using knowing = await connect(server, WITH_TASKS)
  await using other = await connect(server, WITHOUT_TASKS)

  expect(await new BareTasks(knowing).call('report')).toMatchObject({ resultType: 'task' })
  expect(await new BareTasks(other).call('report')).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  const old = await other.session.sendRequest('tools/call' as string, { name: 'report', task: { ttl: 1_000 } })
  expect(old).toMatchObject({ content: [{ text: 'done' }] })
})

requirement('tasks T-04: required', async ({ connect }) => {
  const run = vi.fn(() => 'done')
  const { server } = taskServer()
  server.tool('report', { task: 'required' }, run)
  await using client = await connect(server, WITHOUT_TASKS)

  const refusal = await refusalOf(client.callTool('report'))
  expect(refusal).toMatchObject({ code: -32021, data: REQUIRED })
  expect(run).not.toHaveBeenCalled()
})

requirement('tasks T-06: the identifier means nothing at other revisions', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)

  expect(textsOf(await client.callTool('report'))).toEqual(['done'])
})

requirement('tasks T-07: params.task is ignored', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('plain', () => 'plain')
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  expect(await tasks.send('tools/call', { name: 'plain', task: { ttl: 60_000 } })).toMatchObject({
    content: [{ text: 'plain' }],
  })
  const params = { name: 'report', task: { ttl: 1 } }
  const asked = client.session.sendRequest('tools/call', params, { allowClaimed: true } as RequestOptions)
  expect(await asked).toMatchObject({ resultType: 'task', ttlMs: 3_600_000 })
})

requirement('tasks T-20: undeclared clients', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using knowing = await connect(server, WITH_TASKS)
  await using other = await connect(server, WITHOUT_TASKS)
  const { taskId } = await new BareTasks(knowing).start('report')

  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    for (const params of [{ taskId, inputResponses: {} }, { taskId: 'unknown' }, { taskId: '' }]) {
      const refusal = await refusalOf(new BareTasks(other).send(method, params))
      expect(refusal).toMatchObject({ code: -32021, data: REQUIRED })
    }
  }
  expect((await new BareTasks(knowing).ended(taskId)).status).toBe('completed')
})

requirement('tasks T-26: methods of the other flow', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const { taskId } = await tasks.start('report')

  expect((await refusalOf(tasks.send('tasks/result', { taskId }))).code).toBe(-32601)
  expect((await refusalOf(tasks.send('tasks/list', { taskId }))).code).toBe(-32601)
})

requirement('tasks modes', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('plain', () => 'plain')
  server.tool('off', { task: false }, () => 'off')
  server.tool('sync', { task: 'always' }, () => 'sync')
  server.tool('async', { task: { mode: 'required' } }, async () => 'async')
  server.tool('items', { task: 'always' }, async function* () {
    yield 'one'
    yield 'two'
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  expect(await tasks.call('plain')).not.toHaveProperty('taskId')
  expect(await tasks.call('off')).not.toHaveProperty('taskId')
  expect((await tasks.finish('sync')).result?.content).toEqual([{ type: 'text', text: 'sync' }])
  expect((await tasks.finish('async')).result?.content).toEqual([{ type: 'text', text: 'async' }])
  const items = await tasks.finish('items')
  expect(textsOf(items.result as never)).toEqual(['one', 'two'])
})

requirement('tasks checks before creation', async ({ connect }) => {
  const run = vi.fn(() => 'done')
  const { server } = taskServer()
  const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
  server.tool('count', { input, task: 'always' }, run)
  server.tool('hidden', { task: 'always', visible: () => false }, run)
  server.tool('scoped', { task: 'always', scopes: ['admin'] }, run)
  server.tool('sampling', { task: 'required', requires: { sampling: {} } }, run)
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  expect(await tasks.call('count', { n: 'one' })).toMatchObject({ isError: true })
  expect((await refusalOf(tasks.call('hidden'))).code).toBe(-32602)
  expect((await refusalOf(tasks.call('scoped'))).code).toBe(-32600)
  expect((await refusalOf(tasks.call('sampling'))).code).toBe(-32021)
  expect(run).not.toHaveBeenCalled()
})

requirement('tasks T-29: the header Mcp-Name', async () => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  const handle = toFetch(createHandler(server))
  const send = async (method: string, params: object, headers: Record<string, string>) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
    }
    const response = await handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      }),
    )
    return (await response.json()) as { result?: { taskId: string }; error?: { code: number } }
  }
  const { result } = await send('tools/call', { name: 'report', arguments: {} }, { 'mcp-name': 'report' })
  const taskId = result?.taskId as string

  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const params = { taskId, inputResponses: {} }
    expect((await send(method, params, { 'mcp-name': 'other' })).error?.code, method).toBe(-32020)
    expect((await send(method, params, {})).error?.code, method).toBe(-32020)
    expect((await send(method, params, { 'mcp-name': taskId })).error, method).toBeUndefined()
  }
  await server.close()
})
