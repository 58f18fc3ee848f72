// Changes that a slow client has not been told yet: bounded, and each only once, because telling it twice says no more.
import { createDeferred, type Deferred } from '../primitives/deferred.ts'
import type { SubscriptionEvent } from './subscriptions.ts'

/**
 * Holds at most `capacity` different events for one reader. An event that is still waiting covers every later one that is
 * equal to it: the client will look after it has been told, and so see them all.
 */
export class Backlog {
  readonly #capacity: number
  readonly #events = new Map<string, SubscriptionEvent>()
  #reader: Deferred<SubscriptionEvent | undefined> | undefined
  #isEnded = false

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Takes the event in; `false` when there is no room for it. After the end nothing is taken, and nothing missed. */
  add(event: SubscriptionEvent): boolean {
    if (this.#isEnded) return true
    if (this.#reader !== undefined) {
      this.#tell(event)
      return true
    }
    const key = keyOf(event)
    if (this.#events.has(key)) return true
    if (this.#events.size >= this.#capacity) return false
    this.#events.set(key, event)
    return true
  }

  /** The oldest event, as soon as there is one; `undefined` after the end. */
  next(): Promise<SubscriptionEvent | undefined> {
    for (const [key, event] of this.#events) {
      this.#events.delete(key)
      return Promise.resolve(event)
    }
    if (this.#isEnded) return Promise.resolve(undefined)
    this.#reader ??= createDeferred()
    return this.#reader.promise
  }

  /** Nothing more comes in; what is there can still be read. */
  end(): void {
    this.#isEnded = true
    this.#tell(undefined)
  }

  /** Ends, and forgets what is there. */
  discard(): void {
    this.#events.clear()
    this.end()
  }

  #tell(event: SubscriptionEvent | undefined): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.resolve(event)
  }
}

function keyOf(event: SubscriptionEvent): string {
  return event.type === 'resourceUpdated' ? `uri ${event.uri}` : event.type
}
