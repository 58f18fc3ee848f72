// The time that a tool may take: past it the signal of the run aborts and nobody waits for the rest.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'

/** A signal that aborts with the one around it, or when the time is up. Must be stopped. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #countdown: Countdown

  constructor(timeoutMs: number, outer: AbortSignal, onDue: () => void) {
    this.#outer = outer
    this.#countdown = new Countdown(timeoutMs, () => {
      this.#controller.abort(new DOMException('The tool ran out of time', 'TimeoutError'))
      onDue()
    })
    if (outer.aborted) this.#follow()
    else listenForAbort(outer, this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Somebody else's time does not count: the user may think about a question as long as they like. */
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

export interface TimeLimit {
  readonly timeoutMs: number
  /** What is thrown when the time is up. */
  createError(): Error
}

/** Runs something that may take so long. Past that it rejects, and what still comes is ignored. */
export async function runWithin<T>(
  { timeoutMs, createError }: TimeLimit,
  outer: AbortSignal,
  run: (deadline: Deadline) => T | PromiseLike<T>,
): Promise<T> {
  const expired = createDeferred<never>()
  const deadline = new Deadline(timeoutMs, outer, () => expired.reject(createError()))
  try {
    return await Promise.race([run(deadline), expired.promise])
  } finally {
    deadline.stop()
  }
}
