// One resumable stream of events: several connections may carry it, one after the other, and a store keeps its events.
import type { HttpExchange } from '../../../http/exchange.ts'
import { isThenable, type MaybePromise } from '../../../primitives/async/promises.ts'
import { BoundedSink, type SinkSettings } from './bounded-sink.ts'
import type { StoredEvent } from './event-store.ts'
import type { StoreSettings, StreamEvents } from './stream-events.ts'

/** Characters that may wait for a log before a handler has to. */
const MAX_AHEAD = 64 * 1024

const TOO_SLOW = 'The event store is too slow. An event was dropped.'

/** What all streams of an endpoint share. */
export interface StreamSettings extends StoreSettings, SinkSettings {
  /** When a client should reconnect to a stream that was closed early. */
  readonly retryMs: number
}

/** `unknown`: the event does not exist, or not all events after it are stored. `unavailable`: the store failed. */
export type Resumption = 'resumed' | 'unknown' | 'unavailable'

export class EventStream {
  /** Unguessable; the first part of the id of each of its events. */
  readonly id: string
  /** `undefined` where nothing is stored. */
  readonly #events: StreamEvents | undefined
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

  constructor(settings: StreamSettings, id: string, events?: StreamEvents) {
    this.#settings = settings
    this.id = id
    this.#events = events
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
    const events = this.#events
    if (events !== undefined) void this.#inOrder(() => this.#writeStored('', events.begin(), this.#settings.retryMs))
  }

  /**
   * Sends one message; `isLast`: none follows. A promise in return means: wait for the store or a slow reader before you send
   * more.
   */
  send(text: string, isLast = false): Promise<void> | undefined {
    if (!this.#takes(text)) return undefined
    const storing = this.#store(text, isLast)
    if (storing === undefined || this.#canRunAhead) return this.#pressure
    return storing.then(() => this.#pressure)
  }

  /** As `send`, for a message that somebody waits for an answer to: rejects where it was neither stored nor sent. */
  ask(text: string): Promise<void> | undefined {
    if (!this.#takes(text)) return Promise.reject(new Error(TOO_SLOW))
    let isLost = false
    const storing = this.#store(text, false, () => {
      isLost = true
    })
    const settle = () => {
      if (isLost) return Promise.reject(new Error('The message was not stored, and the client is not connected here.'))
      return this.#pressure
    }
    return storing === undefined ? settle() : storing.then(settle)
  }

  /** Ends the connection and not the stream, where the client can reconnect for the rest. */
  pause(): void {
    void this.#inOrder(() => {
      if (this.#hasIds && !this.#hasGap && this.#events?.canResume === true) this.#disconnect()
    })
  }

  /** Ends the connection after everything that was sent: another node carries the stream from here on. */
  leave(): void {
    void this.#inOrder(() => this.#disconnect())
  }

  /** Ends the stream after everything that was sent. */
  end(): void {
    this.#events?.end()
    void this.#inOrder(() => {
      this.#isEnded = true
      this.#disconnect()
    })
  }

  /** Answers with everything after an event, and continues from there. Answers nothing unless it returns `resumed`. */
  async resume(exchange: HttpExchange, eventId: string): Promise<Resumption> {
    let outcome: Resumption = 'unavailable'
    // What is sent from here on is written after what is replayed, stored already or not.
    const length = this.#events?.length ?? 0
    await this.#inOrder(async () => {
      const events = this.#hasGap ? undefined : await this.#events?.readAfter(eventId, length)
      outcome = events === undefined ? 'unknown' : 'resumed'
      if (events !== undefined) await this.#replay(exchange, events)
    })
    return outcome
  }

  /** Resolves when everything that was sent is stored and written; `undefined` where it is. */
  get settling(): Promise<void> | undefined {
    return this.#lastStep
  }

  /** Removes its events from the store. */
  drop(): void {
    void this.#inOrder(() => void this.#events?.drop())
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
  #store(text: string, isLast: boolean, onLost?: () => void): Promise<void> | undefined {
    const events = this.#events
    if (events?.isPipelined !== true) {
      return this.#inOrder(() => this.#writeStored(text, events?.append(text, isLast), undefined, onLost))
    }
    const id = events.append(text, isLast)
    return this.#inOrder(() => this.#writeStored(text, id, undefined, onLost))
  }

  #writeStored(
    data: string,
    id: MaybePromise<string | undefined>,
    retryMs?: number,
    onLost?: () => void,
  ): MaybePromise<void> {
    if (!isThenable(id)) return this.#write(data, id, retryMs, onLost)
    return id.then((storedId) => this.#write(data, storedId, retryMs, onLost))
  }

  #write(data: string, id: string | undefined, retryMs: number | undefined, onLost: (() => void) | undefined): void {
    this.#wait(-data.length)
    if (id !== undefined) this.#hasIds = true
    else if (data === '') return
    else if (this.#events?.isTakenOver === true) {
      onLost?.()
      this.#disconnect()
      return
    }
    const sink = this.#sink
    if (sink === undefined || !sink.makeRoom()) {
      if (id !== undefined) return
      // Neither sent nor stored: a client that resumes must learn that something is missing.
      this.#hasGap = true
      onLost?.()
      return
    }
    const sentId = id ?? this.#events?.unstoredId
    const reading = sink.send({ data, id: sentId && `${this.id}.${sentId}`, retryMs })
    if (reading === undefined) return
    this.#pressure = reading.then(() => {
      this.#pressure = undefined
    })
  }

  /** Whether a handler may send more before this is stored. Then what it sends goes to the engine together. */
  get #canRunAhead(): boolean {
    return this.#events?.isPipelined === true && this.#waitingLength <= MAX_AHEAD
  }

  #wait(length: number): void {
    this.#waitingLength += length
    this.#settings.queues.hold(length)
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

  /** False: too much waits for the store already. */
  #takes({ length }: string): boolean {
    const { queues } = this.#settings
    if (this.#waitingLength <= queues.maxBytes && queues.canHold) {
      this.#wait(length)
      return true
    }
    this.#hasGap = true
    this.#settings.report({ kind: 'overflow', message: TOO_SLOW })
    this.#sink?.destroy()
    this.#disconnect()
    return false
  }
}
