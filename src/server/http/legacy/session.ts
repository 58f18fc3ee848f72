// One legacy session over HTTP, from `initialize` to DELETE or its expiry.
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { isSamePrincipal, type Principal } from '../../../http/principal.ts'
import type { Deadlines } from '../../../primitives/async/deadlines.ts'
import { isThenable } from '../../../primitives/async/promises.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import type { JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'
import { hasBatches, hasPolling } from '../../../wire/revision-facts.ts'
import type { KeptSession } from '../../cluster/kept-session.ts'
import type { ConnectionCore } from '../../connection.ts'
import type { ServerCore } from '../../core.ts'
import { type ServedLegacyClient, serveLegacy } from '../../serve.ts'
import { type PostContent, readPost, requestIdOf } from '../answers/post-content.ts'
import type { PostReply, ReplyOwner, ResponseMode } from '../answers/post-reply.ts'
import { rejectInvalid, rejectTemporarily } from '../answers/reply.ts'
import { createRandomToken } from '../guards/random-token.ts'
import type { SessionLogs } from '../log-streams/session-logs.ts'
import type { EventStream, StreamSettings } from '../streams/event-stream.ts'
import { type MessageRouter, SessionChannel } from './session-channel.ts'
import { SessionStreams, type Standalone, StandaloneStream } from './session-streams.ts'

interface ReplySettings {
  readonly mode: ResponseMode
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
}

/** What the replies of one session share. */
class SessionReplies implements ReplyOwner {
  /** Set once the connection exists; until then there is nothing to answer. */
  connection: ConnectionCore | undefined
  readonly faults: FaultReporter
  readonly #settings: ReplySettings
  readonly #streams: SessionStreams

  constructor(settings: ReplySettings, streams: SessionStreams, faults: FaultReporter) {
    this.faults = faults
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
    return this.#streams.areStored && this.connection !== undefined && hasPolling(this.connection.protocolVersion)
  }

  /** An error is a JSON-RPC answer like any other. */
  statusOf(): number {
    return 200
  }

  openStream(exchange: HttpExchange, ids: readonly RequestId[]): EventStream {
    const stream = this.#streams.open(ids)
    stream.connect(exchange)
    if (this.canPoll) stream.prime()
    return stream
  }

  endStream(stream: EventStream): void {
    this.#streams.end(stream)
  }
}

/** What all sessions of an endpoint share. */
interface SessionSettings extends ReplySettings {
  readonly streams: StreamSettings
}

/** What a session has that any node can serve. */
export interface SharedParts {
  readonly id: string
  readonly kept: KeptSession
  readonly router: MessageRouter
  readonly logs: SessionLogs
  /** Answers `initialize` once every node knows the session, or with an error. */
  answer(connection: ConnectionCore, reply: PostReply, message: JSONRPCMessage): Promise<void>
}

export class Session {
  readonly id: string
  readonly principal: Principal
  /** Where other nodes serve the session, too. */
  readonly kept: KeptSession | undefined
  readonly #streams: SessionStreams
  readonly #standalone: Standalone
  readonly #replies: SessionReplies
  readonly #channel: SessionChannel
  readonly #client: ServedLegacyClient
  readonly #shared: SharedParts | undefined
  #lastUsedAt = monotonicNow()

  constructor(server: ServerCore, settings: SessionSettings, principal: Principal, shared?: SharedParts) {
    this.id = shared?.id ?? createRandomToken()
    this.principal = principal
    this.kept = shared?.kept
    this.#shared = shared
    const node = shared?.kept.node
    this.#streams = new SessionStreams(settings.streams, shared?.logs)
    this.#standalone = shared?.logs.standalone ?? new StandaloneStream(this.#streams)
    this.#replies = new SessionReplies(settings, this.#streams, server.faults)
    this.#channel = new SessionChannel(this.#replies, this.#standalone, () => this.#touch(), shared?.router)
    this.#client = serveLegacy(server, this.#channel, this.#standalone, node && (() => node.nextName()))
    this.#replies.connection = this.#client.connection
    this.connection.keeper = shared?.kept
  }

  get connection(): ConnectionCore {
    return this.#client.connection
  }

  isOwnedBy(principal: Principal): boolean {
    return isSamePrincipal(this.principal, principal)
  }

  /** Whether the session was not used for that long. An open request or stream counts as use. */
  isIdle(idleMs: number): boolean {
    if (this.isInUse) this.#touch()
    return monotonicNow() - this.#lastUsedAt >= idleMs
  }

  /** Whether a request or a stream is open, or an answer of the client is awaited. */
  get isInUse(): boolean {
    return this.#channel.isBusy || this.#streams.areConnected || this.#client.isAsking
  }

  /** When it was last used, by the monotonic clock. */
  get lastUsedAt(): number {
    return this.#lastUsedAt
  }

  /** Answers `initialize`, then calls `onDone` with whether that opened the session. */
  initialize(
    exchange: HttpExchange,
    body: unknown,
    content: PostContent,
    onDone: (isOpen: boolean) => void,
  ): Promise<void> | undefined {
    const { connection, kept } = this
    const shared = this.#shared
    const isOpen = () => (kept === undefined ? connection.clientParams !== undefined : kept.record !== undefined)
    return this.#channel.receiveInitialize(exchange, body, content, {
      createHeaders: () => (isOpen() ? { 'mcp-session-id': this.id } : undefined),
      onAnswered: () => onDone(isOpen()),
      answer: shared && ((reply, message) => shared.answer(connection, reply, message)),
    })
  }

  /** Handles an answer, progress or a cancellation that came in at another node. */
  receiveFromNode(message: JSONRPCMessage): void {
    this.#touch()
    this.#channel.receiveFromNode(message)
  }

  /** The same where this node handles the request. */
  cancelFromNode(id: RequestId, message: JSONRPCMessage): void {
    if (this.#channel.isOpen(id)) this.receiveFromNode(message)
  }

  /** What it returns resolves when all requests of the POST have been answered. */
  post(exchange: HttpExchange, body: unknown): Promise<void> | undefined {
    this.#touch()
    const content = readPost(body, hasBatches(this.#client.connection.protocolVersion))
    if (typeof content !== 'string') return this.#channel.post(exchange, body, content)
    rejectInvalid(exchange, 400, content, requestIdOf(body))
    return undefined
  }

  /** Opens the stream for messages that belong to no request. */
  listen(exchange: HttpExchange): Promise<void> | undefined {
    this.#touch()
    const opening = this.#standalone.open(exchange, this.#replies.canPoll)
    if (isThenable(opening)) return opening.then((outcome) => answerListening(exchange, outcome))
    answerListening(exchange, opening)
    return undefined
  }

  /** Whether a connection of this node carries the stream that the client opened with GET. */
  get isListening(): boolean {
    return this.#standalone.isConnected
  }

  /** Ends that connection. The client opens the stream again, at another node. */
  endListening(): void {
    this.#standalone.leave?.()
  }

  /** Continues a stream after the last event that the client has seen, whichever request opened it. */
  async resume(exchange: HttpExchange, lastEventId: string): Promise<void> {
    this.#touch()
    const outcome = await this.#streams.resume(exchange, lastEventId, (stream) => this.#onResumed(stream))
    if (outcome === 'unknown') {
      rejectInvalid(exchange, 400, 'Cannot resume: the event is unknown, or later events are no longer stored.')
    } else if (outcome === 'unavailable') {
      rejectTemporarily(exchange, 'Cannot resume: the event store failed. Try again later.')
    }
  }

  /** Aborts and answers what is in flight, and ends all streams. Bounded in time; idempotent. */
  async close(): Promise<void> {
    await this.#client.served.close()
    this.#standalone.close()
    await this.#streams.close()
  }

  #onResumed(stream: EventStream): void {
    if (this.#standalone instanceof StandaloneStream) this.#standalone.onResumed(stream)
  }

  #touch(): void {
    this.#lastUsedAt = monotonicNow()
  }
}

function answerListening(exchange: HttpExchange, outcome: 'opened' | 'taken' | 'unavailable'): void {
  // Spec, Transports: each message goes to one stream. A second stream must not take messages from the first one.
  if (outcome === 'taken') rejectInvalid(exchange, 409, 'The session has an open stream. Close it first.')
  else if (outcome === 'unavailable') rejectTemporarily(exchange, 'The stream cannot be opened now. Try again later.')
}
