// Tasks of revision 2025-11-25 on the server: who may call a tool as a task, and what comes of it.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { advertise, type ClientExtension } from '../../../src/client/extensions/extension.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import { TASKS_EXTENSION } from '../../../src/types/extensions/tasks.ts'
import type { Task } from '../../../src/types/features/tasks.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer, refusalOf } from '../kit/support-mcpserver.ts'
import { cancelTask, getTask, resultOf, serverWithTasks, startTask, TAG, textIn } from './support-core.ts'

const CORE = '2025-11-25'

requirement('tasks L-01: declared', async ({ connect, version, isModern }) => {
  const { server } = serverWithTasks()
  await using before = await connect(server)
  expect(before.serverCapabilities.tasks).toBeUndefined()

  server.tool('build', { task: true }, () => 'built')
  await using client = await connect(server)
  const expected = version === CORE ? { cancel: {}, requests: { tools: { call: {} } } } : undefined
  expect(client.serverCapabilities.tasks).toEqual(expected)
  expect(client.serverCapabilities.extensions?.[TASKS_EXTENSION]).toEqual(isModern ? {} : undefined)
})

requirement('tasks L-02: taskSupport', async ({ connect, version }) => {
  const { server } = serverWithTasks()
  server.tool('plain', () => 1)
  server.tool('off', { task: false }, () => 1)
  server.tool('may', { task: true }, () => 1)
  server.tool('manual', { task: 'manual' }, () => 1)
  server.tool('always', { task: 'always' }, () => 1)
  server.tool('must', { task: { mode: 'required' } }, () => 1)
  await using client = await connect(server)
  const { tools } = await client.listTools()
  const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]))

  const optional = version === CORE ? 'optional' : undefined
  const required = version === CORE ? 'required' : undefined
  expect(support).toEqual({
    plain: undefined,
    off: undefined,
    may: optional,
    manual: optional,
    always: optional,
    must: required,
  })
  if (version !== CORE) for (const tool of tools) expect(Object.hasOwn(tool, 'execution')).toBe(false)
})

requirement('tasks L-04: required', async ({ connect }) => {
  const { server } = serverWithTasks()
  const run = vi.fn(() => 'done')
  server.tool('must', { task: 'required' }, run)
  await using client = await connect(server)
  const refusal = await refusalOf(client.callTool('must'))

  expect(refusal.code).toBe(-32601)
  // Our client adds what to do about it.
  expect(refusal.message).toMatch(
    /^The tool "must" must be called as a task\. Add task to the params of tools\/call\. Add tasks\(\)/,
  )
  expect(run).not.toHaveBeenCalled()
})

requirement('tasks L-05: forbidden', async ({ connect }) => {
  const { server } = serverWithTasks()
  const run = vi.fn(() => 'done')
  server.tool('plain', run)
  server.tool('may', { task: true }, run)
  await using client = await connect(server)
  const refusal = await refusalOf(client.session.sendRequest('tools/call', { name: 'plain', task: {} }))

  expect(refusal.code).toBe(-32601)
  expect(refusal.message).toBe('The tool "plain" can\'t be called as a task. Leave task out of the params.')
  expect(run).not.toHaveBeenCalled()
})

requirement('tasks L-06: without the capability', async ({ connect }) => {
  const { server } = createServer()
  server.tool('plain', () => 'done')
  const other = serverWithTasks().server
  other.tool('plain', () => 'done')

  for (const one of [server, other]) {
    await using client = await connect(one)
    const result = await client.session.sendRequest('tools/call', { name: 'plain', task: { ttl: 1_000 } })
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  }

  // A tool that was removed or no longer has the option counts as little as one that never was there.
  const removed = other.tool('work', { task: true }, () => 'done')
  const changed = other.tool('change', { task: true }, () => 'done')
  await using before = await connect(other)
  expect(before.session.serverCapabilities?.tasks !== undefined).toBe(before.session.protocolVersion === '2025-11-25')
  removed.remove()
  changed.update({ task: false })
  await using after = await connect(other)
  expect(after.session.serverCapabilities?.tasks).toBeUndefined()
})

requirement('tasks L-07: created', async ({ connect }) => {
  const { server } = serverWithTasks({ limits: { maxTtlMs: 10_000_000 }, owner: () => 'ada' })
  for (const mode of [true, 'always', 'manual', 'required'] as const) {
    server.tool(`mode-${mode}`, { task: mode }, () => 'done')
  }
  await using client = await connect(server)
  const ids = new Set<string>()
  for (const mode of [true, 'always', 'manual', 'required'] as const) {
    const task = await startTask(client, `mode-${mode}`, {}, { ttl: 60_000 })
    expect(task).toEqual({
      taskId: expect.stringMatching(/^[\w-]{43}$/),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
      ttl: 60_000,
      pollInterval: expect.any(Number),
    })
    expect((await getTask(client, task.taskId)).taskId).toBe(task.taskId)
    ids.add(task.taskId)
  }
  expect(ids.size).toBe(4)

  // The actual time: the tool's own without a wish, and within the bounds.
  expect((await startTask(client, 'mode-true')).ttl).toBe(3_600_000)
  expect((await startTask(client, 'mode-true', {}, { ttl: 1e12 })).ttl).toBe(10_000_000)
  expect((await startTask(client, 'mode-true', {}, { ttl: -5 })).ttl).toBe(1_000)
  // A plain call of a tool that may be one stays plain, and only the call says so.
  expect(textIn(await client.callTool('mode-always'))).toBe('done')
})

requirement('tasks L-07: bad arguments', async ({ connect }) => {
  const { server } = serverWithTasks({ limits: { perOwner: 1 }, owner: () => 'ada' })
  const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
  server.tool('count', { input, task: true }, () => 'done')
  await using client = await connect(server)
  const refusal = await refusalOf(client.session.sendRequest('tools/call', { name: 'count', arguments: {}, task: {} }))

  expect(refusal.code).toBe(-32602)
  expect(refusal.message).toContain('n')
  // A plain call tells the model.
  expect((await client.session.sendRequest('tools/call', { name: 'count', arguments: {} })).isError).toBe(true)
  // No place was taken.
  await startTask(client, 'count', { n: 1 })
})

requirement('tasks L-08: the result', async ({ connect }) => {
  const gate = createDeferred()
  const { server } = serverWithTasks()
  const output = { type: 'object', properties: { sum: { type: 'number' } } } as const
  server.tool('add', { task: true, output }, async () => {
    await gate.promise
    return { sum: 3 }
  })
  await using client = await connect(server)
  const { taskId } = await startTask(client, 'add')
  const waiting = resultOf(client, taskId)
  expect((await getTask(client, taskId)).status).toBe('working')
  gate.resolve()
  const result = await waiting

  const plain = await client.callTool('add')
  expect(result).toEqual({ ...plain, _meta: { [TAG]: { taskId } } })
  expect(await resultOf(client, taskId)).toEqual(result)
  const task = await getTask(client, taskId)
  expect(task.status).toBe('completed')
  expect(Object.hasOwn(task, '_meta')).toBe(false)
})

requirement('tasks L-08: failures', async ({ connect }) => {
  const { server } = serverWithTasks()
  server.tool('refuse', { task: true }, () => {
    throw new ToolError('No ink')
  })
  server.tool('break', { task: true }, () => {
    throw new MCPError(-32050, 'Out of order', { since: 'noon' })
  })
  await using client = await connect(server)

  const refused = await startTask(client, 'refuse')
  const result = await resultOf(client, refused.taskId)
  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'No ink' }] })
  expect(result._meta).toEqual({ [TAG]: { taskId: refused.taskId } })
  expect((await getTask(client, refused.taskId)).status).toBe('failed')

  const broken = await startTask(client, 'break')
  for (let times = 0; times < 2; times++) {
    const refusal = await refusalOf(resultOf(client, broken.taskId))
    expect(refusal.toErrorData()).toEqual({ code: -32050, message: 'Out of order', data: { since: 'noon' } })
  }
  expect((await getTask(client, broken.taskId)).status).toBe('failed')
})

requirement('tasks L-08: given up', async ({ connect }) => {
  const gate = createDeferred()
  const { server } = serverWithTasks()
  const aborted = vi.fn()
  server.tool('slow', { task: true }, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', aborted)
    await gate.promise
    return 'done'
  })
  await using client = await connect(server)
  const { taskId } = await startTask(client, 'slow')
  const leave = new AbortController()
  const waiting = resultOf(client, taskId, leave.signal)
  leave.abort(new Error('not now'))
  await expect(waiting).rejects.toThrow('not now')
  expect((await getTask(client, taskId)).status).toBe('working')
  expect(aborted).not.toHaveBeenCalled()

  gate.resolve()
  expect(textIn(await resultOf(client, taskId))).toBe('done')
})

requirement('tasks L-08: a bound', async ({ connect }) => {
  const gate = createDeferred()
  const { server } = serverWithTasks()
  server.tool('slow', { task: true }, async () => {
    await gate.promise
    return 'done'
  })
  await using client = await connect(server)
  const { taskId } = await startTask(client, 'slow')
  const waiting = Array.from({ length: 101 }, () =>
    resultOf(client, taskId).then(textIn, (error: MCPError) => error.message),
  )
  const first = await Promise.race(waiting)
  expect(first).toContain('Too many tasks/result requests')
  expect((await getTask(client, taskId)).status).toBe('working')
  gate.resolve()
  const outcomes = await Promise.all(waiting)
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(100)
})

requirement('tasks L-10: unknown tasks', async ({ connect }) => {
  const { server } = serverWithTasks()
  server.tool('may', { task: true }, () => 'done')
  await using client = await connect(server)
  const messages = new Set<string>()
  for (const taskId of ['', 'x', 'a'.repeat(43), '../../etc', '__proto__', 'a'.repeat(10_000)]) {
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'] as const) {
      const refusal = await refusalOf(client.session.sendRequest(method, { taskId }))
      expect(refusal.code, `${method} ${taskId.slice(0, 10)}`).toBe(-32602)
      messages.add(refusal.message)
    }
  }
  expect(messages.size).toBe(1)
})

requirement('tasks L-10: cancel', async ({ connect }) => {
  const { server } = serverWithTasks()
  const started = createDeferred()
  const gate = createDeferred()
  const ended = createDeferred()
  server.tool('stubborn', { task: true }, async (_args, ctx) => {
    started.resolve()
    await gate.promise
    await ctx.reportProgress(9, 10, 'still at it')
    ended.resolve()
    return 'done nevertheless'
  })
  server.tool('quick', { task: true }, () => 'done')
  await using client = await connect(server)
  const { taskId } = await startTask(client, 'stubborn')
  await started.promise
  const waiting = refusalOf(resultOf(client, taskId))
  const cancelled = await cancelTask(client, taskId)
  expect(cancelled.status).toBe('cancelled')
  expect((await waiting).message).toContain('cancelled')

  gate.resolve()
  await ended.promise
  for (let times = 0; times < 3; times++) {
    const task = await getTask(client, taskId)
    expect(task).toEqual(cancelled)
  }
  const again = await refusalOf(cancelTask(client, taskId))
  expect(again.code).toBe(-32602)
  expect(again.message).toBe("The task can't be cancelled: it has the status 'cancelled' already.")

  const quick = await startTask(client, 'quick')
  await resultOf(client, quick.taskId)
  expect((await refusalOf(cancelTask(client, quick.taskId))).code).toBe(-32602)
  expect((await getTask(client, quick.taskId)).status).toBe('completed')
})

requirement('tasks L-11: progress of a task', async ({ connect }) => {
  const { server } = serverWithTasks()
  const told = createDeferred()
  let progressToken: unknown
  server.tool('walk', { task: true }, async (_args, ctx) => {
    progressToken = ctx.meta.progressToken
    await ctx.reportProgress(1, 2, 'half way')
    await ctx.reportProgress(1, 2, 'not further')
    await ctx.reportProgress(0.5, 2, 'back')
    await told.promise
    await ctx.reportProgress(2, 2)
    return 'there'
  })
  const heard: unknown[] = []
  const both = createDeferred()
  await using client = await connect(server, {
    onMessage: ({ method, params }) => {
      if (method !== 'notifications/progress') return
      heard.push(params)
      if (heard.length === 1) told.resolve()
      else both.resolve()
    },
  })
  const { taskId } = await startTask(client, 'walk')
  await resultOf(client, taskId)
  await both.promise
  const tag = { _meta: { [TAG]: { taskId } } }
  expect(heard).toEqual([
    { progressToken, progress: 1, total: 2, message: 'half way', ...tag },
    { progressToken, progress: 2, total: 2, ...tag },
  ])
})

requirement('tasks L-13: status notifications', async ({ connect }) => {
  const { server } = serverWithTasks()
  const gate = createDeferred()
  server.tool('ask', { task: true }, async (_args, ctx) => {
    await gate.promise
    await ctx.elicit('Sure?', { type: 'object', properties: {} })
    return 'done'
  })
  const seen: Task[] = []
  const over = createDeferred()
  await using client = await connect(server, {
    onElicitation: () => ({ action: 'accept', content: {} }),
    onMessage: ({ method, params }) => {
      if (method !== 'notifications/tasks/status') return
      seen.push(params as unknown as Task)
      if (seen.at(-1)?.status === 'completed') over.resolve()
    },
  })
  const { taskId } = await startTask(client, 'ask')
  gate.resolve()
  const result = await resultOf(client, taskId)
  await over.promise
  expect(textIn(result)).toBe('done')
  expect(seen.map(({ status }) => status)).toEqual(['input_required', 'working', 'completed'])
  for (const task of seen) {
    expect(task).toMatchObject({ taskId, ttl: 3_600_000 })
    expect(Object.hasOwn(task, '_meta')).toBe(false)
  }
})

requirement('tasks L-16: dialects', async ({ connect }) => {
  const { server } = serverWithTasks()
  server.tool('may', { task: 'always' }, () => 'done')
  const modernTasks: ClientExtension = {
    identifier: TASKS_EXTENSION,
    claims: [{ resultType: 'task', resolve: () => ({ content: [] }) }],
    requests: { 'tasks/get': { protocolVersions: ['2026-07-28'], nameParam: 'taskId' } },
  }
  await using legacy = await connect(server, { extensions: [advertise(TASKS_EXTENSION)] })
  await using modern = await Client.connect(server, { extensions: [modernTasks] })
  // The identifier means nothing here: without `task` the call is plain.
  expect(textIn(await legacy.callTool('may'))).toBe('done')

  const core = await startTask(legacy, 'may')
  const handle = await modern.session.callTool('may', {}, { allowClaimed: true })
  const modernId = (handle as { taskId?: unknown }).taskId as string
  const getModern = (taskId: string) => modern.session.sendRequest('tasks/get', { taskId }) as Promise<unknown>
  expect(await getTask(legacy, core.taskId)).toMatchObject({ taskId: core.taskId, ttl: 3_600_000 })
  expect(await getModern(modernId)).toMatchObject({ taskId: modernId, ttlMs: 3_600_000 })
  expect((await refusalOf(getTask(legacy, modernId))).code).toBe(-32602)
  expect((await refusalOf(resultOf(legacy, modernId))).code).toBe(-32602)
  expect((await refusalOf(cancelTask(legacy, modernId))).code).toBe(-32602)
  expect((await refusalOf(getModern(core.taskId))).code).toBe(-32602)
})
