// The time that a tool may take. Past it, the signal of the run aborts and the call fails without waiting for the handler.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'

export interface TimeLimit {
  readonly timeoutMs: number
  /** What the call fails with when the time is up. */
  createError(): Error
}

/** Has a signal that aborts with the one around it, or when the time is up. Must be stopped, or raced. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #expired = createDeferred<never>()
  readonly #outer: AbortSignal
  readonly #countdown: Countdown

  constructor({ timeoutMs, createError }: TimeLimit, outer: AbortSignal) {
    this.#outer = outer
    this.#countdown = new Countdown(timeoutMs, () => {
      this.#controller.abort(new DOMException('The tool ran out of time', 'TimeoutError'))
      this.#expired.reject(createError())
    })
    if (outer.aborted) this.#follow()
    else listenForAbort(outer, this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The outcome of a run, or a rejection when the time is up first. What the run does after that is ignored. */
  async race<T>(outcome: T | PromiseLike<T>): Promise<T> {
    try {
      return await Promise.race([outcome, this.#expired.promise])
    } finally {
      this.stop()
    }
  }

  /** The time that a user takes to answer a question does not count. */
  pausedWhile<T>(wait: Promise<T>): Promise<T> {
    return this.#countdown.pausedWhile(wait)
  }

  stop(): void {
    this.#countdown.stop()
    forgetAbort(this.#outer, this.#follow)
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#outer.reason)
    this.stop()
  }
}
