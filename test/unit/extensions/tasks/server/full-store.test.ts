// What a run and its caller hear when the tasks that are kept take all the memory that they may take, and when an engine does not
// take a value.
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import type { Context } from '../../../../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { SQLiteBackend } from '../../../../../src/sqlite/sqlite.ts'
import { fakeClock } from '../../../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../../../src/testing/with-tasks.ts'
import { BareTasks, WITH_TASKS } from '../../../../interaction/kit/support-tasks.ts'

const LARGE = 'x'.repeat(20_000)
const FULL = { code: -32603, data: { limit: 'limits.maxBytesPerOwner', max: 10_000 } }

/** A server of one owner with a small store, whose clock stands still. */
async function openServer(run: (ctx: Context) => unknown, holds = false) {
  const limits = { maxBytesPerOwner: 10_000 }
  const server = new MCPServer('full', { extensions: [tasks({ limits, owner: () => 'ada' })], onFault: () => {} })
  withTasks(server, { clock: fakeClock() })
  server.tool('work', { task: { mode: 'always', holds } }, (_args, ctx) => run(ctx))
  const client = await Client.connect(server, WITH_TASKS)
  const close = async () => {
    await client.close()
    await server.close()
  }
  return { tasks: new BareTasks(client), [Symbol.asyncDispose]: close }
}

const WAYS: readonly [what: string, run: (ctx: Context) => unknown, holds?: boolean][] = [
  ['a result', () => LARGE],
  ['the value of a step', (ctx) => ctx.step('read', () => LARGE)],
  ['the name of a step', (ctx) => ctx.step(LARGE.slice(0, 9_000), () => 1)],
  ['a question', (ctx) => ctx.elicit(LARGE, { type: 'object', properties: {} })],
  ['a question of a run that holds', (ctx) => ctx.elicit(LARGE, { type: 'object', properties: {} }), true],
]

describe('a store in memory that is full', () => {
  it.each(WAYS)(
    'tasks T-42: %s that does not fit fails the task at once, with the limit',
    async (_what, run, holds) => {
      await using full = await openServer(run, holds)
      expect(await full.tasks.finish('work')).toMatchObject({ status: 'failed', error: FULL })
      // What the task had taken is free again.
      expect(await full.tasks.finish('work')).toMatchObject({ status: 'failed', error: FULL })
    },
  )

  it('tasks T-42: a handler can catch that a step does not fit, and end with something smaller', async () => {
    await using full = await openServer(async (ctx) => {
      try {
        return await ctx.step('read', () => LARGE)
      } catch (error) {
        return (error as { data?: { limit?: string } }).data?.limit
      }
    })
    const { status, result } = await full.tasks.finish('work')
    expect([status, result]).toMatchObject(['completed', { content: [{ text: 'limits.maxBytesPerOwner' }] }])
  })
})

describe('an engine that takes small values only', () => {
  const TOO_LARGE =
    'A value is too large for a task. Its store takes values of up to 10000 bytes. Send less, or a link to a resource.'

  async function openSmall(run: (ctx: Context) => unknown) {
    const backend = new SQLiteBackend(new Database(':memory:') as never, { maxValueBytes: 10_000 })
    const server = new MCPServer('small', { backend, extensions: [tasks({ owner: () => 'ada' })], onFault: () => {} })
    server.tool('work', { task: 'always', input: { type: 'object' } }, (_args, ctx) => run(ctx))
    const client = await Client.connect(server, WITH_TASKS)
    const close = async () => {
      await client.close()
      await server.close()
    }
    return { tasks: new BareTasks(client), [Symbol.asyncDispose]: close }
  }

  it('arguments that it does not take: the call fails, and the error says what it takes', async () => {
    await using small = await openSmall(() => 'done')
    await expect(small.tasks.call('work', { text: LARGE })).rejects.toMatchObject({ code: -32602, message: TOO_LARGE })
    expect(await small.tasks.finish('work')).toMatchObject({ status: 'completed' })
  })

  it.each(WAYS.filter(([, , holds]) => holds === undefined).filter(([what]) => !what.includes('name of')))(
    '%s that it does not take fails the task at once, with what it takes',
    async (_what, run) => {
      await using small = await openSmall(run)
      expect(await small.tasks.finish('work')).toMatchObject({ status: 'failed', error: { message: TOO_LARGE } })
    },
  )
})
