// Sends changes to one client, one after the other. Changes that come meanwhile wait, up to a limit, and equal ones only once.
import { keyOf, type SubscriptionEvent } from './subscriptions.ts'

/** Sends changes to the client. */
export interface ChangeReader<Event> {
  /** Resolves when the next change can be sent. */
  tell(event: Event): Promise<void>
  /** Gets what `tell` threw or rejected with. The next change is sent all the same. */
  onTellFailed(error: unknown): void
  /** Everything has been sent, after the end of the queue. */
  onAllTold?(): void
}

/**
 * Holds at most `capacity` different events for one reader. An event that is still waiting covers every later one that is
 * equal to it: the client looks after it has got the change, and so sees them all.
 */
export class ChangeQueue<Event extends SubscriptionEvent = SubscriptionEvent> {
  readonly #reader: ChangeReader<Event>
  readonly #capacity: number
  /** Created when a change has to wait: most clients read at once. */
  #waiting: Map<string, Event> | undefined
  #isTelling = false
  #isEnded = false

  constructor(reader: ChangeReader<Event>, capacity: number) {
    this.#reader = reader
    this.#capacity = capacity
  }

  /** Sends the event, or lets it wait; `false` where the queue is full. After the end it does nothing. */
  add(event: Event): boolean {
    if (this.#isEnded) return true
    if (this.#isTelling) return this.#keep(event)
    this.#tell(event)
    return true
  }

  /** Sends nothing before `goOnAfter`. */
  hold(): void {
    this.#isTelling = true
  }

  /** Sends nothing before this has settled. */
  goOnAfter(sending: Promise<void>): void {
    this.hold()
    sending.then(
      () => this.#goOn(),
      (error: unknown) => this.#fail(error),
    )
  }

  /** Takes no further changes; those that wait are still sent. */
  end(): void {
    this.#isEnded = true
    if (!this.#isTelling) this.#reader.onAllTold?.()
  }

  /** Takes no further changes, and sends nothing more. */
  discard(): void {
    this.#isEnded = true
    this.#waiting = undefined
  }

  #keep(event: Event): boolean {
    const key = keyOf(event)
    this.#waiting ??= new Map()
    if (this.#waiting.has(key)) return true
    if (this.#waiting.size >= this.#capacity) return false
    this.#waiting.set(key, event)
    return true
  }

  #tell(event: Event): void {
    this.hold()
    try {
      this.goOnAfter(this.#reader.tell(event))
    } catch (error) {
      this.goOnAfter(Promise.reject(error))
    }
  }

  #fail(error: unknown): void {
    this.#reader.onTellFailed(error)
    this.#goOn()
  }

  #goOn(): void {
    this.#isTelling = false
    const event = this.#takeOldest()
    if (event !== undefined) this.#tell(event)
    else if (this.#isEnded) this.#reader.onAllTold?.()
  }

  #takeOldest(): Event | undefined {
    for (const [key, event] of this.#waiting ?? []) {
      this.#waiting?.delete(key)
      return event
    }
    this.#waiting = undefined
    return undefined
  }
}
