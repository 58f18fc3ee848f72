// How long a call may still take, as its handler sees it.
import { beforeAll, expect, it } from 'vitest'
import { Patience } from '../../../../src/mcpserver/handlers/patience.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { fakeClock } from '../../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../../src/testing/with-tasks.ts'
import { PATIENCE_META_KEY } from '../../../../src/types/protocol/meta.ts'
import { PROTOCOL_VERSIONS } from '../../../../src/types/protocol/versions.ts'

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const ACCEPT = { action: 'accept', content: { name: 'Ada' } } as const

const patient = (ms: unknown) => ({ meta: { [PATIENCE_META_KEY]: ms } })

/** What `ctx.remainingMs` said at the moments at which the handler looked. */
function serverThatLooks(timeoutMs?: number) {
  const clock = fakeClock()
  const seen: (number | undefined)[] = []
  const server = withTasks(new MCPServer('s'), { clock })
  server.tool('look', { ...(timeoutMs !== undefined && { timeoutMs }) }, async (_args, ctx) => {
    seen.push(ctx.remainingMs)
    await new Promise<void>((resolve) => void clock.setTimer(resolve, 400))
    seen.push(ctx.remainingMs)
    return 'done'
  })
  return { server, clock, seen }
}

// The first call of a process loads what answers calls, and these calls begin in the same turn as the clock goes on.
beforeAll(async () => {
  const server = new MCPServer('first')
  server.tool('call', () => 'done')
  await server.callTool('call')
})

it.each(PROTOCOL_VERSIONS)(
  'ctx.remainingMs is what is left of the patience that the caller stated, at %s',
  async (at) => {
    const { server, clock, seen } = serverThatLooks()
    const call = server.callTool('look', {}, { ...patient(1_000), protocolVersion: at })
    await clock.advance(400)
    await call
    expect(seen).toEqual([1_000, 600])
  },
)

it('the smaller of patience and timeoutMs counts', async () => {
  const { server, clock, seen } = serverThatLooks(500)
  const calls = [server.callTool('look', {}, patient(1_000)), server.callTool('look', {}, patient(450))]
  await clock.advance(400)
  await Promise.all(calls)
  expect(seen).toEqual([500, 450, 100, 50])
})

it('timeoutMs alone counts where the caller stated nothing, and where nothing is known there is nothing to read', async () => {
  const limited = serverThatLooks(500)
  const first = limited.server.callTool('look')
  await limited.clock.advance(400)
  await first
  expect(limited.seen).toEqual([500, 100])
  const free = serverThatLooks()
  const call = free.server.callTool('look')
  await free.clock.advance(400)
  await call
  expect(free.seen).toEqual([undefined, undefined])
})

it('patience that is over is 0, never negative', async () => {
  const { server, clock, seen } = serverThatLooks()
  const call = server.callTool('look', {}, patient(100))
  await clock.advance(400)
  await call
  expect(seen).toEqual([100, 0])
})

it.each([0, -1, 1.5, 86_400_001, Number.MAX_SAFE_INTEGER, '1000', null, true, [1000], { ms: 1000 }, 1e300])(
  'a patience of %j is ignored',
  async (ms) => {
    const { server, clock, seen } = serverThatLooks()
    const call = server.callTool('look', {}, patient(ms))
    await clock.advance(400)
    await call
    expect(seen).toEqual([undefined, undefined])
  },
)

it('traps X-21: patience stands still while the user answers, and each modern round has its own', async () => {
  for (const protocolVersion of ['2025-11-25', '2026-07-28'] as const) {
    const clock = fakeClock()
    const seen: (number | undefined)[] = []
    const server = withTasks(new MCPServer('s'), { clock })
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.elicit('Name?', FORM)
      seen.push(ctx.remainingMs)
      return 'done'
    })
    const call = server.callTool(
      'ask',
      {},
      {
        ...patient(1_000),
        protocolVersion,
        onElicitation: () => new Promise((resolve) => void clock.setTimer(() => resolve(ACCEPT), 5_000)),
      },
    )
    await clock.advance(5_000)
    await call
    expect(seen).toEqual([1_000])
  }
})

it('of questions at the same time, the last answer lets patience go on', async () => {
  const clock = fakeClock()
  const patience = new Patience(1_000, clock)
  const pause = (ms: number) => patience.pausedWhile(new Promise<void>((resolve) => void clock.setTimer(resolve, ms)))
  const pauses = [pause(300), pause(700)]
  await clock.advance(500)
  expect(patience.leftMs).toBe(1_000)
  await clock.advance(400)
  await Promise.all(pauses)
  expect(patience.leftMs).toBe(800)
})

it('a resource that a tool reads shares the time of the tool', async () => {
  const clock = fakeClock()
  const server = withTasks(new MCPServer('s'), { clock })
  const seen: (number | undefined)[] = []
  server.resource('mem://a', { name: 'a' }, (_uri, ctx) => {
    seen.push(ctx.remainingMs)
    return 'text'
  })
  server.tool('read', { timeoutMs: 5_000 }, async (_args, ctx) => {
    await ctx.readResource('mem://a')
    return 'done'
  })
  await server.callTool('read', {}, patient(1_000))
  await server.callTool('read')
  expect(seen).toEqual([1_000, 5_000])
})
