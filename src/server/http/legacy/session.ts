// One client of the legacy era over HTTP, from its `initialize` to its DELETE or its expiry.
import type { HttpExchange } from '../../../http/exchange.ts'
import type { Deadlines } from '../../../primitives/async/deadlines.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import { hasBatches, hasPolling } from '../../../wire/revision-facts.ts'
import type { Connection } from '../../connection.ts'
import { type ServedLegacyClient, serveLegacy } from '../../serve.ts'
import type { Server } from '../../server.ts'
import { type PostContent, readPost, requestIdOf } from '../answers/post-content.ts'
import type { ReplyOwner, ResponseMode } from '../answers/post-reply.ts'
import { refuse, refuseForNow } from '../answers/refusals.ts'
import { isSamePrincipal, type Principal } from '../guards/principal.ts'
import { createRandomToken } from '../guards/random-token.ts'
import type { EventStream, StreamSettings } from '../streams/event-stream.ts'
import { StandaloneStream } from '../streams/standalone-stream.ts'
import { SessionChannel } from './session-channel.ts'
import { SessionStreams } from './session-streams.ts'

interface ReplySettings {
  readonly mode: ResponseMode
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
}

class SessionReplies implements ReplyOwner {
  /** Set once the connection exists; until then there is nothing to answer. */
  connection: Connection | undefined
  readonly #settings: ReplySettings
  readonly #streams: SessionStreams

  constructor(settings: ReplySettings, streams: SessionStreams) {
    this.#settings = settings
    this.#streams = streams
  }

  get mode(): ResponseMode {
    return this.#settings.mode
  }

  get streamAfterMs(): number {
    return this.#settings.streamAfterMs
  }

  get deadlines(): Deadlines {
    return this.#settings.deadlines
  }

  get canPoll(): boolean {
    return this.#streams.areKept && this.connection !== undefined && hasPolling(this.connection.protocolVersion)
  }

  openStream(): EventStream {
    return this.#streams.open()
  }

  endStream(stream: EventStream): void {
    this.#streams.end(stream)
  }
}

/** What all sessions of an endpoint have in common. */
export interface SessionSettings extends ReplySettings {
  readonly streams: StreamSettings
}

export class Session {
  readonly id = createRandomToken()
  readonly principal: Principal
  readonly #streams: SessionStreams
  readonly #standalone: StandaloneStream
  readonly #replies: SessionReplies
  readonly #channel: SessionChannel
  readonly #client: ServedLegacyClient
  #lastUsedAt = monotonicNow()

  constructor(server: Server, settings: SessionSettings, principal: Principal) {
    this.principal = principal
    this.#streams = new SessionStreams(settings.streams)
    this.#standalone = new StandaloneStream(this.#streams, settings.streams.report)
    this.#replies = new SessionReplies(settings, this.#streams)
    this.#channel = new SessionChannel(this.#replies, this.#standalone, () => this.#touch())
    this.#client = serveLegacy(server, this.#channel, this.#standalone)
    this.#replies.connection = this.#client.connection
  }

  isOwnedBy(principal: Principal): boolean {
    return isSamePrincipal(this.principal, principal)
  }

  /** Whether the session has not been used for so long. A request or a stream that is open is use. */
  isIdle(idleMs: number): boolean {
    if (this.#channel.isBusy || this.#streams.areConnected) this.#touch()
    return monotonicNow() - this.#lastUsedAt >= idleMs
  }

  /** Answers `initialize`, then tells whether that made it a session. */
  initialize(
    exchange: HttpExchange,
    body: unknown,
    content: PostContent,
    onDone: (isOpen: boolean) => void,
  ): Promise<void> | undefined {
    const { connection } = this.#client
    const isOpen = () => connection.clientParams !== undefined
    return this.#channel.receiveInitialize(exchange, body, content, {
      createHeaders: () => (isOpen() ? { 'mcp-session-id': this.id } : undefined),
      onGiven: () => onDone(isOpen()),
    })
  }

  /** What it returns resolves when all requests of the POST have been answered. */
  post(exchange: HttpExchange, body: unknown): Promise<void> | undefined {
    this.#touch()
    const content = readPost(body, hasBatches(this.#client.connection.protocolVersion))
    if (typeof content !== 'string') return this.#channel.receive(exchange, body, content)
    refuse(exchange, 400, content, requestIdOf(body))
    return undefined
  }

  /** Opens the stream for what belongs to no request. */
  listen(exchange: HttpExchange): void {
    this.#touch()
    // A second stream must not take what the first one is reading, and spec, Transports: each message goes to one stream.
    if (this.#standalone.isConnected) refuse(exchange, 409, 'This session has a stream already; close it first')
    else this.#standalone.open(exchange, this.#replies.canPoll)
  }

  /** Goes on with a stream after the last event that the client has seen, whatever request had opened it. */
  async resume(exchange: HttpExchange, lastEventId: string): Promise<void> {
    this.#touch()
    const outcome = await this.#streams.resume(exchange, lastEventId, (stream) => this.#standalone.resumed(stream))
    if (outcome === 'unknown') refuse(exchange, 400, 'Cannot resume: this event is unknown, or too much came after it')
    else if (outcome === 'unavailable') refuseForNow(exchange, 'Cannot resume at the moment; try again later')
  }

  /** Aborts what is in flight, with an answer, and ends all streams. Bounded in time, any number of times. */
  async close(): Promise<void> {
    await this.#client.served.close()
    this.#streams.close()
  }

  #touch(): void {
    this.#lastUsedAt = monotonicNow()
  }
}
