// Messages of the HTTP adapters for the author: the argument is no handler, or a handler has failed.

import { monotonicNow } from '../primitives/async/timer.ts'
import { typeError } from '../primitives/help.ts'

const WINDOW_MS = 10_000
const REPORTS_PER_WINDOW = 8

/** Throws `TypeError` for a value that is no handler. `owner` is the function that got it, as in `toFetch`. */
export function checkHttpHandler(owner: string, handler: unknown): void {
  if (typeof handler === 'function') return
  const given = handler === null || handler === undefined ? String(handler) : describeHandler(handler)
  throw typeError(
    'wrong-argument',
    `${owner}() takes an HTTP handler, which is a function, not ${given}. Write ${owner}(createHandler(server)).`,
  )
}

function describeHandler(given: unknown): string {
  if (typeof given !== 'object' || given === null) return `a ${typeof given}`
  return 'connect' in given ? 'a server' : 'an object'
}

/** Writes what a handler threw to stderr. The rate is limited, because clients decide how often a handler fails. */
export class HandlerFailures {
  #since = Number.NEGATIVE_INFINITY
  #reported = 0
  #suppressed = 0

  report(error: unknown): void {
    const now = monotonicNow()
    if (now - this.#since > WINDOW_MS) {
      this.#since = now
      this.#reported = 0
    }
    if (this.#reported >= REPORTS_PER_WINDOW) {
      this.#suppressed += 1
      return
    }
    this.#reported += 1
    const others = this.#suppressed === 0 ? '' : `; ${this.#suppressed} more failures are not shown`
    this.#suppressed = 0
    console.error(`mcpwire: an HTTP handler failed, and its caller got a 500${others}.`, error)
  }
}
