// The event streams of one session: those of its requests, and the one that a client opens with GET.

import type { HttpExchange } from '../../../http/exchange.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import { LazyMap, LazySet } from '../../../primitives/lazy-collections.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { Reach } from '../../outbound.ts'
import { createRandomToken } from '../guards/random-token.ts'
import type { SessionLogs } from '../log-streams/session-logs.ts'
import { EventStream, type Resumption, type StreamSettings } from '../streams/event-stream.ts'
import { StoreEvents } from '../streams/stream-events.ts'

/** Streams that have ended and can still be resumed. A server does not learn whether a client has received the last event. */
const MAX_ENDED = 32

/** `<stream>.<event>`, as `EventStream` writes it. */
const EVENT_ID = /^([\w-]{1,64})\.([\w-]{1,64})$/

/** All streams of a session, by id: open ones, and the last few that a client may still resume. */
export class SessionStreams {
  readonly settings: StreamSettings
  /** The session's name in the store. The session id itself is a secret between server and client. */
  readonly #key = createRandomToken()
  /** Where other nodes serve the session, too. */
  readonly #logs: SessionLogs | undefined
  readonly #streams = new LazyMap<string, EventStream>()
  readonly #settling = new LazySet<Promise<void>>()
  #ended: EventStream[] | undefined

  constructor(settings: StreamSettings, logs?: SessionLogs) {
    this.settings = settings
    this.#logs = logs
  }

  /** Whether a client can resume a stream at all. */
  get areStored(): boolean {
    return this.settings.store !== undefined || this.areOnLogs
  }

  /** Whether every node can resume them. */
  get areOnLogs(): boolean {
    return this.settings.isOnLogs === true
  }

  /** Whether a connection carries one of them. */
  get areConnected(): boolean {
    for (const stream of this.#streams.values()) if (stream.isConnected) return true
    return this.#logs?.areConnected ?? false
  }

  /** Opens a stream, for the answers to these requests where it is the stream of a POST. */
  open(ids: readonly RequestId[] = []): EventStream {
    const stream = (this.areOnLogs ? this.#logs?.open(ids) : undefined) ?? this.#openStored()
    this.#streams.set(stream.id, stream)
    return stream
  }

  /** Ends a stream; a client may still resume it. */
  end(stream: EventStream): void {
    stream.end()
    // A log has its own time to live.
    if (!this.areStored || this.areOnLogs) {
      this.#forget(stream)
      return
    }
    this.#ended ??= []
    this.#ended.push(stream)
    if (this.#ended.length > MAX_ENDED) this.drop(this.#ended.shift())
  }

  /** Ends a stream and removes its events. */
  drop(stream: EventStream | undefined): void {
    if (stream === undefined) return
    this.#streams.delete(stream.id)
    stream.end()
    stream.drop()
  }

  /** Finds the stream of an event, and answers with what came after that. */
  async resume(
    exchange: HttpExchange,
    lastEventId: string,
    onFound: (stream: EventStream) => void,
  ): Promise<Resumption> {
    const shared = await this.#logs?.resume(exchange, lastEventId)
    if (shared !== undefined) return shared
    const [, streamId = '', eventId = ''] = EVENT_ID.exec(lastEventId) ?? []
    const stream = this.#streams.get(streamId)
    if (stream === undefined || this.settings.store === undefined) return 'unknown'
    const outcome = await stream.resume(exchange, eventId)
    if (outcome === 'resumed') onFound(stream)
    return outcome
  }

  /** Ends all of them. What is in logs stays, for the nodes that serve the session on. */
  async close(): Promise<void> {
    const logs = this.#logs?.close()
    this.#ended = undefined
    if (!this.areOnLogs) {
      for (const stream of this.#streams.values()) this.drop(stream)
      await logs
      return
    }
    for (const stream of this.#streams.values()) this.end(stream)
    await Promise.all([logs, ...this.#settling])
  }

  #openStored(): EventStream {
    const { settings } = this
    const id = createRandomToken()
    const events = settings.store && new StoreEvents(settings, settings.store, `${this.#key}:${id}`)
    return new EventStream(settings, id, events)
  }

  /** Keeps it in mind until its last event is stored: a node does not end before that. */
  #forget(stream: EventStream): void {
    this.#streams.delete(stream.id)
    const { settling } = stream
    if (settling === undefined) return
    this.#settling.add(settling)
    void settling.then(() => this.#settling.delete(settling))
  }
}

/** The stream that a client opens with GET. */
export interface Standalone extends Reach {
  readonly isConnected: boolean
  /** Whether the client has opened it, also if it is not connected right now. */
  readonly wasOpened: boolean
  /** Sends what belongs to no request. A promise in return means: wait before you send more. */
  send(text: string): Promise<void> | undefined
  /** Answers the exchange with a new stream, which begins with what waited; not where a connection has the stream already. */
  open(exchange: HttpExchange, isPrimed: boolean): MaybePromise<'opened' | 'taken' | 'unavailable'>
  /** Ends the connection, not the stream: the client is to open it at another node. */
  leave?(): void
  close(): void
}

/** Messages that wait for a client which has no stream open, in number and in characters. */
const MAX_BACKLOG = 256
const MAX_BACKLOG_LENGTH = 1024 * 1024

/** Clients open their stream right after the handshake; one that has not done so by then is taken to open none. */
const FIRST_STREAM_MS = 10_000

/** Where one node serves the session. */
export class StandaloneStream implements Standalone {
  readonly #streams: SessionStreams
  readonly #createdAt = monotonicNow()
  #stream: EventStream | undefined
  #backlog: string[] | undefined
  #hasReported = false
  #backlogLength = 0

  constructor(streams: SessionStreams) {
    this.#streams = streams
  }

  get isConnected(): boolean {
    return this.#stream?.isConnected ?? false
  }

  get wasOpened(): boolean {
    return this.#stream !== undefined
  }

  /** Whether a request that is sent here can be expected to arrive. */
  get canReachClient(): boolean {
    return this.#stream !== undefined || monotonicNow() - this.#createdAt < FIRST_STREAM_MS
  }

  send(text: string): Promise<void> | undefined {
    const stream = this.#stream
    if (stream?.isConnected) return stream.send(text)
    // A client that lost its connection either resumes, and finds this in the store, or opens a new stream.
    this.#addToBacklog(text)
    return stream?.send(text)
  }

  open(exchange: HttpExchange, isPrimed: boolean): 'opened' | 'taken' {
    if (this.isConnected) return 'taken'
    this.#streams.drop(this.#stream)
    const stream = this.#streams.open()
    this.#stream = stream
    stream.connect(exchange)
    if (isPrimed) stream.prime()
    for (const text of this.#takeBacklog()) void stream.send(text)
    return 'opened'
  }

  /** A stream was resumed. If it is this one, the client got the backlog from the store. */
  onResumed(stream: EventStream): void {
    if (stream === this.#stream) this.#takeBacklog()
  }

  close(): void {
    this.#takeBacklog()
  }

  #takeBacklog(): readonly string[] {
    const backlog = this.#backlog ?? []
    this.#streams.settings.queues.hold(-this.#backlogLength)
    this.#backlog = undefined
    this.#backlogLength = 0
    this.#hasReported = false
    return backlog
  }

  #addToBacklog(text: string): void {
    this.#backlog ??= []
    this.#backlog.push(text)
    this.#changeLength(text.length)
    let dropped = 0
    while (this.#isBacklogTooLong()) {
      this.#changeLength(-(this.#backlog.shift()?.length ?? 0))
      dropped += 1
    }
    const message = 'A client has no event stream open. Its oldest messages were dropped.'
    if (dropped === 0 || this.#hasReported) return
    // Once for as long as there is no stream: clients decide how many messages there are.
    this.#hasReported = true
    this.#streams.settings.report({ kind: 'overflow', message })
  }

  #isBacklogTooLong(): boolean {
    const { length } = this.#backlog ?? []
    if (length > MAX_BACKLOG || this.#backlogLength > MAX_BACKLOG_LENGTH) return true
    return length > 0 && !this.#streams.settings.queues.canHold
  }

  #changeLength(length: number): void {
    this.#backlogLength += length
    this.#streams.settings.queues.hold(length)
  }
}
