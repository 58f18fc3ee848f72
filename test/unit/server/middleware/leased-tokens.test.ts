// Tokens of a shared bucket that a node takes in advance.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memory } from '../../../../src/backend/memory/memory.ts'
import { LeasedTokens } from '../../../../src/server/middleware/leased-tokens.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Nodes that take from one bucket, and how many trips they make. */
function nodes(count: number, options: { perSecond: number; burst: number }) {
  const { limits } = memory()
  let trips = 0
  let tokens = 0
  const counted = {
    ...limits,
    take: async (key: string, given: typeof options & { tokens?: number }) => {
      trips += 1
      const waitMs = await limits.take(key, given)
      if (waitMs === 0) tokens += given.tokens ?? 1
      return waitMs
    },
  }
  const leased = Array.from({ length: count }, () => new LeasedTokens(options))
  const call = async (node = 0): Promise<boolean> => {
    const own = leased[node] as LeasedTokens
    return own.takeHere('k') || (await own.take(counted, 'k', async () => 'k')) === 0
  }
  return { call, trips: () => trips, tokens: () => tokens }
}

/** So many calls, evenly over a second, at each node in turn. */
async function second(call: (node: number) => Promise<boolean>, calls: number, count = 1): Promise<number> {
  let passed = 0
  for (let each = 0; each < calls; each += 1) {
    if (await call(each % count)) passed += 1
    await vi.advanceTimersByTimeAsync(1_000 / calls)
  }
  return passed
}

describe('tokens that are taken in advance', () => {
  test('a busy key makes one trip for many calls, and none passes uncounted', async () => {
    const { call, trips, tokens } = nodes(1, { perSecond: 10_000, burst: 10_000 })
    expect(await second(() => call(), 1_000)).toBe(1_000)
    expect(trips()).toBeLessThan(400)
    const before = trips()
    expect(await second(() => call(), 1_000)).toBe(1_000)
    expect(trips() - before).toBeLessThan(80)
    expect(tokens()).toBeGreaterThanOrEqual(2_000)
    expect(tokens()).toBeLessThanOrEqual(2_000 + 64)
  })

  test('a key that is called now and then is counted one by one, so that nothing is lost to other nodes', async () => {
    const { call, trips, tokens } = nodes(3, { perSecond: 100, burst: 1_000 })
    await second(call, 24, 3)
    await second(call, 24, 3)
    expect([trips(), tokens()]).toEqual([48, 48])
  })

  test('a small limit is counted one by one, to its last token', async () => {
    const { call, trips } = nodes(2, { perSecond: 1 / 3_600, burst: 100 })
    expect(await second(call, 300, 2)).toBe(100)
    expect(trips()).toBe(300)
  })

  test('never more calls pass than the limit allows, and hardly fewer, where all nodes are at the limit', async () => {
    const { call } = nodes(3, { perSecond: 100, burst: 1_024 })
    let passed = 0
    for (let seconds = 0; seconds < 10; seconds += 1) passed += await second(call, 600, 3)
    expect(passed).toBeLessThanOrEqual(1_024 + 10 * 100)
    expect(passed).toBeGreaterThan((1_024 + 10 * 100) * 0.95)
  })

  test('calls at once share one trip', async () => {
    const { call, trips } = nodes(1, { perSecond: 10_000, burst: 10_000 })
    await second(() => call(), 1_000)
    await vi.advanceTimersByTimeAsync(200)
    const before = trips()
    const passed = await Promise.all(Array.from({ length: 16 }, () => call()))
    expect(passed.every(Boolean)).toBe(true)
    expect(trips() - before).toBeLessThanOrEqual(1)
  })

  test('an engine that rejects is rejected for everyone who waits, and asked again', async () => {
    const leased = new LeasedTokens({ perSecond: 10_000, burst: 10_000 })
    let isDown = false
    const { limits } = memory()
    const failing = {
      ...limits,
      take: async () => {
        if (isDown) throw new Error('away')
        return 0
      },
    }
    const call = async () => leased.takeHere('k') || (await leased.take(failing, 'k', async () => 'k')) === 0
    await second(call, 1_000)
    await vi.advanceTimersByTimeAsync(300)
    isDown = true
    const outcomes = await Promise.allSettled([call(), call(), call()])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    isDown = false
    expect(await call()).toBe(true)
  })
})
