// The run of a task: what it knows, what it can do, and how it ends.
import { expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { limitRate } from '../../../src/server/middleware/limit-rate.ts'
import { NoBackChannelError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { NAME_FORM, textsOf } from '../kit/support-mcpserver.ts'
import { BareTasks, nextTurn, taskServer, WITH_TASKS } from '../kit/support-tasks.ts'

function untilAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason))
  })
}

requirement('tasks cancellation', async ({ connect }) => {
  const { server, faults } = taskServer()
  const reasons: unknown[] = []
  server.tool('obedient', { task: 'always' }, async (_args, ctx) => {
    reasons.push(await untilAborted(ctx.signal))
    throw ctx.signal.reason
  })
  server.tool('successful', { task: 'always' }, async (_args, ctx) => {
    reasons.push(await untilAborted(ctx.signal))
    return 'done nevertheless'
  })
  server.tool('asking', { task: 'always' }, async (_args, ctx) => {
    await ctx.elicit('Name?', NAME_FORM)
    return 'never'
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const obedient = await tasks.start('obedient')
  await tasks.cancel(obedient.taskId)
  expect((await tasks.ended(obedient.taskId)).status).toBe('cancelled')
  const successful = await tasks.start('successful')
  await tasks.cancel(successful.taskId)
  expect((await tasks.ended(successful.taskId)).status).toBe('completed')
  expect(reasons.map((reason) => (reason as Error).message)).toEqual([
    'The task was cancelled',
    'The task was cancelled',
  ])

  const asking = await tasks.start('asking')
  await tasks.until(asking.taskId, 'input_required')
  await tasks.cancel(asking.taskId)
  const cancelled = await tasks.get(asking.taskId)
  expect(cancelled.status).toBe('cancelled')
  expect(cancelled).not.toHaveProperty('inputRequests')
  // A handler that stops as it was asked to is no failure.
  expect(faults).toEqual([])
})

requirement('tasks context', async ({ connect, version }) => {
  const { server } = taskServer()
  const go = createDeferred()
  const seen = createDeferred<Record<string, unknown>>()
  const input = { type: 'object', properties: { quarter: { type: 'string' } } } as const
  server.tool('report', { task: 'always', input }, async ({ quarter }, ctx) => {
    await go.promise
    const asking = await ctx.session.listRoots().catch((error: unknown) => error)
    seen.resolve({
      quarter,
      version: ctx.protocolVersion,
      client: ctx.clientInfo?.name,
      trace: ctx.meta['traceparent'],
      elicitation: ctx.clientCapabilities.elicitation !== undefined,
      http: ctx.http,
      asking: asking instanceof NoBackChannelError,
      isAborted: ctx.signal.aborted,
    })
    return 'done'
  })
  const client = await connect(server, WITH_TASKS)
  // Keeps the server open; the client that made the task goes.
  await using other = await connect(server, WITH_TASKS)
  const meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const call = client.session.callTool('report', { quarter: 'Q3' }, { allowClaimed: true, meta })
  const { taskId } = (await call) as unknown as { taskId: string }
  await client.close()
  await nextTurn()
  go.resolve()

  expect(await seen.promise).toEqual({
    quarter: 'Q3',
    version,
    client: 'mcpwire',
    trace: meta.traceparent,
    elicitation: true,
    http: undefined,
    asking: true,
    isAborted: false,
  })
  expect(textsOf((await new BareTasks(other).ended(taskId)).result as never)).toEqual(['done'])
})

requirement('tasks ctx.task', async ({ connect }) => {
  const { server } = taskServer()
  const go = createDeferred()
  let inline: unknown = 'unset'
  server.tool('inline', (_args, ctx) => {
    inline = ctx.task
  })
  server.tool('report', { task: 'always' }, async (_args, ctx) => {
    const { task } = ctx
    task?.setStatus('Reading')
    expect(() => task?.setStatus(5 as never)).toThrow('ctx.task.setStatus() takes a string, not a number.')
    await ctx.reportProgress(Number.NaN, 5, 'No number')
    await task?.extend(7_200_000)
    await task?.extend(1_000)
    await task?.setPollInterval(250)
    const bad = await Promise.resolve(task?.setPollInterval(5)).catch((error: unknown) => error)
    await go.promise
    return [task?.id, task?.attempt, task?.isResumed, (bad as Error)?.name].join()
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  await tasks.call('inline')
  expect(inline).toBeUndefined()
  const { taskId } = await tasks.start('report')
  for (;;) {
    const { statusMessage, pollIntervalMs, ttlMs } = await tasks.get(taskId)
    if (statusMessage === 'Reading' && pollIntervalMs === 250 && ttlMs === 7_200_000) break
    await nextTurn()
  }
  go.resolve()
  expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual([`${taskId},1,false,RangeError`])
})

requirement('tasks middleware', async ({ connect }) => {
  const seen: string[] = []
  const { server } = taskServer(
    {},
    {
      middleware: [
        limitRate({ perSecond: 0.001, burst: 1, methods: ['tools/call'] }),
        async (ctx, next) => {
          if (ctx.method !== 'tools/call') return next()
          const where = ctx.task === undefined ? 'request' : 'run'
          const result = await next()
          seen.push(`${where} ${result?.['resultType'] ?? ''}`)
          return where === 'run' ? { ...result, _meta: { 'com.example/by': 'middleware' } } : result
        },
      ],
    },
  )
  server.tool('report', { task: 'always' }, () => 'done')
  await using client = await connect(server, WITH_TASKS)
  const state = await new BareTasks(client).finish('report')

  expect(seen.sort()).toEqual(['request task', 'run complete'])
  expect(state.result?._meta).toEqual({ 'com.example/by': 'middleware' })
})

requirement('tasks shutdown', async ({ connect }) => {
  const { server, faults } = taskServer()
  const reason = vi.fn()
  server.tool('endless', { task: 'always' }, async (_args, ctx) => {
    reason(((await untilAborted(ctx.signal)) as Error).message)
    throw ctx.signal.reason
  })
  server.tool('quick', { task: 'always' }, async () => {
    await nextTurn()
    return 'in time'
  })
  const client = await connect(server, WITH_TASKS)
  const endless = await new BareTasks(client).start('endless')
  const quick = await new BareTasks(client).start('quick')
  await server.close({ drainMs: 20 })

  expect(reason).toHaveBeenCalledExactlyOnceWith('The server stops')
  await using again = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(again)
  expect(await tasks.get(quick.taskId)).toMatchObject({ status: 'completed' })
  expect(await tasks.get(endless.taskId)).toMatchObject({
    status: 'failed',
    error: { code: -32603, message: 'The server was stopped before the task had ended.' },
  })
  expect(faults).toEqual([])
})
