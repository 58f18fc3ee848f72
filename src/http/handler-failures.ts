// What the adapters of HTTP handlers say to the author: that something else was given, or that a handler has failed.
import { monotonicNow } from '../primitives/async/timer.ts'

const WINDOW_MS = 10_000
const REPORTS_PER_WINDOW = 8

/** Throws `TypeError` for what is no handler. `owner` is the function that was given it, as in `toFetch`. */
export function checkHttpHandler(owner: string, handler: unknown): void {
  if (typeof handler === 'function') return
  const given = handler === null || handler === undefined ? String(handler) : describe(handler)
  throw new TypeError(
    `${owner}() takes an HTTP handler, which is a function, not ${given}: write ${owner}(createHandler(server))`,
  )
}

function describe(given: unknown): string {
  if (typeof given !== 'object' || given === null) return `a ${typeof given}`
  return 'connect' in given ? 'a server' : 'an object'
}

/** Writes what a handler threw to the standard error, only so often: whoever sends requests decides how often one fails. */
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
    const others = this.#suppressed === 0 ? '' : `; ${this.#suppressed} more like it are not shown`
    this.#suppressed = 0
    console.error(`mcpwire: an HTTP handler failed, and its caller got a 500${others}.`, error)
  }
}
