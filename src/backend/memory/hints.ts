// Calls listeners by name, in order and never inside the call that had the news, as an engine would.

type Listener<T> = (news: T) => void

export class Hints<T> {
  readonly #onListenerError: (error: unknown) => void
  readonly #listeners = new Map<string, Set<Listener<T>>>()

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError
  }

  /** A listener that is given twice is called twice. Returns how to remove it. */
  add(name: string, listener: Listener<T>): () => void {
    const own: Listener<T> = (news) => listener(news)
    const known = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, known)
    known.add(own)
    return () => {
      known.delete(own)
      if (known.size === 0 && this.#listeners.get(name) === known) this.#listeners.delete(name)
    }
  }

  send(name: string, news: T): void {
    const known = this.#listeners.get(name)
    if (known === undefined) return
    const listeners = [...known]
    queueMicrotask(() => {
      for (const listener of listeners) {
        // It may have left since, or been removed with all others.
        if (!known.has(listener)) continue
        try {
          listener(news)
        } catch (error) {
          this.#onListenerError(error)
        }
      }
    })
  }

  clear(): void {
    for (const known of this.#listeners.values()) known.clear()
    this.#listeners.clear()
  }
}
