// One resumable stream of events: several connections may carry it, one after the other, and a store keeps its events.
import type { Fault } from '../../../dispatcher/fault.ts'
import type { HttpExchange, ServerSentEvent } from '../../../http/exchange.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { isThenable } from '../../../primitives/async/promises.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { createRandomToken } from '../guards/random-token.ts'
import { BoundedSink, type SinkSettings } from './bounded-sink.ts'
import type { EventStore, StoredEvent } from './event-store.ts'

interface StoreSettings {
  readonly store: EventStore | undefined
  /** How long the store may take for one event. */
  readonly storeTimeoutMs: number
  report(fault: Fault): void
}

const EVENT_ID = /^[\w-]{1,64}$/

/** What all streams of an endpoint share. */
export interface StreamSettings extends StoreSettings, SinkSettings {
  /** When a client should reconnect to a stream that was closed early. */
  readonly retryMs: number
}

/** `unknown`: the event does not exist, or not all events after it are stored. `unavailable`: the store failed. */
export type Resumption = 'resumed' | 'unknown' | 'unavailable'

export class EventStream {
  /** Unique and unguessable; the first part of the id of each of its events. */
  readonly id = createRandomToken()
  readonly #store: StreamStore
  readonly #settings: StreamSettings
  #sink: BoundedSink | undefined
  #stopWatching: (() => void) | undefined
  /** The last step that waits for the store: events are stored and written in the order in which they were sent. */
  #lastStep: Promise<void> | undefined
  /** Characters that wait for the store. */
  #waitingLength = 0
  #pressure: Promise<void> | undefined
  #isEnded = false
  #hasIds = false
  #hasGap = false

  /** `sessionKey` names the session in the store. */
  constructor(settings: StreamSettings, sessionKey: string) {
    this.#settings = settings
    this.#store = new StreamStore(settings, `${sessionKey}:${this.id}`)
  }

  get isConnected(): boolean {
    return this.#sink !== undefined && !this.#sink.isClosed
  }

  /** Answers this exchange with the stream, and ends the connection before it. */
  connect(exchange: HttpExchange): void {
    this.#connectTo(exchange)
  }

  /** Spec, Transports: an event with an id and no data, so that a client can resume before it has received anything. */
  prime(): void {
    if (this.#store.exists) void this.#inOrder(() => this.#deliver('', this.#settings.retryMs))
  }

  /** Sends one message. A promise in return means: wait for the store or a slow reader before you send more. */
  send(text: string): Promise<void> | undefined {
    const { queues } = this.#settings
    if (this.#waitingLength > queues.maxBytes || !queues.canHold) {
      this.#dropEvent()
      return undefined
    }
    this.#wait(text.length)
    const storing = this.#inOrder(() => this.#deliver(text))
    if (storing === undefined) return this.#pressure
    return storing.then(() => this.#pressure)
  }

  /** Ends the connection and not the stream, where the client can reconnect for the rest. */
  pause(): void {
    void this.#inOrder(() => {
      if (this.#hasIds && !this.#hasGap) this.#disconnect()
    })
  }

  /** Ends the stream after everything that was sent. */
  end(): void {
    void this.#inOrder(() => {
      this.#isEnded = true
      this.#disconnect()
    })
  }

  /** Answers with everything after an event, and continues from there. Answers nothing unless it returns `resumed`. */
  async resume(exchange: HttpExchange, eventId: string): Promise<Resumption> {
    let outcome: Resumption = 'unavailable'
    await this.#inOrder(async () => {
      const events = this.#hasGap ? undefined : await this.#store.replayAfter(eventId)
      outcome = events === undefined ? 'unknown' : 'resumed'
      if (events !== undefined) await this.#replay(exchange, events)
    })
    return outcome
  }

  /** Removes its events from the store. */
  drop(): void {
    void this.#inOrder(() => void this.#store.drop())
  }

  #inOrder(step: () => MaybePromise<void>): Promise<void> | undefined {
    const outcome = this.#lastStep === undefined ? step() : this.#lastStep.then(step)
    if (outcome === undefined) return undefined
    const settled: Promise<void> = outcome
      .catch((error: unknown) =>
        this.#settings.report({ kind: 'transport', message: 'An event stream could not be resumed.', error }),
      )
      .then(() => {
        if (this.#lastStep === settled) this.#lastStep = undefined
      })
    this.#lastStep = settled
    return settled
  }

  /** Stored before it is sent, so that a client can resume after every event it has seen. */
  #deliver(data: string, retryMs?: number): MaybePromise<void> {
    const id = this.#store.append(data)
    if (!isThenable(id)) return this.#write(data, id, retryMs)
    return id.then((storedId) => this.#write(data, storedId, retryMs))
  }

  #write(data: string, id: string | undefined, retryMs: number | undefined): void {
    this.#wait(-data.length)
    if (id !== undefined) this.#hasIds = true
    else if (data === '') return
    const sink = this.#sink
    if (sink === undefined || !sink.makeRoom()) {
      // Neither sent nor stored: a client that resumes must learn that something is missing.
      if (id === undefined) this.#hasGap = true
      return
    }
    const reading = sink.send(this.#createEvent(data, id, retryMs))
    if (reading === undefined) return
    this.#pressure = reading.then(() => {
      this.#pressure = undefined
    })
  }

  #wait(length: number): void {
    this.#waitingLength += length
    this.#settings.queues.hold(length)
  }

  #createEvent(data: string, id: string | undefined, retryMs: number | undefined): ServerSentEvent {
    if (id === undefined) return { data }
    const eventId = `${this.id}.${id}`
    return retryMs === undefined ? { data, id: eventId } : { data, id: eventId, retryMs }
  }

  async #replay(exchange: HttpExchange, events: readonly StoredEvent[]): Promise<void> {
    const sink = this.#connectTo(exchange)
    for (const { id, data } of events) {
      if (data !== '') await sink.send({ data, id: `${this.id}.${id}` })
      if (sink.isClosed) return
    }
    if (this.#isEnded) this.#disconnect()
  }

  #connectTo(exchange: HttpExchange): BoundedSink {
    this.#disconnect()
    const sink = new BoundedSink(exchange.stream(), this.#settings)
    this.#sink = sink
    const disconnect = () => {
      if (this.#sink === sink) this.#disconnect()
    }
    sink.onCut = disconnect
    this.#stopWatching = exchange.onGone(disconnect)
    return sink
  }

  #disconnect(): void {
    const sink = this.#sink
    if (sink === undefined) return
    this.#sink = undefined
    this.#stopWatching?.()
    sink.end()
  }

  #dropEvent(): void {
    this.#hasGap = true
    this.#settings.report({ kind: 'overflow', message: 'The event store is too slow. An event was dropped.' })
    this.#sink?.destroy()
    this.#disconnect()
  }
}

/** The store of one stream, bounded in time. Its failures are reported and cost only the ids of events. */
class StreamStore {
  readonly #settings: StoreSettings
  readonly #name: string

  constructor(settings: StoreSettings, name: string) {
    this.#settings = settings
    this.#name = name
  }

  get exists(): boolean {
    return this.#settings.store !== undefined
  }

  /** Stores an event and returns its id; `undefined` where that failed, or there is no store. */
  append(data: string): MaybePromise<string | undefined> {
    try {
      const id = this.#settings.store?.append(this.#name, data)
      return isThenable(id) ? this.#inTime(id).then(checkId).catch(this.#reportAppend) : checkId(id)
    } catch (error) {
      return this.#reportAppend(error)
    }
  }

  /** Rejects with what the store throws, or when it takes too long. */
  async replayAfter(eventId: string): Promise<readonly StoredEvent[] | undefined> {
    const events = this.#settings.store?.replayAfter(this.#name, eventId)
    return isThenable(events) ? this.#inTime(events) : events
  }

  async drop(): Promise<void> {
    try {
      await this.#settings.store?.drop(this.#name)
    } catch (error) {
      this.#settings.report({ kind: 'transport', message: 'The event store failed to drop a stream.', error })
    }
  }

  async #inTime<T>(work: PromiseLike<T>): Promise<T> {
    const { storeTimeoutMs } = this.#settings
    if (await settlesWithin(work, storeTimeoutMs)) return work
    throw new Error(`The event store did not answer within ${storeTimeoutMs} ms.`)
  }

  readonly #reportAppend = (error: unknown): undefined => {
    this.#settings.report({ kind: 'transport', message: 'The event store failed to store an event.', error })
  }
}

/** A client could not send another id back. */
function checkId(id: string | undefined): string | undefined {
  if (id === undefined || EVENT_ID.test(id)) return id
  throw new RangeError('The event store returned an invalid event id. Use 1 to 64 letters, digits, - and _.')
}
