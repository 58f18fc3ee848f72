import { afterEach, describe, expect, it, vi } from 'vitest'
import { limitConcurrency } from '../../../../src/server/middleware/limit-concurrency.ts'
import { limitTime } from '../../../../src/server/middleware/limit-time.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import { settle } from '../../../support/peers.ts'
import { eras, forTools, serverWith, stopTime, text } from './support.ts'

afterEach(() => void vi.useRealTimers())

describe.each(eras)('limitTime in the %s era', (mode) => {
  it('aborts the signal of the handler and answers at once, a tool call with a result', async () => {
    let signal: AbortSignal | undefined
    const { server, faults } = serverWith([limitTime({ timeoutMs: 1000 })], async (ctx) => {
      signal = ctx.signal
      await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
      return text('never')
    })
    await using client = await connect(server, { mode })
    stopTime()
    const call = client.callTool('run')
    await vi.advanceTimersByTimeAsync(999)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await call).toMatchObject({
      content: [{ type: 'text', text: 'Gave up after 1000 ms, the most that this server allows for it' }],
      isError: true,
      _meta: { 'mcpwire/refusal': { code: 504, timeoutMs: 1000 } },
    })
    expect(signal?.reason).toBeInstanceOf(LimitError)
    expect(faults).toEqual([])
  })

  it('F073 frees the places of handlers that never end: more calls than there are places are all answered', async () => {
    let started = 0
    const { server } = serverWith([limitTime({ timeoutMs: 1000 })], () => {
      started += 1
      return new Promise(() => {})
    })
    await using client = await connect(server, { mode })
    stopTime()
    const calls = Promise.all(Array.from({ length: 300 }, () => client.callTool('run')))
    await vi.advanceTimersByTimeAsync(900)
    // 256 are at work, the rest waits for a place.
    expect(started).toBe(256)
    await vi.advanceTimersByTimeAsync(1200)
    expect((await calls).every(({ isError }) => isError === true)).toBe(true)
    expect(started).toBe(300)
  })

  it('answers with an error where that is wanted, and does not wait for a handler that ignores its signal', async () => {
    let finish: (() => void) | undefined
    const { server } = serverWith([limitTime({ tools: { run: 10 }, toolRefusal: 'error' })], async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      throw new Error('too late to matter')
    })
    await using client = await connect(server, { mode })
    stopTime()
    const call = expect(client.callTool('run')).rejects.toMatchObject({ code: 504, data: { timeoutMs: 10 } })
    await vi.advanceTimersByTimeAsync(10)
    await call
    finish?.()
    await settle()
  })

  it('shows an aborted signal to a handler that asks for it only afterwards', async () => {
    const seen: unknown[] = []
    const { server } = serverWith([limitTime({ timeoutMs: 10 })], async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      seen.push(ctx.signal.aborted)
      return text('late')
    })
    await using client = await connect(server, { mode })
    stopTime()
    const call = client.callTool('run')
    await vi.advanceTimersByTimeAsync(20)
    await call
    expect(seen).toEqual([true])
  })

  it('still passes on that the client cancelled', async () => {
    const stop = new AbortController()
    let reason: unknown
    const { server } = serverWith([limitTime({ timeoutMs: 1000 }), limitTime({ timeoutMs: 2000 })], async (ctx) => {
      const aborted = new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
      stop.abort()
      await aborted
      reason = ctx.signal.reason
      return text('stopped')
    })
    await using client = await connect(server, { mode })
    await expect(client.callTool('run', {}, { signal: stop.signal })).rejects.toThrow()
    await expect.poll(() => reason).toBeDefined()
    expect(reason).not.toBeInstanceOf(LimitError)
  })

  it('takes the limit of the tool, then of the method, then of all', async () => {
    const options = { timeoutMs: 30, methods: { 'tools/call': 20 }, tools: { quick: 10, constructor: 5 } }
    const { server } = serverWith([limitTime(options)], () => new Promise(() => {}))
    server.setRequestHandler('vendor/wait', () => new Promise(() => {}))
    await using client = await connect(server, { mode })
    stopTime()
    const limits: unknown[] = []
    const note = (refusal: unknown) => limits.push((refusal as { timeoutMs: number }).timeoutMs)
    const call = (name: string) => client.callTool(name).then((result) => note(result._meta?.['mcpwire/refusal']))
    const calls = [call('quick'), call('constructor'), call('toString')]
    const vendor = client.session.sendRequest('vendor/wait').catch((error) => note(error.data))
    await vi.advanceTimersByTimeAsync(30)
    await Promise.all([...calls, vendor])
    expect(limits).toEqual([5, 10, 20, 30])
  })

  it('leaves no timer behind', async () => {
    const { server } = serverWith([forTools(limitTime({ timeoutMs: 1000 }))])
    await using client = await connect(server, { mode, timeoutMs: Infinity })
    stopTime()
    await client.callTool('run', {}, { timeoutMs: Infinity })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('takes a request that waits for its turn out of the line', async () => {
    const { server } = serverWith(
      [limitTime({ timeoutMs: 10 }), limitConcurrency({ max: 1, maxWaiting: 1 })],
      () => new Promise(() => {}),
    )
    await using client = await connect(server, { mode })
    stopTime()
    const calls = [client.callTool('run'), client.callTool('run')]
    await vi.advanceTimersByTimeAsync(10)
    for (const result of await Promise.all(calls)) expect(result.isError).toBe(true)
    const third = client.callTool('run')
    await vi.advanceTimersByTimeAsync(10)
    expect((await third)._meta?.['mcpwire/refusal']).toMatchObject({ code: 504 })
  })
})

it('limitTime leaves an open-ended request open', async () => {
  const { server } = serverWith([limitTime({ timeoutMs: 10 })])
  let isOpen = true
  server.setRequestHandler('subscriptions/listen', async (ctx) => {
    await ctx.session.sendNotification('notifications/subscriptions/acknowledged', {
      notifications: {},
      _meta: { 'io.modelcontextprotocol/subscriptionId': ctx.requestId },
    })
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
    isOpen = false
    return { _meta: { 'io.modelcontextprotocol/subscriptionId': ctx.requestId ?? '' } }
  })
  await using client = await connect(server)
  stopTime()
  const listening = client.session.sendRequest('subscriptions/listen', { notifications: {} }).catch(() => {})
  await vi.advanceTimersByTimeAsync(1000)
  expect(isOpen).toBe(true)
  await client.close()
  await listening
})

it.each([{ timeoutMs: -1 }, { methods: { 'tools/call': Number.NaN } }, { tools: { run: -5 } }])(
  'limitTime refuses %j when it is made',
  (options) => {
    expect(() => limitTime(options)).toThrow(RangeError)
  },
)
