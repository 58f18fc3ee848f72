// Work that comes one after the other, each with a deadline that begins when it joins.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Lines } from '../../../src/backend/engine/lines.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a line of work', () => {
  it('keeps the order, goes on after a failure, and is forgotten when it is empty', async () => {
    const lines = new Lines()
    const first = createDeferred<string>()
    const began: number[] = []
    const join = (nth: number, work: () => Promise<string>) =>
      lines.join('l', 'logs.append', 1_000, () => {
        began.push(nth)
        return work()
      })
    const all = [join(1, () => first.promise), join(2, () => Promise.reject(new Error('no'))), join(3, async () => 'c')]
    const settled = Promise.allSettled(all)
    expect(began).toEqual([1])
    first.resolve('a')
    expect((await settled).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      'a',
      'failed',
      'c',
    ])
    expect(began).toEqual([1, 2, 3])
    expect(lines.size).toBe(0)
  })

  it('fails what waits for longer than its deadline, and does not do it afterwards', async () => {
    const lines = new Lines()
    const first = createDeferred<void>()
    const second = createDeferred<void>()
    const isLate: boolean[] = []
    void lines.join('l', 'logs.append', 1_000, () => first.promise)
    const begun = lines.join('l', 'logs.append', 1_000, async (late) => {
      await second.promise
      isLate.push(late())
    })
    let wasDone = false
    const waiting = lines.join('l', 'logs.append', 1_000, async () => {
      wasDone = true
    })
    const failures = Promise.allSettled([begun, waiting])
    await vi.advanceTimersByTimeAsync(999)
    first.resolve()
    await vi.advanceTimersByTimeAsync(1)
    expect(await failures).toMatchObject([
      { reason: { kind: 'timeout', operation: 'logs.append', outcome: 'unknown' } },
      { reason: { kind: 'timeout', operation: 'logs.append', outcome: 'not-done' } },
    ])
    second.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect([isLate, wasDone, lines.size]).toEqual([[true], false, 0])
  })
})
