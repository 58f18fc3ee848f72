// Changes told to one client, one after the other: those that come meanwhile wait, bounded, and each only once, because telling
// it twice says no more.
import type { SubscriptionEvent } from './subscriptions.ts'

/** Whoever tells the client. */
export interface ChangeReader<Event> {
  /** Resolves when the client can be told more. */
  tell(event: Event): Promise<void>
  /** What `tell` threw or rejected with; the next change is told all the same. */
  onTellFailed(error: unknown): void
  /** All has been told, after the queue was ended. */
  onAllTold?(): void
}

/**
 * Holds at most `capacity` different events for one reader. An event that is still waiting covers every later one that is
 * equal to it: the client will look after it has been told, and so see them all.
 */
export class ChangeQueue<Event extends SubscriptionEvent = SubscriptionEvent> {
  readonly #reader: ChangeReader<Event>
  readonly #capacity: number
  /** Made when something has to wait: most clients read at once. */
  #waiting: Map<string, Event> | undefined
  #isTelling = false
  #isEnded = false

  constructor(reader: ChangeReader<Event>, capacity: number) {
    this.#reader = reader
    this.#capacity = capacity
  }

  /** Tells the event, or lets it wait; `false` when there is no room for it. After the end nothing is taken, and nothing missed. */
  add(event: Event): boolean {
    if (this.#isEnded) return true
    if (this.#isTelling) return this.#keep(event)
    this.#tell(event)
    return true
  }

  /** Tells nothing before `goOnAfter`. */
  hold(): void {
    this.#isTelling = true
  }

  /** Tells nothing before this has settled. */
  goOnAfter(sending: Promise<void>): void {
    this.hold()
    sending.then(
      () => this.#goOn(),
      (error: unknown) => this.#fail(error),
    )
  }

  /** Nothing more comes in; what is there is still told. */
  end(): void {
    this.#isEnded = true
    if (!this.#isTelling) this.#reader.onAllTold?.()
  }

  /** Nothing more comes in, and nothing more is told. */
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

function keyOf(event: SubscriptionEvent): string {
  if (event.type === 'extensionChanged') return `${event.filter} ${event.key}`
  return event.type === 'resourceUpdated' ? `uri ${event.uri}` : event.type
}
