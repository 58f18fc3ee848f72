// An open subscription: each event waits once until it is read, and too many of them end the subscription.

import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { orderError } from '../../primitives/help.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { OwnedFilters } from '../extensions/owned-filters.ts'
import { type CheckedFilter, eventsOfFilter, selects, subtractFilters } from './filters.ts'
import type { ChangeEvent, ServerEvent } from './server-events.ts'

/** How many different events may wait to be read. */
export const MAX_BACKLOG = 1_024

interface WaitingEvent {
  event: ServerEvent
  /** Resolves when `beforeEvent` is done. */
  ready: Promise<unknown>
}

interface End {
  /** Absent where the server or the caller ended the subscription. */
  readonly error?: unknown
}

export interface SubscriptionOptions {
  id: RequestId
  requested: CheckedFilter
  honored: CheckedFilter
  /** The filters of extensions. */
  owned: OwnedFilters
  /** Called when a change arrives; the caller gets its event once the returned promise has settled. */
  beforeEvent?: ((event: ChangeEvent) => Promise<void>) | undefined
  /** Ends the subscription on the server. Called at most once. */
  onClose(reason: Error): void
}

/**
 * The changes that a server announces. Leaving a `for await` loop over it, or disposing of it, ends the subscription.
 * It ends when the server ends it or you close the client, and throws `SubscriptionLost`, after the events that arrived, when it
 * breaks off.
 * Where the connection survives a broken stream, it is reopened, and changes that may have been missed come as presumed events.
 */
export interface Subscription<Filter = SubscriptionFilter> extends AsyncIterableIterator<ServerEvent>, AsyncDisposable {
  /** Changes when the subscription is reopened. */
  readonly subscriptionId: RequestId
  /** The part of the request that the server granted. */
  readonly honored: Filter
  /** The part of the request that the server did not grant. */
  readonly refused: Filter
  /** True after the subscription has ended, by `close()`, by the server or by an error. */
  readonly isClosed: boolean
  /** Resolves to the next event, or to `done: true` when the subscription has ended. Used by `for await`. */
  next(): Promise<IteratorResult<ServerEvent, undefined>>
  /** Ends the subscription. Called when a `for await` loop is left. */
  return(): Promise<IteratorResult<ServerEvent, undefined>>
  [Symbol.asyncIterator](): this
  /** Ends the subscription and drops events that were not read. */
  close(): Promise<void>
}

/** The subscription as the modules that feed it see it. */
export class EventSubscription implements Subscription {
  readonly #options: SubscriptionOptions
  // A map, because an event that still waits is not added twice.
  readonly #waiting = new Map<string, WaitingEvent>()
  #arrival: Deferred<void> | undefined
  #isReading = false
  #id: RequestId
  #honored: CheckedFilter
  #end: End | undefined

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#id = options.id
    this.#honored = options.honored
  }

  get subscriptionId(): RequestId {
    return this.#id
  }

  get honored(): CheckedFilter {
    return this.#honored
  }

  get refused(): CheckedFilter {
    return subtractFilters(this.#options.requested, this.#honored)
  }

  get isClosed(): boolean {
    return this.#end !== undefined
  }

  async close(): Promise<void> {
    this.#waiting.clear()
    if (this.#end === undefined) this.#finish({}, 'The subscription was closed')
  }

  async next(): Promise<IteratorResult<ServerEvent, undefined>> {
    if (this.#isReading)
      throw orderError('Another next() of this subscription is pending. Use one loop per subscription.')
    this.#isReading = true
    try {
      const value = await this.#take()
      return value === undefined ? { done: true, value } : { done: false, value }
    } finally {
      this.#isReading = false
    }
  }

  async return(): Promise<IteratorResult<ServerEvent, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Adds an event, unless it was not requested or already waits. Of an extension's events the newest of a key waits. */
  receive(event: ServerEvent): void {
    if (this.#end !== undefined || !selects(this.#honored, event)) return
    const ready = this.#runBeforeEvent(event)
    const key = keyOf(event)
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.ready = Promise.all([waiting.ready, ready])
      if (event.type === 'extension') waiting.event = event
    } else if (this.#waiting.size < MAX_BACKLOG) {
      this.#waiting.set(key, { event, ready })
      this.#notifyReader()
    } else {
      this.#overflow()
    }
  }

  /** There was no subscription for a while, so everything that it covers is presumed to have changed. */
  reopened(id: RequestId, honored: CheckedFilter): void {
    for (const event of eventsOfFilter(this.#honored, this.#options.owned)) this.receive({ ...event, isPresumed: true })
    this.#id = id
    this.#honored = honored
  }

  /** The server ended the subscription. */
  complete(): void {
    if (this.#end === undefined) this.#setEnd({})
  }

  /** The subscription broke off. */
  lose(reason: SubscriptionLost): void {
    if (this.#end === undefined) this.#setEnd({ error: reason })
  }

  /** The caller's signal ended the subscription. */
  abort(reason: unknown): void {
    this.#waiting.clear()
    if (this.#end === undefined) this.#finish({ error: reason }, 'The subscription was aborted')
  }

  /** Never rejects: the caller gets the event even if `beforeEvent` fails. */
  async #runBeforeEvent(event: ServerEvent): Promise<void> {
    if (event.type === 'extension') return
    try {
      await this.#options.beforeEvent?.(event)
    } catch {
      // `beforeEvent` reports its own failures.
    }
  }

  #overflow(): void {
    const message = `More than ${MAX_BACKLOG} different changes were waiting to be read. Read events as they come, or listen again.`
    this.#finish({ error: new SubscriptionLost(message) }, 'Too many changes were waiting to be read')
  }

  #finish(end: End, why: string): void {
    this.#setEnd(end)
    this.#options.onClose(new Error(why))
  }

  #setEnd(end: End): void {
    this.#end = end
    this.#notifyReader()
  }

  /** The next event; `undefined` at the end. */
  async #take(): Promise<ServerEvent | undefined> {
    for (;;) {
      const [first] = this.#waiting
      if (first !== undefined) {
        const [key, waiting] = first
        await whenReady(waiting)
        if (this.#waiting.delete(key)) return waiting.event
      } else if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return undefined
      } else {
        this.#arrival = createDeferred()
        await this.#arrival.promise
      }
    }
  }

  #notifyReader(): void {
    this.#arrival?.resolve()
    this.#arrival = undefined
  }
}

/** Waits for `beforeEvent`, also where it was called again meanwhile. */
async function whenReady(waiting: WaitingEvent): Promise<void> {
  let ready: Promise<unknown>
  do {
    ready = waiting.ready
    await ready
  } while (ready !== waiting.ready)
}

/** Two events with the same key are one while they wait. */
function keyOf(event: ServerEvent): string {
  if (event.type === 'extension') return `${event.type} ${event.filter} ${event.key}`
  return event.type === 'resourceUpdated' ? `${event.type} ${event.uri}` : event.type
}
