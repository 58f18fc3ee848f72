// Where one stream keeps its events, and the implementation on an `EventStore`.

import type { Fault } from '../../../dispatcher/fault.ts'
import { isThenable, type MaybePromise } from '../../../primitives/async/promises.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { rangeError } from '../../../primitives/help.ts'
import type { EventStore, StoredEvent } from './event-store.ts'

/** The events of one stream. Its failures are reported, and cost only the ids of events. */
export interface StreamEvents {
  /** Whether the next event may be appended before the one before is stored. */
  readonly isPipelined: boolean
  /** How many events were appended; with pipelining also those that are not stored yet. */
  readonly length: number
  /** `false` once a client that lost its connection cannot get all events any more. */
  readonly canResume: boolean
  /** Another node has ended this stream: nothing may be sent on it any more. */
  readonly isTakenOver: boolean
  /**
   * What an event that is not surely stored has in place of an id: no node finds it. Without it a client would continue after the last
   * event that has an id, and get this one once more where it was stored in the end.
   */
  readonly unstoredId?: string
  /** The id of the beginning: a client resumes from there before it has received anything. `undefined` where it cannot. */
  begin(): MaybePromise<string | undefined>
  /** Stores an event and returns its id; `undefined` where that failed. */
  append(data: string, isLast: boolean): MaybePromise<string | undefined>
  /**
   * The events after an event, among the first `length` ones; `undefined` where that event is unknown, or not all later ones are
   * stored. Rejects where the store fails.
   */
  readAfter(eventId: string, length: number): MaybePromise<readonly StoredEvent[] | undefined>
  /** No event follows. */
  end(): void
  /** Removes the events. */
  drop(): MaybePromise<void>
}

export interface StoreSettings {
  readonly store: EventStore | undefined
  /** Whether events are kept in the logs of a backend, in place of a store. */
  readonly isOnLogs?: boolean
  /** How long the store may take for one event. */
  readonly storeTimeoutMs: number
  report(fault: Fault): void
}

/** The id of the beginning of a stream, which is not stored. */
export const BEGINNING = '0'

const EVENT_ID = /^[\w-]{1,64}$/

/** On an `EventStore`, whose methods may throw, take too long, or store in another order than they were called. */
export class StoreEvents implements StreamEvents {
  readonly isPipelined = false
  readonly canResume = true
  readonly isTakenOver = false
  readonly #settings: StoreSettings
  readonly #store: EventStore
  readonly #name: string
  #length = 0
  /** How many were stored before the last one whose storing failed. That one may be in the store all the same. */
  #lengthAtFailure = -1

  constructor(settings: StoreSettings, store: EventStore, name: string) {
    this.#settings = settings
    this.#store = store
    this.#name = name
  }

  get length(): number {
    return this.#length
  }

  begin(): MaybePromise<string | undefined> {
    return this.#store.replayAll === undefined ? this.append('') : BEGINNING
  }

  append(data: string): MaybePromise<string | undefined> {
    try {
      const id = this.#store.append(this.#name, data)
      return isThenable(id) ? this.#inTime(id).then(this.#count).catch(this.#reportAppend) : this.#count(id)
    } catch (error) {
      return this.#reportAppend(error)
    }
  }

  async readAfter(eventId: string): Promise<readonly StoredEvent[] | undefined> {
    const isFromBeginning = eventId === BEGINNING && this.#store.replayAll !== undefined
    if (isFromBeginning && this.#lengthAtFailure >= 0) return undefined
    if (isFromBeginning && this.#length === 0) return []
    const reading = isFromBeginning ? this.#store.replayAll?.(this.#name) : this.#store.replayAfter(this.#name, eventId)
    const events = isThenable(reading) ? await this.#inTime(reading) : reading
    if (events === undefined) return undefined
    // A store may have dropped the stream to save memory and begun it anew. And of an event that is older than the failed one, that one
    // may be missing, or come a second time.
    const { length } = events
    const isWhole = isFromBeginning ? length >= this.#length : length < this.#length - this.#lengthAtFailure
    return isWhole ? events : undefined
  }

  end(): void {
    // The store does not learn of it: the stream itself knows that it has ended.
  }

  async drop(): Promise<void> {
    try {
      await this.#store.drop(this.#name)
    } catch (error) {
      this.#settings.report({ kind: 'transport', message: 'The event store failed to drop a stream.', error })
    }
  }

  async #inTime<T>(work: PromiseLike<T>): Promise<T> {
    const { storeTimeoutMs } = this.#settings
    if (await settlesWithin(work, storeTimeoutMs)) return work
    throw new Error(`The event store did not answer within ${storeTimeoutMs} ms.`)
  }

  readonly #count = (id: string): string => {
    // A client could not send another id back.
    if (!EVENT_ID.test(id) || (id === BEGINNING && this.#store.replayAll !== undefined)) throw invalidId()
    this.#length += 1
    return id
  }

  readonly #reportAppend = (error: unknown): undefined => {
    this.#lengthAtFailure = this.#length
    this.#settings.report({ kind: 'transport', message: 'The event store failed to store an event.', error })
  }
}

function invalidId(): RangeError {
  return rangeError(
    'wrong-result',
    'The event store returned an invalid event id. Use 1 to 64 letters, digits, - and _; a store with replayAll never uses 0.',
  )
}
