// HTTP+SSE, the transport of revision 2024-11-05: one stream for everything the server sends, one path to post to.

import type { Channel, Receiver, TransportContext } from '../../../dispatcher/channel.ts'
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { connectionClosedError } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { isSamePrincipal, type Principal, principalOf } from '../../../http/principal.ts'
import { createDeferred, type Deferred } from '../../../primitives/async/promises.ts'
import { loading } from '../../../primitives/loading.ts'
import type { AuthInfo } from '../../../types/protocol/auth.ts'
import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'
import { hasBatches } from '../../../wire/revision-facts.ts'
import type { ServerCore } from '../../core.ts'
import { type ServedLegacyClient, serveLegacy } from '../../serve.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { readPost, requestIdOf } from '../answers/post-content.ts'
import {
  acceptMessage,
  rejectInvalid,
  rejectTemporarily,
  rejectUnknownSession,
  SHUTTING_DOWN,
} from '../answers/reply.ts'
import { createRandomToken } from '../guards/random-token.ts'
import { BoundedSink, type QueueOptions, type SinkSettings, StreamQueues } from '../streams/bounded-sink.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { Drain } from './drain.ts'
import { acceptsStream } from './legacy.ts'
import type { SessionOptions } from './legacy-options.ts'
import { SessionSlots, TOO_MANY, TOO_MANY_OWN } from './session-manager.ts'
import type { RelayedSession, SseRelay } from './sse-relay.ts'

interface LegacySseOptions extends QueueOptions {
  /** Clients get this path to post to. */
  messagesPath: string
  /** Only the number of sessions counts here: a session ends with its stream. */
  sessions?: boolean | SessionOptions | undefined
  /** Between two comments on an open stream (default: 15 s); `Infinity` for none. */
  keepAliveMs?: number | undefined
}

/** Serves both paths of the transport. The server runs as long as it is used. */
export class LegacySseEndpoint {
  readonly #server: ServerCore
  readonly #messagesPath: string
  readonly #slots: SessionSlots
  readonly #sinks: SinkSettings
  readonly #sessions = new Map<string, LegacySseSession>()
  readonly #drain = new Drain()
  #relay: SseRelay | undefined

  /** `queues` are those of the whole handler, where there is one. */
  constructor(server: ServerCore, options: LegacySseOptions, queues: StreamQueues = new StreamQueues(options)) {
    this.#server = server
    this.#messagesPath = options.messagesPath
    this.#slots = new SessionSlots(typeof options.sessions === 'object' ? options.sessions : {})
    this.#sinks = {
      queues,
      heartbeat: new Heartbeat(options.keepAliveMs, server.figures),
      readerTimeoutMs: Infinity,
      report: (fault) => server.faults.report(fault),
    }
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  /** `mountPath`: what a router has removed before our paths. */
  async get(exchange: HttpExchange, mountPath = ''): Promise<void> {
    if (!acceptsStream(exchange)) return
    const { auth } = exchange
    if (this.#drain.isClosing) rejectTemporarily(exchange, SHUTTING_DOWN.message)
    else if (!this.#slots.take(auth)) {
      rejectTemporarily(exchange, this.#slots.isFullFor(auth) ? TOO_MANY_OWN : TOO_MANY)
    } else await this.#open(exchange, mountPath).finally(() => this.#slots.release(auth))
  }

  /** The body has been read and parsed, within limits. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const id = new URLSearchParams(exchange.query).get('sessionId')
    const session = id === null ? undefined : this.#sessions.get(id)
    if (session === undefined && id !== null && this.#server.cluster !== undefined) {
      return this.#drain.track(this.#pass(exchange, id, message))
    }
    const content = readPost(message, session?.acceptsBatches ?? false)
    if (id === null) {
      const text = 'The sessionId is missing. Post to the URL in the endpoint event of the stream.'
      rejectInvalid(exchange, 400, text, requestIdOf(message))
    } else if (session === undefined || !session.isOwnedBy(exchange.auth)) {
      rejectUnknownSession(exchange, requestIdOf(message))
    } else if (typeof content === 'string') rejectInvalid(exchange, 400, content, requestIdOf(message))
    else return this.#drain.track(session.receive(exchange, message, content.ids))
    return undefined
  }

  /** Lets requests in flight finish for `drainMs`, then ends everything. Idempotent. */
  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()))
    this.#relay?.close()
    this.#sinks.heartbeat.close()
  }

  async #open(exchange: HttpExchange, mountPath: string): Promise<void> {
    const relay = this.#server.cluster && (await this.#loadRelay())
    const sink = new BoundedSink(exchange.stream(), this.#sinks)
    const node = relay && this.#server.cluster?.id
    const session = new LegacySseSession(this.#server, sink, principalOf(exchange.auth), node)
    this.#sessions.set(session.id, session)
    const leaveRelay = relay && (await relay.add(session.id, session))
    const stopWatching = exchange.onGone(() => void session.close())
    if (sink.isClosed) void session.close()
    // Spec 2024-11-05, Transports: the first event says where to post.
    void sink.send({ event: 'endpoint', data: `${mountPath}${this.#messagesPath}?sessionId=${session.id}` })
    await session.ended
    stopWatching()
    leaveRelay?.()
    this.#sessions.delete(session.id)
  }

  /** The stream of the session may be at another node. */
  async #pass(exchange: HttpExchange, id: string, message: unknown): Promise<void> {
    const relay = await this.#loadRelay()
    if (relay === undefined) rejectUnknownSession(exchange, requestIdOf(message))
    else await relay.pass(exchange, id, message)
  }

  /** `undefined` for a server that has no other nodes. */
  async #loadRelay(): Promise<SseRelay | undefined> {
    const { cluster } = this.#server
    if (cluster === undefined || this.#relay !== undefined) return this.#relay
    // Loaded here: most servers run in one process.
    const { SseRelay } = await loading(import('./sse-relay.ts'))
    this.#relay ??= new SseRelay(cluster)
    return this.#relay
  }
}

const SSE = Object.freeze({ kind: 'sse', canSendRequest: true })

/** One client; its session lasts as long as its stream. */
class LegacySseSession implements RelayedSession {
  readonly id: string
  readonly #principal: Principal
  readonly #channel: SinkChannel
  readonly #client: ServedLegacyClient

  /** With `node`, other nodes find the session by its id. */
  constructor(server: ServerCore, sink: BoundedSink, principal: Principal, node?: string) {
    this.id = node === undefined ? createRandomToken() : `${node}.${createRandomToken()}`
    this.#principal = principal
    this.#channel = new SinkChannel(sink)
    this.#client = serveLegacy(server, this.#channel)
  }

  isOwnedBy(principal: Principal): boolean {
    return isSamePrincipal(this.#principal, principal)
  }

  get acceptsBatches(): boolean {
    return hasBatches(this.#client.connection.protocolVersion)
  }

  get ended(): Promise<void> {
    return this.#client.served.ended
  }

  /** Accepts a message. What it returns resolves when its requests have been answered on the stream. */
  receive(exchange: HttpExchange, message: unknown, ids: readonly RequestId[]): Promise<void> | undefined {
    acceptMessage(exchange)
    return this.#channel.receive(new HttpTransport(exchange, SSE), message, ids)
  }

  deliver(message: unknown, auth: AuthInfo | undefined): string | undefined {
    const content = readPost(message, this.acceptsBatches)
    if (typeof content === 'string') return content
    void this.#channel.receive(auth === undefined ? SSE : { ...SSE, auth }, message, content.ids)
    return undefined
  }

  close(): Promise<void> {
    return this.#client.served.close()
  }
}

class SinkChannel implements Channel {
  readonly #sink: BoundedSink
  /** Requests that wait for their answers. */
  readonly #pending = new Map<RequestId, Deferred<void>>()
  #receiver: Receiver | undefined
  #isClosed = false

  constructor(sink: BoundedSink) {
    this.#sink = sink
    sink.onCut = () => this.#receiver?.closed(new Error('The client reads its event stream too slowly.'))
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver
  }

  receive(transport: TransportContext, message: unknown, ids: readonly RequestId[]): Promise<void> | undefined {
    const done = createDeferred()
    const [id] = ids
    // The requests of a batch are answered together, so that the first one stands for all.
    const isNew = id !== undefined && !this.#pending.has(id)
    if (isNew) this.#pending.set(id, done)
    void this.#receiver?.message(message, { transport, onUnanswered: () => this.#settle(id) })
    return isNew ? done.promise : undefined
  }

  send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(connectionClosedError())
    const data = encodeMessage(message)
    if (!this.#sink.makeRoom()) return undefined
    const reading = this.#sink.send({ event: 'message', data })
    for (const one of Array.isArray(message) ? message : [message]) if (!('method' in one)) this.#settle(one.id)
    return reading
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#sink.end()
    for (const id of this.#pending.keys()) this.#settle(id)
    this.#receiver?.closed()
  }

  #settle(id: RequestId | null | undefined): void {
    if (id === undefined || id === null) return
    this.#pending.get(id)?.resolve()
    this.#pending.delete(id)
  }
}
