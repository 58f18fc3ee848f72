// Bounds what a view can make the host hear: so many notifications of a kind in a second, and the others are dropped.
import type { OnFault } from '../../../dispatcher/fault.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'

const WINDOW_MS = 1_000

export class FloodGate {
  readonly #method: string
  readonly #limit: number
  readonly #onFault: OnFault | undefined
  #since = -Infinity
  #count = 0

  constructor(method: string, limit: number, onFault: OnFault | undefined) {
    this.#method = method
    this.#limit = limit
    this.#onFault = onFault
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
    try {
      this.#onFault?.({ kind: 'overflow', message, method: this.#method })
    } catch {
      // A listener that fails must not end the connection to the view.
    }
  }
}
