// A clock that a test moves: promotion, expiry and polling of tasks, and time limits of tools, happen without waiting.
import type { Clock } from '../primitives/async/clock.ts'
import type { Timer } from '../primitives/async/timer.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import { isLoading } from '../primitives/loading.ts'
import { assertCount } from '../primitives/options.ts'

interface FakeTimer {
  readonly dueAt: number
  readonly callback: () => void
}

/** Of the runtime, even if a test runner replaces it later. Not every runtime has the second. */
const { setTimeout: realTimeout, setImmediate: realImmediate } = globalThis as typeof globalThis & {
  setImmediate?: (callback: () => void) => unknown
}

/**
 * Turns of the event loop without any news after which everything that could happen has happened. The last ones are timers, which
 * take a millisecond each: the others would never see one that somebody has set for 0 ms.
 */
const QUIET_TURNS = 6
const TIMER_TURNS = 2

/** How long parts of this package may take to load before a test goes on without them. */
const MAX_LOADING_MS = 30_000

/**
 * Stands still until `advance`. Create it with `fakeClock()`.
 *
 * @example
 * ```ts
 * import { fakeClock } from 'mcpwire/testing'
 * const clock = fakeClock()
 * clock.setTimer(() => console.log('a minute later'), 60_000)
 * await clock.advance(60_000)
 * ```
 */
export class FakeClock implements Clock {
  readonly #startedAt: number
  readonly #timers = new Set<FakeTimer>()
  #passedMs = 0
  #changes = 0

  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#startedAt + this.#passedMs
  }

  /** Milliseconds since the clock was created. */
  monotonic(): number {
    return this.#passedMs
  }

  /** Called by the code under test in place of `setTimeout`. Milliseconds pass only by `advance()`. */
  setTimer(callback: () => void, ms: number): Timer {
    const timer: FakeTimer = { dueAt: this.#passedMs + Math.max(0, ms), callback }
    this.#timers.add(timer)
    this.#changes += 1
    return timer as unknown as Timer
  }

  /** Called by the code under test in place of `clearTimeout`. */
  clearTimer(timer: Timer | undefined): void {
    if (this.#timers.delete(timer as unknown as FakeTimer)) this.#changes += 1
  }

  /**
   * Lets time pass. Everything that is due happens in its order, each at its own moment, with all that follows from it in this
   * process. Resolves when nothing more is due. Work outside of the process, such as network traffic, is not waited for.
   */
  async advance(ms: number): Promise<void> {
    assertCount('ms', ms, 0)
    const end = this.#passedMs + ms
    await this.#settle()
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#passedMs = Math.max(this.#passedMs, next.dueAt)
      this.#timers.delete(next)
      next.callback()
      await this.#settle()
    }
    this.#passedMs = end
    await this.#settle()
  }

  #nextUntil(end: number): FakeTimer | undefined {
    let next: FakeTimer | undefined
    for (const timer of this.#timers) {
      if (timer.dueAt <= end && (next === undefined || timer.dueAt < next.dueAt)) next = timer
    }
    return next
  }

  /** Until nobody has set or cleared a timer, or waits for a part of this package, for some turns of the event loop. */
  async #settle(): Promise<void> {
    const waitsUntil = monotonicNow() + MAX_LOADING_MS
    for (let quiet = 0, seen = this.#changes; quiet < QUIET_TURNS; quiet += 1) {
      await (quiet < QUIET_TURNS - TIMER_TURNS ? nextTurn() : nextTimer())
      if (seen !== this.#changes || (isLoading() && monotonicNow() < waitsUntil)) quiet = 0
      seen = this.#changes
    }
  }
}

function nextTimer(): Promise<void> {
  return new Promise((resolve) => void realTimeout(resolve, 0))
}

function nextTurn(): Promise<void> {
  return realImmediate === undefined ? nextTimer() : new Promise((resolve) => void realImmediate(resolve))
}

/**
 * A clock for `withTasks`. It starts at the given time (default: 2026-01-01) and moves with `advance(ms)` only.
 *
 * @example
 * ```ts
 * import { fakeClock } from 'mcpwire/testing'
 * const clock = fakeClock(new Date('2030-01-01'))
 * await clock.advance(1_000)
 * console.log(clock.now())
 * ```
 */
export function fakeClock(startedAt: Date = new Date('2026-01-01T00:00:00Z')): FakeClock {
  return new FakeClock(startedAt.getTime())
}
