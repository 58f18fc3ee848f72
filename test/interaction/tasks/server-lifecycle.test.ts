// From the creation of a task to its end, as a client sees it.
import { expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import type { InputResponses } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import { accept, NAME_FORM, refusalOf } from '../kit/support-mcpserver.ts'
import { BareTasks, nextTurn, onlyKey, taskServer, WITH_TASKS, WITHOUT_TASKS } from '../kit/support-tasks.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

requirement('tasks T-08: creation', async ({ connect }) => {
  const end = createDeferred()
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, async () => {
    await end.promise
    return 'done'
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { _meta, ...created } = await tasks.start('report')
  expect(created).toEqual({
    resultType: 'task',
    taskId: expect.stringMatching(/^[\w-]{43}$/),
    status: 'working',
    createdAt: expect.stringMatching(ISO),
    lastUpdatedAt: expect.stringMatching(ISO),
    ttlMs: 3_600_000,
    pollIntervalMs: expect.any(Number),
  })
  expect(created.pollIntervalMs).toBeGreaterThanOrEqual(200)
  expect(created.pollIntervalMs).toBeLessThanOrEqual(240)
  expect(await tasks.get(created.taskId)).toMatchObject({ taskId: created.taskId, status: 'working' })
  end.resolve()
  await tasks.ended(created.taskId)
})

requirement('tasks T-12: what tasks/get shows', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('ask', { task: 'required' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Name?', NAME_FORM)
    return answer.action
  })
  server.tool('broken', { task: 'required' }, () => {
    throw new MCPError(-32000, 'broken')
  })
  server.tool(
    'endless',
    { task: 'required' },
    (_args, ctx) =>
      new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      }),
  )
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const asked = await tasks.start('ask')
  const waiting = await tasks.until(asked.taskId, 'input_required')
  expect(waiting).toMatchObject({ resultType: 'complete' })
  expect(waiting.inputRequests?.[onlyKey(waiting)]).toMatchObject({ method: 'elicitation/create' })
  // Shown again with every poll.
  expect(await tasks.get(asked.taskId)).toEqual(waiting)
  await tasks.update(asked.taskId, { [onlyKey(waiting)]: accept('Ada') })
  const completed = await tasks.ended(asked.taskId)
  expect(completed).toMatchObject({ resultType: 'complete', status: 'completed', result: { resultType: 'complete' } })

  const failed = await tasks.finish('broken')
  const { taskId } = await tasks.start('endless')
  const working = await tasks.get(taskId)
  await tasks.cancel(taskId)
  const cancelled = await tasks.ended(taskId)
  expect(failed).toMatchObject({ resultType: 'complete', status: 'failed', error: { code: -32000 } })
  expect(working).toMatchObject({ resultType: 'complete', status: 'working' })
  expect(cancelled).toMatchObject({ resultType: 'complete', status: 'cancelled' })
  const members = (state: object) =>
    ['inputRequests', 'result', 'error', 'requestState'].filter((name) => name in state)
  expect([waiting, completed, failed, working, cancelled].map(members)).toEqual([
    ['inputRequests'],
    ['result'],
    ['error'],
    [],
    [],
  ])
})

requirement('tasks T-14: the result', async ({ connect }) => {
  const { server } = taskServer()
  const output = { type: 'object', properties: { rows: { type: 'number' } } } as const
  server.tool('text', { task: 'always' }, () => 'Grüße ✓')
  server.tool('data', { task: 'always', output }, () => ({ rows: 3 }))
  server.tool('whole', { task: 'always' }, () => ({ content: [], _meta: { 'com.example/cost': 7 } }))
  server.tool('error', { task: 'always' }, () => {
    throw new ToolError('No such quarter')
  })
  server.tool('bug', { task: 'always' }, () => {
    throw new Error('secret')
  })
  server.tool('slow', { task: 'always', timeoutMs: 1 }, () => new Promise(() => {}))
  await using client = await connect(server, WITH_TASKS)
  await using plain = await connect(server, WITHOUT_TASKS)
  const tasks = new BareTasks(client)

  for (const name of ['text', 'data', 'whole', 'error', 'bug', 'slow']) {
    const state = await tasks.finish(name)
    const inline = await plain.session.callTool(name)
    expect(state.status, name).toBe('completed')
    expect(state.result, name).toEqual(inline)
    // Byte for byte, however often one asks.
    expect(JSON.stringify((await tasks.get(state.taskId)).result)).toBe(JSON.stringify(state.result))
  }
})

requirement('tasks T-15: the error', async ({ connect }) => {
  const { server, faults } = taskServer()
  server.tool('known', { task: 'always' }, () => {
    throw new MCPError(-32_042, 'Try later', { minutes: 5 })
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const state = await tasks.finish('known')
  expect(state).toMatchObject({
    status: 'failed',
    statusMessage: 'Try later',
    error: { code: -32_042, message: 'Try later', data: { minutes: 5 } },
  })
  expect(state).not.toHaveProperty('result')
  expect(faults).toEqual([])
})

requirement('tasks T-17: final is final', async ({ connect }) => {
  const { server } = taskServer()
  const late = createDeferred()
  const ran = createDeferred()
  server.tool('report', { task: 'always' }, () => 'done')
  server.tool('stubborn', { task: 'always' }, async (_args, ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
    setTimeout(() => {
      void ctx.reportProgress(1, 2, 'late')
      ran.resolve()
    })
    throw ctx.signal.reason
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const done = await tasks.finish('report')
  await tasks.cancel(done.taskId)
  await tasks.update(done.taskId, { any: accept('Ada') })
  expect(await tasks.get(done.taskId)).toEqual(done)

  const { taskId } = await tasks.start('stubborn')
  await tasks.cancel(taskId)
  const cancelled = await tasks.ended(taskId)
  await ran.promise
  await nextTurn()
  await tasks.cancel(taskId)
  expect(await tasks.get(taskId)).toEqual(cancelled)
  late.resolve()
})

requirement('tasks T-18: acknowledgements', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const { taskId } = await tasks.finish('report')

  const stamp = { 'io.modelcontextprotocol/serverInfo': expect.any(Object) }
  for (const call of [tasks.update(taskId, {}), tasks.cancel(taskId)]) {
    expect(await call).toEqual({ resultType: 'complete', _meta: stamp })
  }
})

requirement('tasks T-19: unknown ids', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const { taskId } = await tasks.finish('report')

  const wrong = [
    'unknown',
    taskId.toLowerCase(),
    `${taskId}A`,
    taskId.slice(1),
    ` ${taskId}`,
    '../../etc/passwd',
    '__proto__',
    'A'.repeat(5_000),
  ]
  const messages = new Set<string>()
  for (const id of wrong) {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refusal = await refusalOf(tasks.send(method, { taskId: id, inputResponses: {} }))
      expect(refusal.code).toBe(-32602)
      messages.add(refusal.message)
    }
  }
  expect([...messages]).toEqual([expect.stringContaining('Unknown task')])
})

requirement('tasks T-24: no messages for a task', async ({ connect, wire }) => {
  const { server } = taskServer()
  const go = createDeferred()
  server.tool('report', { task: 'always' }, async (_args, ctx) => {
    await ctx.reportProgress(1, 4)
    await go.promise
    await ctx.log.error('loud')
    await ctx.reportProgress(2, 4, 'Ledger read')
    return 'done'
  })
  await using client = await connect(server, { ...WITH_TASKS, logLevel: 'debug', onLog: vi.fn() })
  const tasks = new BareTasks(client)
  const onProgress = vi.fn()

  const call = client.session.callTool('report', {}, { allowClaimed: true, onProgress })
  const { taskId } = (await call) as unknown as { taskId: string }
  for (;;) {
    if ((await tasks.get(taskId)).statusMessage === '1/4') break
    await nextTurn()
  }
  go.resolve()
  // The last message is written, however soon it follows.
  expect((await tasks.ended(taskId)).statusMessage).toBe('Ledger read')
  expect(onProgress).not.toHaveBeenCalled()
  const methods = wire.received.map((message) => ('method' in message ? message.method : undefined))
  expect(methods).not.toContain('notifications/progress')
  expect(methods).not.toContain('notifications/message')
})

requirement('tasks T-42: limits', async ({ connect }) => {
  const limits = { perOwner: 2, maxTtlMs: 5_000, maxResultBytes: 1_000 }
  const { server, faults } = taskServer({ limits, owner: () => 'ada' })
  const end = createDeferred()
  server.tool('report', { task: { mode: 'always', ttlMs: 60_000 } }, async () => {
    await end.promise
    return 'done'
  })
  server.tool('large', { task: 'always' }, () => 'ü'.repeat(600))
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const made = await Promise.allSettled([1, 2, 3, 4].map(() => tasks.start('report')))
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  const refused = made.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(refused.reason).toMatchObject({ code: -32603, data: { limit: 'limits.perOwner', max: 2 } })
  const started = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(started[0]?.ttlMs).toBe(5_000)
  end.resolve()
  for (const { taskId } of started) await tasks.ended(taskId)

  const large = await tasks.finish('large')
  expect(large).toMatchObject({
    status: 'failed',
    error: { code: -32603, data: { limit: 'maxResultBytes', max: 1_000 } },
  })
  expect(large.statusMessage).toContain('larger than 1000 bytes')
  expect(faults.map(({ error }) => (error as Error).name)).toEqual(['LimitError'])
})

requirement('tasks T-42: memory', async ({ connect }) => {
  let owner = 'ada'
  const limits = { maxBytesPerOwner: 100_000, maxBytes: 160_000 }
  const { server, faults } = taskServer({ limits, owner: () => owner })
  const input = { type: 'object', properties: { text: { type: 'string' } } } as const
  server.tool('quick', { task: 'always', input }, () => 'done')
  server.tool('large', { task: 'always' }, () => 'x'.repeat(30_000))
  server.tool('long', { task: { promoteAfterMs: 0 }, input }, async () => {
    // Until it was to become a task, and could not.
    for (const { length } = faults; faults.length === length; ) await nextTurn()
    return 'inline'
  })
  server.tool('ask', { task: 'always' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Go on?', { type: 'object', properties: {} })
    return action
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const fullFor = { code: -32603, data: { limit: 'limits.maxBytesPerOwner', max: 100_000 } }
  const text = 'x'.repeat(60_000)

  // Nothing is kept of the arguments of a task that has ended.
  for (let count = 0; count < 10; count++) expect((await tasks.finish('quick', { text })).status).toBe('completed')
  const open = await tasks.start('ask')
  for (let count = 0; count < 2; count++) expect((await tasks.finish('large')).status).toBe('completed')

  expect(await tasks.finish('large')).toMatchObject({ status: 'failed', error: fullFor })
  await expect(tasks.start('quick', { text })).rejects.toMatchObject(fullFor)
  expect(await tasks.call('long', { text })).toMatchObject({ content: [{ text: 'inline' }] })
  const key = onlyKey(await tasks.until(open.taskId, 'input_required'))
  const tooLong: InputResponses = { [key]: { action: 'accept', content: { text } } }
  await expect(tasks.update(open.taskId, tooLong)).rejects.toMatchObject(fullFor)
  await tasks.update(open.taskId, { [key]: { action: 'decline' } })
  expect((await tasks.ended(open.taskId)).status).toBe('completed')

  owner = 'bob'
  expect((await tasks.finish('large')).status).toBe('completed')
  await expect(tasks.start('quick', { text })).rejects.toMatchObject({
    data: { limit: 'limits.maxBytes', max: 160_000 },
  })
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['overflow']))
})

requirement('tasks T-42: callers that nobody verified', async ({ connect }) => {
  const { server } = taskServer({ limits: { perOwner: 1, total: 3, maxBytesPerOwner: 1_000 } })
  server.tool('ask', { task: 'always' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Go on?', { type: 'object', properties: {} })
    return action
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  for (let count = 0; count < 3; count++) await tasks.start('ask')
  await expect(tasks.start('ask')).rejects.toMatchObject({ code: -32603, data: { limit: 'limits.total', max: 3 } })
})
