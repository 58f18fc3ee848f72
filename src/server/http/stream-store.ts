// The part of an event store that belongs to one stream, with a bound on every wait and a report of every failure.
import type { Fault } from '../../dispatcher/fault.ts'
import { isThenable } from '../../primitives/thenable.ts'
import { settlesWithin } from '../../primitives/timer.ts'
import type { MaybePromise } from '../handlers.ts'
import type { EventStore, StoredEvent } from './event-store.ts'

export interface StoreSettings {
  readonly store: EventStore | undefined
  /** How long the store may take for one event. */
  readonly storeTimeoutMs: number
  report(fault: Fault): void
}

const EVENT_ID = /^[\w-]{1,64}$/

export class StreamStore {
  readonly #settings: StoreSettings
  readonly #name: string

  constructor(settings: StoreSettings, name: string) {
    this.#settings = settings
    this.#name = name
  }

  get exists(): boolean {
    return this.#settings.store !== undefined
  }

  /** Keeps an event and returns its id; `undefined` where that could not be done, or there is no store. */
  append(data: string): MaybePromise<string | undefined> {
    try {
      const id = this.#settings.store?.append(this.#name, data)
      return isThenable(id) ? this.#inTime(id).then(checkId).catch(this.#notKept) : checkId(id)
    } catch (error) {
      return this.#notKept(error)
    }
  }

  /** Rejects with what the store throws, or when it takes too long. */
  async replayAfter(eventId: string): Promise<readonly StoredEvent[] | undefined> {
    const events = this.#settings.store?.replayAfter(this.#name, eventId)
    return isThenable(events) ? this.#inTime(events) : events
  }

  drop(): void {
    try {
      const dropping = this.#settings.store?.drop(this.#name)
      if (isThenable(dropping)) Promise.resolve(dropping).catch(this.#notDropped)
    } catch (error) {
      this.#notDropped(error)
    }
  }

  async #inTime<T>(work: PromiseLike<T>): Promise<T> {
    const { storeTimeoutMs } = this.#settings
    if (await settlesWithin(work, storeTimeoutMs)) return work
    throw new Error(`The event store did not answer within ${storeTimeoutMs} ms`)
  }

  readonly #notKept = (error: unknown): undefined => {
    this.#settings.report({ kind: 'transport', message: 'The event store failed to keep an event', error })
  }

  readonly #notDropped = (error: unknown): void => {
    this.#settings.report({ kind: 'transport', message: 'The event store failed to drop a stream', error })
  }
}

/** An id that no client could send back is worth as much as none. */
function checkId(id: string | undefined): string | undefined {
  if (id === undefined || EVENT_ID.test(id)) return id
  throw new RangeError('The event store gave an id with other characters than letters, digits, - and _, or a long one')
}
