// Tasks of revision 2025-11-25 on the client: which calls become tasks, and how they are seen through.
import { expect, vi } from 'vitest'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import { TaskCancelledError, TaskPendingError } from '../../../src/types/extensions/task-errors.ts'
import type { TaskState } from '../../../src/types/extensions/tasks.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { refusalOf } from '../kit/support-mcpserver.ts'
import { cancelTask, connectAs, getTask, serverWithTasks, TAG, textIn } from './support-core.ts'

/** As often as a client asks at most. */
const SOON = { pollIntervalMs: 100 }

requirement('tasks L-04: callTool', async ({ connect, wire }) => {
  const { server } = serverWithTasks()
  const output = { type: 'object', properties: { isTask: { type: 'boolean' } }, required: ['isTask'] } as const
  const run = (_args: object, ctx: { task: unknown }) => ({ isTask: ctx.task !== undefined })
  server.tool('must', { task: { mode: 'required', ...SOON }, output }, run)
  server.tool('may', { task: SOON, output }, run)
  server.tool('plain', { output }, run)
  await using client = await connect(server, { extensions: [tasks()] })
  const onStatus = vi.fn<(state: TaskState) => void>()

  const must = await client.callTool('must', {}, { onStatus })
  expect(must.structuredContent).toEqual({ isTask: true })
  expect(onStatus.mock.calls.map(([{ status }]) => status)).toEqual(['working', 'completed'])
  expect(onStatus.mock.calls[0]?.[0]).toMatchObject({ ttlMs: 3_600_000, pollIntervalMs: 100 })
  expect((await client.callTool('may')).structuredContent).toEqual({ isTask: false })
  expect((await client.callTool('may', {}, { task: true })).structuredContent).toEqual({ isTask: true })
  expect((await client.callTool('plain', {}, { task: true })).structuredContent).toEqual({ isTask: false })

  const calls = (wire.sent as unknown as JSONObject[])
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => (params as JSONObject)['task'])
  expect(calls).toEqual([{}, undefined, {}, undefined])
})

requirement('tasks L-04: failures for the caller', async ({ connect }) => {
  const { server } = serverWithTasks()
  const started = createDeferred<string>()
  server.tool('refuse', { task: { mode: 'required', ...SOON } }, () => {
    throw new ToolError('No ink')
  })
  server.tool('break', { task: { mode: 'required', ...SOON } }, () => {
    throw new MCPError(-32050, 'Out of order', { since: 'noon' })
  })
  server.tool('slow', { task: { mode: 'required', ...SOON } }, async (_args, ctx) => {
    started.resolve(ctx.task?.id ?? '')
    await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped'))))
  })
  await using client = await connect(server, { extensions: [tasks()] })

  expect(await client.callTool('refuse')).toMatchObject({ isError: true, content: [{ text: 'No ink' }] })
  expect((await refusalOf(client.callTool('break'))).toErrorData()).toEqual({
    code: -32050,
    message: 'Out of order',
    data: { since: 'noon' },
  })
  const slow = client.callTool('slow').catch((error: unknown) => error)
  await cancelTask(client, await started.promise)
  expect(await slow).toBeInstanceOf(TaskCancelledError)
})

requirement('tasks L-15: questions for the caller', async ({ connect }) => {
  const { server } = serverWithTasks()
  const form = { type: 'object', properties: { yes: { type: 'boolean' } } } as const
  server.tool('ask', { task: { mode: 'required', ...SOON } }, async (_args, ctx) => {
    const first = await ctx.elicit('First?', form)
    const second = await ctx.elicit('Second?', form)
    return JSON.stringify([first, second])
  })
  const asked: unknown[] = []
  await using client = await connect(server, {
    extensions: [tasks()],
    onElicitation: ({ message }) => {
      asked.push(message)
      return { action: 'accept', content: { yes: asked.length === 1 } }
    },
  })
  const statuses: string[] = []
  const result = await client.callTool('ask', {}, { onStatus: ({ status }) => statuses.push(status) })

  expect(textIn(result)).toBe(
    '[{"action":"accept","content":{"yes":true}},{"action":"accept","content":{"yes":false}}]',
  )
  expect(asked).toEqual(['First?', 'Second?'])
  expect(statuses).toContain('input_required')
  expect(statuses.at(-1)).toBe('completed')
})

requirement('tasks L-16: no tag on requests about tasks', async ({ connect, wire }) => {
  const { server } = serverWithTasks()
  server.tool('must', { task: { mode: 'required', ...SOON } }, async (_args, ctx) => {
    await ctx.elicit('Sure?', { type: 'object', properties: {} })
    return 'done'
  })
  await using client = await connect(server, {
    extensions: [tasks()],
    onElicitation: () => ({ action: 'accept', content: {} }),
  })
  await client.callTool('must')
  await client.tasks.start('must').then((job) => job.cancel())

  const about = (wire.sent as unknown as JSONObject[]).filter(
    ({ method }) => typeof method === 'string' && /^tasks\/(?:get|result|cancel)$/.test(method),
  )
  expect(new Set(about.map(({ method }) => method))).toEqual(new Set(['tasks/get', 'tasks/result', 'tasks/cancel']))
  for (const { params } of about) {
    expect((params as JSONObject)['taskId']).toBeTypeOf('string')
    expect(JSON.stringify(params)).not.toContain(TAG)
  }
})

requirement('tasks L-16: stopping', async ({ connect, wire }) => {
  const { server } = serverWithTasks()
  const started: string[] = []
  const aborted = createDeferred()
  server.tool('slow', { task: { mode: 'required', ...SOON } }, async (_args, ctx) => {
    started.push(ctx.task?.id ?? '')
    ctx.signal.addEventListener('abort', () => aborted.resolve())
    await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped'))))
  })
  await using client = await connect(server, { extensions: [tasks()] })
  const stop = new AbortController()
  const onStatus = () => stop.abort(new Error('enough'))
  await expect(client.callTool('slow', {}, { signal: stop.signal, onStatus })).rejects.toThrow('enough')
  await aborted.promise
  expect((await getTask(client, started[0] as string)).status).toBe('cancelled')
  const methods = (wire.sent as unknown as JSONObject[]).map(({ method }) => method)
  expect(methods).not.toContain('notifications/cancelled')

  const left = client.callTool('slow', {}, { leaveAfterMs: 0 })
  const pending = (await left.catch((error: unknown) => error)) as TaskPendingError
  expect(pending).toBeInstanceOf(TaskPendingError)
  expect((await client.tasks.get(pending.job.taskId as string)).status).toBe('working')
  await pending.job.cancel()
})

requirement('tasks L-14: client.tasks', async () => {
  const { server } = serverWithTasks()
  const gate = createDeferred()
  server.tool('slow', { task: SOON }, async (_args, ctx) => {
    await gate.promise
    return `done by ${ctx.auth?.subject}`
  })
  const references = tasks()
  const first = await connectAs(server, 'ada', { extensions: [references] })
  const job = await first.tasks.start('slow')
  const { reference } = job
  expect(reference).toMatchObject({ tool: 'slow', dialect: 'core', ttlMs: 3_600_000, taskId: job.taskId })
  await first.close()

  await using again = await connectAs(server, 'ada', { extensions: [tasks()] })
  const listed: string[] = []
  for await (const { taskId, status } of again.tasks.list()) listed.push(`${taskId} ${status}`)
  expect(listed).toEqual([`${job.taskId} working`])
  const resumed = again.tasks.resume(JSON.parse(JSON.stringify(reference)))
  gate.resolve()
  expect(textIn(await resumed.result())).toBe('done by ada')
  await resumed.cancel()
  await expect(again.tasks.cancel('a'.repeat(43))).rejects.toMatchObject({ code: -32602 })
  await expect(again.tasks.update('a'.repeat(43), {})).rejects.toMatchObject({ code: -32601, local: true })

  await using nobody = await connectAs(server, undefined, { extensions: [tasks()] })
  await expect(nobody.tasks.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: -32601, local: true })
  expect(() => nobody.tasks.resume({ ...reference, dialect: 'extension' } as never)).toThrow('2026-07-28')
})
