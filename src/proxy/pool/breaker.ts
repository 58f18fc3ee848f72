// Stops asking a source that fails again and again: after three failures in a row for a second, then for twice as long each time.
import { monotonicNow } from '../../primitives/async/timer.ts'

const FAILURES = 3
const FIRST_MS = 1_000
const LONGEST_MS = 60_000

export class Breaker {
  readonly #now: () => number
  #failures = 0
  #waitMs = FIRST_MS
  #openUntil = -Infinity

  constructor(now: () => number = monotonicNow) {
    this.#now = now
  }

  /** How long callers are still turned away; 0 where the source may be asked. */
  get retryAfterMs(): number {
    return Math.max(0, Math.ceil(this.#openUntil - this.#now()))
  }

  succeeded(): void {
    this.#failures = 0
    this.#waitMs = FIRST_MS
    this.#openUntil = -Infinity
  }

  failed(): void {
    // Calls that were under way when it opened say nothing new.
    if (this.retryAfterMs > 0) return
    this.#failures += 1
    if (this.#failures < FAILURES) return
    this.#openUntil = this.#now() + this.#waitMs
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_MS)
  }
}
