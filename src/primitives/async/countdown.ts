// A timer that stands still while somebody else is at work.
import { type Clock, systemClock } from './clock.ts'
import { createDeferred } from './promises.ts'
import { MAX_TIMER_MS, type Timer } from './timer.ts'

/** Runs from the start. Must be stopped, unless it has come to its end. */
export class Countdown {
  readonly #onEnd: () => void
  readonly #clock: Clock
  #leftMs: number
  #startedAt = 0
  #timer: Timer | undefined
  #pauses = 0
  #isStopped = false

  constructor(ms: number, onEnd: () => void, clock: Clock = systemClock) {
    this.#clock = clock
    this.#leftMs = ms
    // Once: a pause that ends later must not begin it anew.
    this.#onEnd = () => {
      this.#leftMs = 0
      this.#isStopped = true
      onEnd()
    }
    this.#start()
  }

  async pausedWhile<T>(wait: Promise<T>): Promise<T> {
    this.#pauses += 1
    if (this.#pauses === 1) this.#halt()
    try {
      return await wait
    } finally {
      this.#pauses -= 1
      if (this.#pauses === 0) this.#start()
    }
  }

  /** Stands still until the function in return is called. */
  hold(): () => void {
    const over = createDeferred()
    void this.pausedWhile(over.promise)
    return () => over.resolve()
  }

  /** What is left of the time; stays the same once the countdown was stopped. */
  get leftMs(): number {
    const isRunning = !this.#isStopped && this.#pauses === 0
    return isRunning ? Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#startedAt)) : this.#leftMs
  }

  stop(): void {
    this.#leftMs = this.leftMs
    this.#isStopped = true
    this.#clock.clearTimer(this.#timer)
  }

  #start(): void {
    if (this.#isStopped) return
    this.#startedAt = this.#clock.monotonic()
    this.#timer = this.#clock.setTimer(this.#onEnd, Math.min(this.#leftMs, MAX_TIMER_MS))
  }

  #halt(): void {
    this.#clock.clearTimer(this.#timer)
    if (!this.#isStopped) this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#startedAt))
  }
}
