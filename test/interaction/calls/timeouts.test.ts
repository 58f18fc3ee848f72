// How long a call may take, and when the clock stands still.
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import type { ClientCallOptions } from '../../../src/client/client-options.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { DONE, FaultLog, sentOf, serverWith, text, waitingTool } from '../kit/support-lifecycle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A call under way, and how it stands. */
function watch(call: Promise<unknown>) {
  const state: { outcome: unknown } = { outcome: 'open' }
  call.then(
    () => {
      state.outcome = 'answered'
    },
    (error: unknown) => {
      state.outcome = error instanceof MCPError ? error.code : error
    },
  )
  return state
}

const call = (client: Client, options: ClientCallOptions = {}) => watch(client.callTool('run', {}, options))
const never = () => serverWith(() => new Promise(() => {}))
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

requirement('timeout:client:per-call', async ({ connect }) => {
  await using client = await connect(never())
  const state = call(client, { timeoutMs: 1_000 })
  await advance(999)
  expect(state.outcome).toBe('open')
  await advance(1)
  expect(state.outcome).toBe(-32001)
})

requirement('timeout:client:for-the-session', async ({ connect }) => {
  const server = serverWith(() => new Promise(() => {}), { handlers: { 'prompts/get': () => new Promise(() => {}) } })
  await using client = await connect(server, { timeoutMs: 500 })
  const states = [call(client), watch(client.getPrompt('x')), call(client, { timeoutMs: 2_000 })]
  await advance(500)
  expect(states.map(({ outcome }) => outcome)).toEqual([-32001, -32001, 'open'])
})

requirement('timeout:client:defaults', async ({ connect }) => {
  const server = serverWith(() => new Promise(() => {}), { handlers: { 'prompts/get': () => new Promise(() => {}) } })
  await using client = await connect(server)
  const states = [watch(client.getPrompt('x')), call(client)]
  const outcomes = () => states.map(({ outcome }) => outcome)
  await advance(59_999)
  expect(outcomes()).toEqual(['open', 'open'])
  await advance(1)
  expect(outcomes()).toEqual([-32001, 'open'])
  await advance(239_999)
  expect(outcomes()).toEqual([-32001, 'open'])
  await advance(1)
  expect(outcomes()).toEqual([-32001, -32001])
})

requirement('timeout:client:tells-the-server', async ({ connect, wire }) => {
  const { handler, aborted } = waitingTool()
  await using client = await connect(serverWith(handler))
  const state = call(client, { timeoutMs: 100, requestId: 'slow' })
  await advance(100)
  expect(state.outcome).toBe(-32001)
  expect(await aborted).toMatchObject({ name: 'AbortError' })
  const notices = sentOf(wire, 'notifications/cancelled')
  if (wire.entries.length > 0) expect(notices).toMatchObject([{ params: { requestId: 'slow' } }])
})

requirement('timeout:client:error-says-what', async ({ connect }) => {
  await using client = await connect(never())
  const failing = client.callTool('run', {}, { timeoutMs: 1_234 }).catch((error: unknown) => error)
  await advance(1_234)
  const error = (await failing) as MCPError
  expect(error).toMatchObject({ code: -32001, local: true })
  expect(error.message).toMatch(/'tools\/call'.*1234 ms/)
})

requirement('timeout:client:progress-is-a-sign-of-life', async ({ connect }) => {
  const steps: (() => Promise<void>)[] = []
  const server = serverWith((ctx) => {
    let n = 0
    steps.push(() => ctx.reportProgress(++n))
    return new Promise(() => {})
  })
  await using client = await connect(server)
  const state = call(client, { timeoutMs: 1_000 })
  for (let round = 0; round < 5; round++) {
    await advance(900)
    await steps[0]?.()
  }
  expect(state.outcome).toBe('open')
  await advance(1_000)
  expect(state.outcome).toBe(-32001)
})

requirement('fault:F080:total-time', async ({ connect }) => {
  const steps: (() => Promise<void>)[] = []
  const server = serverWith((ctx) => {
    let n = 0
    steps.push(() => ctx.reportProgress(++n))
    return new Promise(() => {})
  })
  await using client = await connect(server)
  const state = call(client, { timeoutMs: 1_000, maxTotalMs: 3_000 })
  for (let round = 0; round < 5; round++) {
    await advance(599)
    await steps[0]?.()
  }
  expect(state.outcome).toBe('open')
  await advance(5)
  expect(state.outcome).toBe(-32001)
})

requirement('fault:F081:odd-durations', async ({ connect }) => {
  await using client = await connect(never())
  for (const ms of [-1, Number.NaN, -Infinity]) {
    await expect(client.callTool('run', {}, { timeoutMs: ms })).rejects.toBeInstanceOf(RangeError)
    await expect(client.callTool('run', {}, { maxTotalMs: ms })).rejects.toBeInstanceOf(RangeError)
    await expect(connect(never(), { timeoutMs: ms })).rejects.toBeInstanceOf(RangeError)
  }
  const states = [2 ** 31, Infinity].map((timeoutMs) => call(client, { timeoutMs }))
  const zero = call(client, { timeoutMs: 0 })
  await advance(1)
  expect(zero.outcome).toBe(-32001)
  await advance(2 ** 31 - 2)
  expect(states.map(({ outcome }) => outcome)).toEqual(['open', 'open'])
})

requirement('timeout:client:stands-still-while-we-answer', async ({ connect }) => {
  const answer = createDeferred()
  const asked = createDeferred()
  const server = serverWith(async ({ session }) => {
    await session.listRoots({ timeoutMs: Infinity })
    return new Promise(() => {})
  })
  await using client = await connect(server, {
    onListRoots: async () => {
      asked.resolve()
      await answer.promise
      return { roots: [] }
    },
  })
  const state = call(client, { timeoutMs: 1_000 })
  await asked.promise
  await advance(600_000)
  expect(state.outcome).toBe('open')

  answer.resolve()
  await advance(999)
  expect(state.outcome).toBe('open')
  await advance(1)
  expect(state.outcome).toBe(-32001)
})

requirement('timeout:client:total-time-does-not-stand-still', async ({ connect }) => {
  const server = serverWith(async ({ session }) => {
    await session.listRoots({ timeoutMs: Infinity })
    return DONE
  })
  await using client = await connect(server, { onListRoots: () => new Promise(() => {}) })
  const state = call(client, { timeoutMs: 1_000, maxTotalMs: 5_000 })
  await advance(4_999)
  expect(state.outcome).toBe('open')
  await advance(1)
  expect(state.outcome).toBe(-32001)
})

requirement('fault:F073:handler-never-ends', async ({ connect }) => {
  let signal: AbortSignal | undefined
  const server = serverWith((ctx, { arguments: args }) => {
    if (args?.['quick']) return text('still here')
    signal = ctx.signal
    return new Promise(() => {})
  })
  await using client = await connect(server)
  const state = call(client, { timeoutMs: 50 })
  await advance(50)
  expect(state.outcome).toBe(-32001)
  expect(signal?.aborted).toBe(true)
  expect(await client.callTool('run', { quick: true })).toMatchObject(text('still here'))
})

requirement('timeout:server:for-its-questions', async ({ connect }) => {
  const withdrawn = createDeferred()
  let seen: unknown
  const log = new FaultLog()
  const server = serverWith(
    async ({ session }) => {
      seen = await session.listRoots({ timeoutMs: 100 }).catch((error: unknown) => error)
      throw seen
    },
    { onFault: log.onFault },
  )
  await using client = await connect(server, {
    onListRoots: (_params, { signal }) => {
      signal.addEventListener('abort', () => withdrawn.resolve())
      return new Promise(() => {})
    },
  })
  const failing = client.callTool('run').catch((error: unknown) => error)
  await advance(100)
  await withdrawn.promise

  expect(seen).toMatchObject({ code: -32001, local: true })
  expect(await failing).toMatchObject({ code: -32603, message: 'Internal error', local: false })
  expect(log.kinds).toEqual(['handler-failed'])
})

requirement('fault:F097:loop-was-blocked', async ({ connect }) => {
  vi.useRealTimers()
  let overAt = Infinity
  const server = serverWith(() => {
    while (performance.now() < overAt);
    return DONE
  })
  await using client = await connect(server)
  // Long enough for a request to reach the server on a machine that has much else to do.
  const timeoutMs = 500
  overAt = performance.now() + timeoutMs + 100
  const calls = [1, 2, 3].map(() => client.callTool('run', {}, { timeoutMs }))
  expect(await Promise.all(calls)).toMatchObject([DONE, DONE, DONE])
})
