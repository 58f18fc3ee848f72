// How long to wait before something is opened anew: longer each time, until it has lived for a while.
import { monotonicNow } from '../../primitives/async/timer.ts'

/** What opens and ends at once has come to nothing, as if it had not opened. */
export const LIVED_MS = 5_000

export interface BackoffDelays {
  /** The pause before the first new try. Each further one is twice as long. */
  readonly initialDelayMs: number
  readonly maxDelayMs: number
}

/** The pause after so many failures in a row: between half of it and all of it, so that clients do not come back as one. */
export function delayAfter(failures: number, { initialDelayMs, maxDelayMs }: BackoffDelays): number {
  const full = Math.min(initialDelayMs * 2 ** Math.min(failures - 1, 30), maxDelayMs)
  return full / 2 + (Math.random() * full) / 2
}

export class Backoff {
  readonly #delays: BackoffDelays
  #tries = 0
  #openedAt: number | undefined

  constructor(delays: BackoffDelays) {
    this.#delays = delays
  }

  /** Tries since something lived. */
  get tries(): number {
    return this.#tries
  }

  /** It is open. */
  opened(): void {
    this.#openedAt = monotonicNow()
  }

  /** It has ended, or did not open. Returns whether it has lived. */
  ended(): boolean {
    const hasLived = this.#openedAt !== undefined && monotonicNow() - this.#openedAt >= LIVED_MS
    if (hasLived) this.#tries = 0
    this.#openedAt = undefined
    return hasLived
  }

  /** It was good for something, however short. */
  reset(): void {
    this.#tries = 0
  }

  /** The pause before the next try. */
  nextDelayMs(): number {
    this.#tries += 1
    return delayAfter(this.#tries, this.#delays)
  }
}
