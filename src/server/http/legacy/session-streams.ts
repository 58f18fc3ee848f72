// The streams of one session, by id: those under way, and the last few that a client may still come back to.
import type { HttpExchange } from '../../../http/exchange.ts'
import { createRandomToken } from '../guards/random-token.ts'
import { EventStream, type Resumption, type StreamSettings } from '../streams/event-stream.ts'

/** Streams that are over and still kept. Nobody tells us whether a client has received the last event. */
const MAX_ENDED = 32

/** `<stream>.<event>`, as `EventStream` writes it. */
const EVENT_ID = /^([\w-]{1,64})\.([\w-]{1,64})$/

export class SessionStreams {
  readonly #settings: StreamSettings
  /** What the session is called in the store. Its id is a secret between us and the client. */
  readonly #key = createRandomToken()
  readonly #streams = new Map<string, EventStream>()
  #ended: EventStream[] | undefined

  constructor(settings: StreamSettings) {
    this.#settings = settings
  }

  /** Whether a client can come back to a stream at all. */
  get areKept(): boolean {
    return this.#settings.store !== undefined
  }

  open(): EventStream {
    const stream = new EventStream(this.#settings, this.#key)
    this.#streams.set(stream.id, stream)
    return stream
  }

  /** Everything has been said on this stream. */
  end(stream: EventStream): void {
    stream.end()
    if (!this.areKept) {
      this.#streams.delete(stream.id)
      return
    }
    this.#ended ??= []
    this.#ended.push(stream)
    if (this.#ended.length > MAX_ENDED) this.drop(this.#ended.shift())
  }

  drop(stream: EventStream | undefined): void {
    if (stream === undefined) return
    this.#streams.delete(stream.id)
    stream.end()
    stream.drop()
  }

  /** Finds the stream that an event belongs to, and answers with what came after it. */
  async resume(
    exchange: HttpExchange,
    lastEventId: string,
    onFound: (stream: EventStream) => void,
  ): Promise<Resumption> {
    const [, streamId = '', eventId = ''] = EVENT_ID.exec(lastEventId) ?? []
    const stream = this.#streams.get(streamId)
    if (stream === undefined || !this.areKept) return 'unknown'
    const outcome = await stream.resume(exchange, eventId)
    if (outcome === 'resumed') onFound(stream)
    return outcome
  }

  /** Whether any connection carries any of them. */
  get areConnected(): boolean {
    for (const stream of this.#streams.values()) if (stream.isConnected) return true
    return false
  }

  close(): void {
    for (const stream of this.#streams.values()) this.drop(stream)
    this.#ended = undefined
  }
}
