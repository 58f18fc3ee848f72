// Changes that a slow client has not been told yet: bounded, and each only once, because telling it twice says no more.
import type { SubscriptionEvent } from './subscriptions.ts'

/**
 * Holds at most `capacity` different events for one reader. An event that is still waiting covers every later one that is
 * equal to it: the client will look after it has been told, and so see them all.
 */
export class Backlog<Event extends SubscriptionEvent = SubscriptionEvent> {
  readonly #capacity: number
  /** Made when something has to wait: most clients read at once. */
  #events: Map<string, Event> | undefined
  #waiting: Promise<Event | undefined> | undefined
  #tellReader: ((event: Event | undefined) => void) | undefined
  #isEnded = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Takes the event in; `false` when there is no room for it. After the end nothing is taken, and nothing missed. */
  add(event: Event): boolean {
    if (this.#isEnded) return true
    if (this.#waiting !== undefined) {
      this.#tell(event)
      return true
    }
    const key = keyOf(event)
    this.#events ??= new Map()
    if (this.#events.has(key)) return true
    if (this.#events.size >= this.#capacity) return false
    this.#events.set(key, event)
    return true
  }

  /** The oldest event, as soon as there is one; `undefined` after the end. */
  next(): Promise<Event | undefined> {
    for (const [key, event] of this.#events ?? []) {
      this.#events?.delete(key)
      return Promise.resolve(event)
    }
    if (this.#isEnded) return Promise.resolve(undefined)
    this.#waiting ??= new Promise((resolve) => {
      this.#tellReader = resolve
    })
    return this.#waiting
  }

  /** Nothing more comes in; what is there can still be read. */
  end(): void {
    this.#isEnded = true
    this.#tell(undefined)
  }

  /** Ends, and forgets what is there. */
  discard(): void {
    this.#events = undefined
    this.end()
  }

  #tell(event: Event | undefined): void {
    this.#waiting = undefined
    this.#tellReader?.(event)
    this.#tellReader = undefined
  }
}

function keyOf(event: SubscriptionEvent): string {
  if (event.type === 'extensionChanged') return `${event.filter} ${event.key}`
  return event.type === 'resourceUpdated' ? `uri ${event.uri}` : event.type
}
