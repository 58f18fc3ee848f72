// A connection that is away: operations wait for it while the break is short, and fail at once in a long one.

/** More than these wait for no connection. */
const MAX_WAITING = 10_000

export class Outage {
  readonly #timeoutMs: number
  readonly #waiting = new Set<() => void>()
  /** When an operation first found no connection. */
  #since: number | undefined

  /** A break that lasts longer is a long one. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Resolves when the connection is there, and rejects when the break gets long, or at `endsAt`, by the clock of `performance`. */
  whenOver(createError: () => Error, endsAt = Number.POSITIVE_INFINITY): Promise<void> {
    const now = performance.now()
    this.#since ??= now
    const leftMs = Math.min(this.#since + this.#timeoutMs, endsAt) - now
    if (leftMs <= 0 || this.#waiting.size >= MAX_WAITING) return Promise.reject(createError())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(over)
        reject(createError())
      }, leftMs)
      const over = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.add(over)
    })
  }

  /** The connection is there, or is no longer wanted: whoever waits looks again. */
  over(): void {
    this.#since = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const over of waiting) over()
  }
}
