// One stream of events as a client sees it: several connections may carry it, one after the other.

import type { Fault } from '../../../dispatcher/fault.ts'
import type { EventSink, HttpExchange, ServerSentEvent } from '../../../http/exchange.ts'
import { isThenable } from '../../../primitives/async/thenable.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import type { MaybePromise } from '../../handlers.ts'
import { createRandomToken } from '../guards/random-token.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import type { Heartbeat } from './heartbeat.ts'

interface StoreSettings {
  readonly store: EventStore | undefined
  /** How long the store may take for one event. */
  readonly storeTimeoutMs: number
  report(fault: Fault): void
}

const EVENT_ID = /^[\w-]{1,64}$/

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

/** What all streams of an endpoint have in common. */
export interface StreamSettings extends StoreSettings {
  /** Text that may wait for a reader before more is sent, in bytes. */
  readonly maxQueuedBytes: number
  /** When a client should come back to a stream that was closed early. */
  readonly retryMs: number
  readonly heartbeat: Heartbeat
}

/** `unknown`: there is no such event, or not all after it is kept. `unavailable`: the store did not say. */
export type Resumption = 'resumed' | 'unknown' | 'unavailable'

/** How long a reader that takes nothing is waited for. */
const READER_MS = 30_000

export class EventStream {
  /** Unique and unguessable; the first part of the id of each of its events. */
  readonly id = createRandomToken()
  readonly #store: StreamStore
  readonly #settings: StreamSettings
  #sink: EventSink | undefined
  #stopWatching: (() => void) | undefined
  /** What is under way, while the store takes its time: events are stored and written in the order they were sent. */
  #tail: Promise<void> | undefined
  #waitingBytes = 0
  #pressure: Promise<void> | undefined
  #isEnded = false
  #hasIds = false
  #hasGap = false

  /** `sessionKey` is for the store only. */
  constructor(settings: StreamSettings, sessionKey: string) {
    this.#settings = settings
    this.#store = new StreamStore(settings, `${sessionKey}:${this.id}`)
  }

  get isConnected(): boolean {
    return this.#sink !== undefined && !this.#sink.isClosed
  }

  /** Opens the answer of this exchange as the stream's connection, in the place of the one before. */
  connect(exchange: HttpExchange): void {
    this.#adopt(exchange, exchange.stream())
  }

  /** Spec, Transports: an event with an id and no data, so that a client can resume before it has received anything. */
  prime(): void {
    if (this.#store.exists) void this.#inOrder(() => this.#deliver('', this.#settings.retryMs))
  }

  /** Sends one message. What it returns asks to wait for the store and for a reader that falls behind. */
  send(text: string): Promise<void> | undefined {
    if (this.#waitingBytes > this.#settings.maxQueuedBytes) {
      this.#hasGap = true
      this.#giveUp('The event store is too slow: an event was dropped')
      return undefined
    }
    this.#waitingBytes += text.length
    const storing = this.#inOrder(() => this.#deliver(text))
    if (storing === undefined) return this.#pressure
    return storing.then(() => this.#pressure)
  }

  /** Ends the connection and not the stream, where the client can come back for the rest. */
  pause(): void {
    void this.#inOrder(() => {
      if (this.#hasIds && !this.#hasGap) this.#disconnect()
    })
  }

  /** All has been said. */
  end(): void {
    void this.#inOrder(() => {
      this.#isEnded = true
      this.#disconnect()
    })
  }

  /** Answers with everything after an event, and goes on from there. Answers nothing unless it returns `resumed`. */
  async resume(exchange: HttpExchange, eventId: string): Promise<Resumption> {
    let outcome: Resumption = 'unavailable'
    await this.#inOrder(async () => {
      const events = this.#hasGap ? undefined : await this.#store.replayAfter(eventId)
      outcome = events === undefined ? 'unknown' : 'resumed'
      if (events !== undefined) await this.#replay(exchange, events)
    })
    return outcome
  }

  /** Forgets what the store has of it. */
  drop(): void {
    void this.#inOrder(() => this.#store.drop())
  }

  #inOrder(step: () => MaybePromise<void>): Promise<void> | undefined {
    const outcome = this.#tail === undefined ? step() : this.#tail.then(step)
    if (outcome === undefined) return undefined
    const tail: Promise<void> = outcome
      .catch((error: unknown) =>
        this.#settings.report({ kind: 'transport', message: 'A stream could not be resumed', error }),
      )
      .then(() => {
        if (this.#tail === tail) this.#tail = undefined
      })
    this.#tail = tail
    return tail
  }

  /** Stored before it is sent: what a client has seen can be found again, whatever happens in between. */
  #deliver(data: string, retryMs?: number): MaybePromise<void> {
    const id = this.#store.append(data)
    if (!isThenable(id)) return this.#write(data, id, retryMs)
    return id.then((kept) => this.#write(data, kept, retryMs))
  }

  #write(data: string, id: string | undefined, retryMs: number | undefined): void {
    this.#waitingBytes -= data.length
    const sink = this.#sink
    if (id !== undefined) this.#hasIds = true
    else if (data === '') return
    if (sink === undefined || sink.isClosed) {
      // Neither sent nor kept: whoever resumes must learn that something is missing.
      if (id === undefined) this.#hasGap = true
      return
    }
    // Before it is sent: a message alone may well be larger than what may wait.
    if (sink.queuedBytes > this.#settings.maxQueuedBytes) {
      this.#giveUp('A client does not read its stream')
      if (id === undefined) this.#hasGap = true
      return
    }
    const reading = sink.send(this.#spell(data, id, retryMs))
    if (reading !== undefined) this.#pressure = this.#awaitReader(sink, reading)
  }

  #spell(data: string, id: string | undefined, retryMs: number | undefined): ServerSentEvent {
    if (id === undefined) return { data }
    const eventId = `${this.id}.${id}`
    return retryMs === undefined ? { data, id: eventId } : { data, id: eventId, retryMs }
  }

  async #awaitReader(sink: EventSink, reading: Promise<void>): Promise<void> {
    const wasRead = await settlesWithin(reading, READER_MS)
    this.#pressure = undefined
    if (!wasRead && this.#sink === sink) this.#giveUp('A client does not read its stream')
  }

  async #replay(exchange: HttpExchange, events: readonly StoredEvent[]): Promise<void> {
    const sink = exchange.stream()
    this.#adopt(exchange, sink)
    for (const { id, data } of events) {
      if (data !== '') await this.#sendWaiting(sink, { data, id: `${this.id}.${id}` })
      if (sink.isClosed) return
    }
    if (this.#isEnded) this.#disconnect()
  }

  async #sendWaiting(sink: EventSink, event: ServerSentEvent): Promise<void> {
    const reading = sink.send(event)
    if (reading !== undefined && !(await settlesWithin(reading, READER_MS))) sink.destroy()
  }

  #adopt(exchange: HttpExchange, sink: EventSink): void {
    this.#disconnect()
    this.#sink = sink
    this.#settings.heartbeat.add(sink)
    this.#stopWatching = exchange.onGone(() => {
      if (this.#sink === sink) this.#disconnect()
    })
  }

  #disconnect(): void {
    const sink = this.#sink
    if (sink === undefined) return
    this.#sink = undefined
    this.#stopWatching?.()
    this.#settings.heartbeat.delete(sink)
    sink.close()
  }

  #giveUp(message: string): void {
    this.#settings.report({ kind: 'overflow', message })
    this.#sink?.destroy()
    this.#disconnect()
  }
}
