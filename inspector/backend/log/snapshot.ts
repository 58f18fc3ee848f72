// Tells listeners that the state changed, at most once in a while however much changes.

/** Fast enough for a progress bar, and slow enough that a busy server does not keep the page busy. */
const INTERVAL_MS = 40

export class Changes {
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** Something changed. The listeners hear of it soon. */
  readonly mark = (): void => {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      for (const listener of this.#listeners) listener()
    }, INTERVAL_MS)
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }
}
