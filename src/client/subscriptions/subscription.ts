// A subscription in the hands of its reader: events wait here, each once, until they are read or too many of them wait.
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { SubscriptionLost } from '../../types/errors/failures.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { eventsOf, missingFrom, type ServerEvent } from './server-events.ts'

/** How many different events may wait for a reader. */
export const MAX_BACKLOG = 1_024

interface Waiting {
  readonly event: ServerEvent
  /** Resolves when everybody who must know before the reader does has been told. */
  ready: Promise<unknown>
}

interface End {
  /** Absent where the end was in order. */
  readonly error?: unknown
}

export interface SubscriptionOptions {
  id: RequestId
  requested: SubscriptionFilter
  honored: SubscriptionFilter
  /** Called when an event arrives; the reader gets it only once the returned promise has settled. */
  beforeEvent?: ((event: ServerEvent) => Promise<void>) | undefined
  /** Tells the server that nobody listens any more. Called at most once. */
  onClose(reason: Error): void
}

/**
 * The changes that a server announces. Leaving a `for await` loop over it, or disposing of it, ends the subscription.
 * Ends by itself when the server says so; throws `SubscriptionLost` where it just stops, after the events that arrived.
 * Over a transport that survives a broken stream it is opened anew, and what may have been missed comes as presumed events.
 */
export class Subscription implements AsyncIterableIterator<ServerEvent>, AsyncDisposable {
  readonly #options: SubscriptionOptions
  // A map, because an event that still waits need not wait twice.
  readonly #waiting = new Map<string, Waiting>()
  #arrival: Deferred<void> | undefined
  #isReading = false
  #id: RequestId
  #honored: SubscriptionFilter
  #end: End | undefined

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#id = options.id
    this.#honored = options.honored
  }

  /** Another one after the subscription had to be opened anew. */
  get subscriptionId(): RequestId {
    return this.#id
  }

  /** The part of what was asked for that the server granted. */
  get honored(): SubscriptionFilter {
    return this.#honored
  }

  /** The part of what was asked for that the server did not grant. */
  get refused(): SubscriptionFilter {
    return missingFrom(this.#honored, this.#options.requested)
  }

  get isClosed(): boolean {
    return this.#end !== undefined
  }

  /** Ends the subscription on this side and forgets what was not read. */
  async close(): Promise<void> {
    this.#waiting.clear()
    if (this.#end === undefined) this.#finish({}, 'The subscription was closed')
  }

  async next(): Promise<IteratorResult<ServerEvent, undefined>> {
    if (this.#isReading) throw new Error('This subscription has one reader, and it is already waiting')
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

  /** Takes an event in, unless it was not asked for or waits already. */
  receive(event: ServerEvent): void {
    if (this.#end !== undefined || !isHonored(event, this.honored)) return
    const ready = this.#tellFirst(event)
    const key = event.type === 'resourceUpdated' ? `${event.type} ${event.uri}` : event.type
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.ready = Promise.all([waiting.ready, ready])
    } else if (this.#waiting.size < MAX_BACKLOG) {
      this.#waiting.set(key, { event, ready })
      this.#wakeReader()
    } else {
      this.#overflow()
    }
  }

  /** There was no subscription for a while. Whatever it told of may have changed meanwhile, and is presumed to. */
  reopened(id: RequestId, honored: SubscriptionFilter): void {
    for (const event of eventsOf(this.#honored)) this.receive({ ...event, isPresumed: true })
    this.#id = id
    this.#honored = honored
  }

  /** The server ended the subscription in good order. */
  complete(): void {
    if (this.#end === undefined) this.#setEnd({})
  }

  /** The subscription ended in any other way. */
  lose(reason: SubscriptionLost): void {
    if (this.#end === undefined) this.#setEnd({ error: reason })
  }

  /** The caller's own signal ended it. */
  abort(reason: unknown): void {
    this.#waiting.clear()
    if (this.#end === undefined) this.#finish({ error: reason }, 'The subscription was aborted')
  }

  /** Whoever has to know first may fail; the reader gets the event all the same. */
  async #tellFirst(event: ServerEvent): Promise<void> {
    try {
      await this.#options.beforeEvent?.(event)
    } catch {
      // Those who are told first report their own failures.
    }
  }

  #overflow(): void {
    const message = `More than ${MAX_BACKLOG} different changes were waiting to be read; read faster, or listen again`
    this.#finish({ error: new SubscriptionLost(message) }, 'The subscription was not read')
  }

  #finish(end: End, why: string): void {
    this.#setEnd(end)
    this.#options.onClose(new Error(why))
  }

  #setEnd(end: End): void {
    this.#end = end
    this.#wakeReader()
  }

  /** The next event; `undefined` at an orderly end. */
  async #take(): Promise<ServerEvent | undefined> {
    for (;;) {
      const [first] = this.#waiting
      if (first !== undefined) {
        const [key, waiting] = first
        await settled(waiting)
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

  #wakeReader(): void {
    this.#arrival?.resolve()
    this.#arrival = undefined
  }
}

/** Waits for those who come before the reader, also for those who joined while it waited. */
async function settled(waiting: Waiting): Promise<void> {
  let ready: Promise<unknown>
  do {
    ready = waiting.ready
    await ready
  } while (ready !== waiting.ready)
}

/** An update may name something below a watched resource, so that any will do once one is watched. */
function isHonored(event: ServerEvent, honored: SubscriptionFilter): boolean {
  if (event.type !== 'resourceUpdated') return honored[event.type] === true
  return (honored.resourceSubscriptions ?? []).length > 0
}
