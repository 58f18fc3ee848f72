// The time that waiting for tasks goes by. Tests put another one in its place.
import { MAX_TIMER_MS, monotonicNow } from '../../../primitives/async/timer.ts'

export interface Clock {
  /** Milliseconds of a clock that nobody sets back. */
  now(): number
  /** Milliseconds since 1970. */
  date(): number
  /** Calls `listener` once, unless the returned function is called before. A longer time than a timer can have comes early. */
  after(ms: number, listener: () => void): () => void
}

export const systemClock: Clock = {
  now: monotonicNow,
  date: () => Date.now(),
  after: (ms, listener) => {
    const timer = setTimeout(listener, Math.min(Math.max(ms, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}
