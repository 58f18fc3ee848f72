import { afterEach, describe, expect, it, vi } from 'vitest'
import { limitRate, TokenBuckets } from '../../../../src/server/middleware/limit-rate.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { eras, serverWith, stopTime, text } from './support.ts'

afterEach(() => void vi.useRealTimers())

describe.each(eras)('limitRate in the %s era', (mode) => {
  it('lets a burst through, refuses with the time to wait, and lets through again after it', async () => {
    const { server } = serverWith([limitRate({ perSecond: 2, burst: 3 })])
    await using client = await connect(server, { mode })
    stopTime()
    for (let call = 0; call < 3; call++) await client.callTool('run')
    await expect(client.callTool('run')).rejects.toMatchObject({
      code: 429,
      message: 'Too many requests: try again in 1 s',
      data: { retryAfterMs: 500 },
    })
    await vi.advanceTimersByTimeAsync(499)
    await expect(client.callTool('run')).rejects.toMatchObject({ data: { retryAfterMs: 1 } })
    await vi.advanceTimersByTimeAsync(1)
    expect(await client.callTool('run')).toMatchObject(text('done'))
    await expect(client.callTool('run')).rejects.toMatchObject({ code: 429 })
  })

  it('F208 does not care for a system clock that jumps', async () => {
    const { server } = serverWith([limitRate({ perSecond: 1 })])
    await using client = await connect(server, { mode })
    stopTime()
    await client.callTool('run')
    vi.setSystemTime(Date.now() + 3_600_000)
    await expect(client.callTool('run')).rejects.toMatchObject({ data: { retryAfterMs: 1000 } })
  })

  it('counts each caller and each tool by itself', async () => {
    const { server } = serverWith([limitRate({ perSecond: 1 })])
    await using one = await connect(server, { mode })
    await using other = await connect(server, { mode })
    stopTime()
    await one.callTool('run')
    await one.callTool('other tool')
    await other.callTool('run')
    await expect(one.callTool('run')).rejects.toMatchObject({ code: 429 })
    await expect(other.callTool('run')).rejects.toMatchObject({ code: 429 })
  })

  it('tells the model instead where that is wanted', async () => {
    const { server } = serverWith([limitRate({ perSecond: 1, toolRefusal: 'result' })])
    await using client = await connect(server, { mode })
    stopTime()
    await client.callTool('run')
    expect(await client.callTool('run')).toMatchObject({
      ...text('Too many requests: try again in 1 s'),
      isError: true,
      _meta: { 'mcpwire/refusal': { code: 429, retryAfterMs: 1000 } },
    })
  })

  it('does not count notifications', async () => {
    const heard: unknown[] = []
    const { server, faults } = serverWith([limitRate({ perSecond: 1, methods: ['vendor/told'] })])
    server.setNotificationHandler('vendor/told', (_ctx, { n }) => void heard.push(n))
    await using client = await connect(server, { mode })
    for (let n = 0; n < 3; n++) await client.session.sendNotification('vendor/told', { n })
    await expect.poll(() => heard).toEqual([0, 1, 2])
    expect(faults).toEqual([])
  })

  it('answers other requests with an error all the same, and leaves alone what has no key', async () => {
    const key = ({ method }: { method: string }) => (method === 'resources/read' ? method : undefined)
    const { server } = serverWith([limitRate({ perSecond: 1, key, toolRefusal: 'result' })])
    await using client = await connect(server, { mode })
    stopTime()
    await client.readResource('a://b')
    await expect(client.readResource('a://c')).rejects.toMatchObject({ code: 429 })
    for (let call = 0; call < 5; call++) await client.callTool('run')
  })
})

describe('TokenBuckets', () => {
  it('forgets a bucket only when it is full again', () => {
    stopTime()
    const buckets = new TokenBuckets({ perSecond: 1, burst: 2, maxBuckets: 2 })
    buckets.take('a')
    buckets.take('b')
    expect(buckets.size).toBe(2)
    vi.advanceTimersByTime(1000)
    buckets.take('c')
    expect(buckets.size).toBe(1)
  })

  it('cannot be emptied by a flood of other keys, which share one bucket', () => {
    stopTime()
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1, maxBuckets: 3 })
    expect(buckets.take('mine')).toBe(0)
    const waits = Array.from({ length: 100 }, (_, n) => buckets.take(`flood ${n}`))
    expect(waits.filter((ms) => ms === 0)).toHaveLength(3)
    expect(buckets.take('mine')).toBe(1000)
    expect(buckets.size).toBe(3)
  })
})

it.each([{ perSecond: 0 }, { perSecond: Number.NaN }, { perSecond: 1, burst: 0 }, { perSecond: 1, maxKeys: 0.5 }])(
  'limitRate refuses %j when it is made',
  (options) => {
    expect(() => limitRate(options)).toThrow(RangeError)
  },
)
