// Bounds what a view can make the host hear: so many notifications of a kind in a second, and the others are dropped.
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'

const WINDOW_MS = 1_000

export class FloodGate {
  readonly #method: string
  readonly #limit: number
  readonly #faults: FaultReporter
  #since = -Infinity
  #count = 0

  constructor(method: string, limit: number, faults: FaultReporter) {
    this.#method = method
    this.#limit = limit
    this.#faults = faults
  }

  /** Whether one more may pass. The first one that may not is reported. */
  admits(): boolean {
    const now = monotonicNow()
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#count = 0
    }
    this.#count += 1
    if (this.#count === this.#limit + 1) this.#report()
    return this.#count <= this.#limit
  }

  #report(): void {
    const message = `The view sent more than ${this.#limit} ${this.#method} within a second. The others of that second are dropped.`
    this.#faults.report({ kind: 'overflow', message, method: this.#method })
  }
}
