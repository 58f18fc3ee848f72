// The clock that whoever waits or counts time asks. Tests replace it, so that hours pass without waiting.
import { monotonicNow, type Timer } from './timer.ts'

export interface Clock {
  /** Milliseconds since 1970. It jumps when somebody sets the system clock, so durations are not measured with it. */
  now(): number
  /** Milliseconds of a clock that only moves forward. */
  monotonic(): number
  setTimer(callback: () => void, ms: number): Timer
  clearTimer(timer: Timer | undefined): void
}

/** Reads the globals at each call, so that a test runner can replace them. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: monotonicNow,
  setTimer: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimer: (timer: Timer | undefined) => clearTimeout(timer),
})

/** The member of an extension that goes by a clock: the same extension for a client that goes by another one. For tests. */
export const WITH_CLOCK: unique symbol = Symbol('mcpwire.withClock')
