// Deadlines while a handler blocks the event loop: what has come and is not read yet is not late.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startDeadline, withinTime } from '../../../src/backend/engine/deadline.ts'

/** Blocks the event loop, as a handler that computes. */
function block(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}

describe('the deadline of an operation', () => {
  it('does not end what is there to be read when the event loop is free again', async () => {
    // Comes with the events that are read after the timers of this turn.
    const reply = new Promise<string>((resolve) => void setTimeout(() => setImmediate(resolve, 'reply'), 0))
    const outcome = withinTime('records.get', 50, reply)
    block(120)
    expect(await outcome).toBe('reply')
  })

  describe('by a clock of its own', () => {
    beforeEach(() => {
      vi.useFakeTimers()
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    it('is the time that was given, to the millisecond', async () => {
      const late = vi.fn()
      startDeadline(2_000, late)
      await vi.advanceTimersByTimeAsync(1_999)
      expect(late).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(late).toHaveBeenCalledOnce()
    })

    it('is longer by as much as the timer was late, once, and by no more than was given', async () => {
      for (const [lateMs, longerMs] of [
        [300, 300],
        [60_000, 2_000],
      ] as const) {
        const late = vi.fn()
        startDeadline(2_000, late)
        const now = performance.now()
        const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 2_000 + lateMs)
        vi.advanceTimersByTime(2_000)
        clock.mockImplementation(() => now + 2_000 + lateMs + longerMs)
        expect(late).not.toHaveBeenCalled()
        vi.advanceTimersByTime(longerMs - 1)
        expect(late).not.toHaveBeenCalled()
        vi.advanceTimersByTime(1)
        expect(late).toHaveBeenCalledOnce()
        clock.mockRestore()
      }
    })

    it('ends with the function that it returns', async () => {
      const late = vi.fn()
      startDeadline(2_000, late)()
      await vi.advanceTimersByTimeAsync(10_000)
      expect(late).not.toHaveBeenCalled()
    })
  })
})
