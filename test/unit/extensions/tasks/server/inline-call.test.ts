// Calls of tools with `task` that stay inside their request, because their client takes no tasks.
import { describe, expect, it } from 'vitest'
import type { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { connect } from '../../../../../src/testing/connect.ts'
import { PATIENCE_IS_TOTAL_META_KEY } from '../../../../../src/types/protocol/meta.ts'
import { callWork, heldWork, rawClient, serverWith, textOf } from './support-promotion.ts'

interface Seen {
  progress: number
  total?: number
  message?: string
}

describe.each(['modern', 'legacy'] as const)('a client without tasks, %s', (mode) => {
  const open = (server: MCPServer) => rawClient(server, { mode, extensions: [] })

  it.each([true, 'always', 'manual'] as const)(
    'is kept waiting by progress every 10 s, with task: %j',
    async (task) => {
      const { run, runs } = heldWork()
      const { server, clock } = serverWith(run, { task })
      await using client = await open(server)
      const seen: Seen[] = []
      const call = callWork(client, { onProgress: (progress) => seen.push(progress) })
      await clock.advance(9_999)
      expect(seen).toHaveLength(0)
      await clock.advance(1)
      expect(seen).toEqual([{ progress: 0 }])
      await clock.advance(20_000)
      expect(seen).toHaveLength(3)
      runs[0]?.end('done')
      expect(textOf(await call)).toBe('done')
      await clock.advance(60_000)
      expect(seen).toHaveLength(3)
    },
  )

  it('sees values that increase, and every report of the handler', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run)
    await using client = await open(server)
    const seen: Seen[] = []
    const call = callWork(client, { onProgress: (progress) => seen.push(progress) })
    await clock.advance(10_000)
    const ctx = runs[0]?.ctx
    // Less than what was sent to keep the caller waiting, and a report all the same.
    await ctx?.reportProgress(0, 3, 'begun')
    await clock.advance(10_000)
    await ctx?.reportProgress(1, 3, 'one')
    await clock.advance(20_000)
    await ctx?.reportProgress(1, 3, 'again, which is no progress')
    await ctx?.reportProgress(2, 3, 'two')
    await clock.advance(0)
    const values = seen.map(({ progress }) => progress)
    expect(values).toEqual([...values].sort((a, b) => a - b))
    expect(new Set(values).size).toBe(values.length)
    expect(seen.map(({ message }) => message)).toEqual([undefined, 'begun', 'begun', 'one', 'one', 'one', 'two'])
    expect(seen.at(-1)).toEqual({ progress: 2, total: 3, message: 'two' })
    expect(values.map(Math.floor)).toEqual([0, 0, 0, 1, 1, 1, 2])
    runs[0]?.end('done')
    await call
  })

  it('past its patience gets a result that says how long it took, and the work is stopped', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run)
    await using client = await open(server)
    const meta = { [PATIENCE_IS_TOTAL_META_KEY]: true }
    const call = callWork(client, { patienceMs: 30_000, meta })
    await clock.advance(0)
    const signal = runs[0]?.ctx.signal
    await clock.advance(28_999)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    const result = await call
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toBe(
      'The work was stopped after 29.0 s, because the caller waits no longer than 30 s. ' +
        'There is no result. Ask for less at a time, or allow more time.',
    )
    expect(signal?.aborted).toBe(true)
    runs[0]?.fail(new Error('too late, and nobody hears it'))
    await clock.advance(0)
  })

  it('whose time starts anew with progress is waited for beyond it', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run)
    await using client = await open(server)
    const call = callWork(client, { patienceMs: 30_000 })
    await clock.advance(300_000)
    runs[0]?.end('done')
    expect(textOf(await call)).toBe('done')
  })

  it('that cancels hears nothing more, and the work is stopped', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run)
    await using client = await open(server)
    const abort = new AbortController()
    const seen: Seen[] = []
    const call = callWork(client, { signal: abort.signal, onProgress: (progress) => seen.push(progress) })
    const failed = expect(call).rejects.toThrow()
    await clock.advance(5_000)
    abort.abort()
    await failed
    await clock.advance(60_000)
    expect(seen).toEqual([])
    expect(runs[0]?.ctx.signal.aborted).toBe(true)
    runs[0]?.end('x')
  })

  it('is not disturbed where the tool has no task', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run, { task: false })
    await using client = await open(server)
    const seen: Seen[] = []
    const call = callWork(client, { onProgress: (progress) => seen.push(progress), patienceMs: 1_000 })
    await clock.advance(60_000)
    expect(seen).toEqual([])
    runs[0]?.end('done')
    expect(textOf(await call)).toBe('done')
  })
})

it('traps X-21: the time in which the user answers does not count against the patience', async () => {
  const { server, clock } = serverWith(async (ctx) => {
    const { action } = await ctx.elicit('Sure?', { type: 'object', properties: {} })
    return action
  })
  await using client = await connect(server, {
    mode: 'legacy',
    onElicitation: () => new Promise((resolve) => void clock.setTimer(() => resolve({ action: 'decline' }), 100_000)),
  })
  const meta = { [PATIENCE_IS_TOTAL_META_KEY]: true }
  const call = callWork(client as never, { patienceMs: 30_000, meta })
  await clock.advance(100_000)
  expect(textOf(await call)).toBe('decline')
})
