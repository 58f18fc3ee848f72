// How long opening a connection may take in all: every way that is tried, and every question on it.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'

/** Runs from the start. Must be stopped once the connection is open, or has failed. */
export class ConnectClock {
  readonly limitMs: number
  readonly #controller = new AbortController()
  readonly #countdown: Countdown | undefined
  readonly #caller: AbortSignal
  readonly #follow = () => this.#controller.abort(this.#caller.reason)
  #isOver = false

  /** `caller` aborts when nobody wants the connection any more. */
  constructor(limitMs: number, caller: AbortSignal) {
    this.limitMs = limitMs
    this.#caller = caller
    if (caller.aborted) this.#follow()
    else listenForAbort(caller, this.#follow)
    if (limitMs > MAX_TIMER_MS) return
    this.#countdown = new Countdown(limitMs, () => {
      this.#isOver = true
      this.#controller.abort(new Error(`The connection was not open within ${limitMs} ms`))
    })
  }

  /** Aborts when the time is up, or with the caller's. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the time is up. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** A person has to do something first, and cannot be hurried: stands still until the function in return is called. */
  hold(): () => void {
    return this.#countdown?.hold() ?? (() => {})
  }

  stop(): void {
    this.#countdown?.stop()
    if (!this.#caller.aborted) forgetAbort(this.#caller, this.#follow)
  }
}
