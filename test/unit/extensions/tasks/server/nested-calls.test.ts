// A caller, a server, and a second server that the first one calls: time and cancellation travel all the way.
import { expect, it } from 'vitest'
import type { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import type { Context } from '../../../../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { connect } from '../../../../../src/testing/connect.ts'
import { PATIENCE_IS_TOTAL_META_KEY, PATIENCE_META_KEY } from '../../../../../src/types/protocol/meta.ts'
import { callWork, getTask, rawClient, serverWith, textOf } from './support-promotion.ts'

/** The second server: what its handler saw, and when it ends. */
async function archive() {
  const seen: Context[] = []
  const end = createDeferred<string>()
  const server = new MCPServer('archive', { extensions: [tasks()] })
  server.tool('search', (_args, ctx) => {
    seen.push(ctx)
    return new Promise<string>((resolve, reject) => {
      void end.promise.then(resolve)
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
    })
  })
  const client = (await connect(server, { raiseExceptions: false, mode: 'modern' })) as Client
  return { client, seen, end: end.resolve, [Symbol.asyncDispose]: () => client.close() }
}

it('a nested call has the rest of the time, and patience shrinks on the way', async () => {
  await using second = await archive()
  const { server, clock } = serverWith(async (ctx, time) => {
    await new Promise<void>((resolve) => void time.setTimer(resolve, 1_000))
    return textOf(await second.client.callTool('search', {}, { within: ctx }))
  })
  await using client = await rawClient(server)
  const call = callWork(client, { patienceMs: 60_000 })
  await clock.advance(1_500)
  const nested = second.seen[0]?.meta as Record<string, unknown>
  expect(nested[PATIENCE_META_KEY]).toBeLessThanOrEqual(59_000)
  expect(nested[PATIENCE_META_KEY]).toBeGreaterThan(50_000)
  expect(nested[PATIENCE_IS_TOTAL_META_KEY]).toBe(true)
  second.end('found')
  expect(textOf(await call)).toBe('found')
})

it('a nested call of work that became a task is not bound to the patience of the first caller any more', async () => {
  await using second = await archive()
  const { server, clock } = serverWith(async (ctx) => {
    await ctx.background()
    return textOf(await second.client.callTool('search', {}, { within: ctx }))
  })
  await using client = await rawClient(server)
  const { taskId } = await callWork(client, { patienceMs: 3_000 })
  await clock.advance(10_000)
  const nested = second.seen[0]?.meta as Record<string, unknown>
  expect(nested[PATIENCE_IS_TOTAL_META_KEY]).toBeUndefined()
  expect(second.seen[0]?.signal.aborted).toBe(false)
  second.end('found')
  await clock.advance(0)
  expect(textOf((await getTask(server, taskId))['result'])).toBe('found')
})

it('a cancellation of the first caller reaches the second server', async () => {
  await using second = await archive()
  const { server, clock } = serverWith(async (ctx) => {
    return textOf(await second.client.callTool('search', {}, { within: ctx }))
  })
  await using client = await rawClient(server)
  const abort = new AbortController()
  const failed = expect(callWork(client, { signal: abort.signal })).rejects.toThrow()
  await clock.advance(1_000)
  abort.abort()
  await failed
  await clock.advance(0)
  expect(second.seen[0]?.signal.aborted).toBe(true)
})

it('tasks/cancel of work that became a task reaches the second server', async () => {
  await using second = await archive()
  const { server, clock } = serverWith(async (ctx) => {
    return textOf(await second.client.callTool('search', {}, { within: ctx }))
  })
  await using client = await rawClient(server)
  const call = callWork(client)
  await clock.advance(2_000)
  const { taskId } = await call
  expect(second.seen[0]?.signal.aborted).toBe(false)
  await client.tasks.cancel(String(taskId))
  await clock.advance(0)
  expect(second.seen[0]?.signal.aborted).toBe(true)
  expect(await getTask(server, taskId)).toMatchObject({ status: 'cancelled' })
})
