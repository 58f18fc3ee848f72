// Finds out that a stream has fallen silent: a peer that is gone without a word would otherwise be waited for for ever.
import { monotonicNow, type Timer, unref } from '../../primitives/timer.ts'

/** Servers send comments on idle streams far more often than this. */
export const STREAM_IDLE_MS = 5 * 60_000

export class IdleWatch {
  readonly #limitMs: number
  readonly #onIdle: () => void
  #lastSeenAt = monotonicNow()
  #timer: Timer

  constructor(onIdle: () => void, limitMs = STREAM_IDLE_MS) {
    this.#onIdle = onIdle
    this.#limitMs = limitMs
    this.#timer = this.#set(limitMs)
  }

  /** A sign of life. Costs no timer: the one that is set looks back when it is due. */
  touch(): void {
    this.#lastSeenAt = monotonicNow()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #set(ms: number): Timer {
    const timer = setTimeout(() => this.#look(), ms)
    unref(timer)
    return timer
  }

  #look(): void {
    const leftMs = this.#lastSeenAt + this.#limitMs - monotonicNow()
    if (leftMs <= 0) this.#onIdle()
    else this.#timer = this.#set(leftMs)
  }
}
