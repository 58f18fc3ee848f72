// Who listens to the messages of an engine that keeps them as numbered rows, by topic.

export interface FeedListener {
  message(text: string): void
  missed(): void
}

interface Subscriber {
  readonly listener: FeedListener
  /** What came before is not for it. */
  after: number
}

export class FeedListeners {
  readonly #topics = new Map<string, Set<Subscriber>>()
  readonly #onEmpty: () => void

  /** `onEmpty` is called when the last listener has stopped. */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0
  }

  get topics(): readonly string[] {
    return [...this.#topics.keys()]
  }

  /** Returns how to stop. */
  add(topic: string, listener: FeedListener, after: number): () => void {
    const subscriber = { listener, after }
    const subscribers = this.#topics.get(topic) ?? new Set()
    this.#topics.set(topic, subscribers.add(subscriber))
    return () => {
      if (!subscribers.delete(subscriber) || subscribers.size > 0) return
      if (this.#topics.get(topic) === subscribers) this.#topics.delete(topic)
      if (this.isEmpty) this.#onEmpty()
    }
  }

  deliver(n: number, topic: string, readText: () => string): void {
    const subscribers = this.#topics.get(topic)
    if (subscribers === undefined) return
    for (const subscriber of [...subscribers]) {
      if (n > subscriber.after && subscribers.has(subscriber)) {
        callSafely(() => subscriber.listener.message(readText()))
      }
    }
  }

  /** The engine numbers from the beginning again: what comes now is for everyone who listens. */
  onRenumbered(): void {
    for (const subscribers of this.#topics.values()) for (const subscriber of subscribers) subscriber.after = 0
  }

  tellMissed(): void {
    for (const subscribers of [...this.#topics.values()]) {
      for (const { listener } of [...subscribers]) callSafely(() => listener.missed())
    }
  }

  clear(): void {
    this.#topics.clear()
  }
}

/** A listener that throws costs only itself. */
export function callSafely(call: () => void): void {
  try {
    call()
  } catch {}
}
