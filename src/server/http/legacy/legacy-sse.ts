// HTTP+SSE, the transport of revision 2024-11-05: one stream out for all that the server says, one endpoint in.
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { acceptsExplicitly, EVENT_STREAM_TYPE } from '../../../http/media-type.ts'
import type { Server } from '../../server.ts'
import { Drain } from '../answers/drain.ts'
import { readPost, requestIdOf } from '../answers/post-content.ts'
import { refuse, refuseForNow, refuseSession } from '../answers/refusals.ts'
import { replyError } from '../answers/reply.ts'
import { ServerLease } from '../answers/server-lease.ts'
import { principalOf } from '../guards/principal.ts'
import { Heartbeat } from '../streams/heartbeat.ts'
import { LegacySseSession } from './legacy-sse-session.ts'
import type { SessionOptions } from './session-manager.ts'
import { SessionPlaces } from './session-manager.ts'

export interface LegacySseOptions {
  /** Only how many there may be counts here: a session is as long as its stream. */
  sessions?: boolean | SessionOptions
  /** Between two comments on an open stream: 15 s unless given; `Infinity` for none. */
  keepAliveMs?: number
  /** What may wait for a client that reads slowly, per stream: 16 MiB unless given. */
  maxQueuedBytes?: number
}

/** Serves the two endpoints of the transport. */
export interface LegacySseEndpoint {
  /** `mountPath`: what a router has cut off before our paths. */
  get(exchange: HttpExchange, mountPath?: string): Promise<void> | void
  /** The body has been read, scanned and parsed. */
  post(exchange: HttpExchange, message: unknown): Promise<void> | void
  readonly sessionCount: number
  /** Lets requests in flight finish for `drainMs`, then ends everything. Idempotent. */
  close(options?: { drainMs?: number }): Promise<void>
}

/** `messagesPath` is where clients are told to post to. */
export function createLegacySseEndpoint(
  server: Server,
  options: LegacySseOptions & { messagesPath: string },
): LegacySseEndpoint {
  return new LegacySse(server, options)
}

class LegacySse implements LegacySseEndpoint {
  readonly #server: Server
  readonly #messagesPath: string
  readonly #places: SessionPlaces
  readonly #maxQueuedBytes: number
  readonly #heartbeat: Heartbeat
  readonly #lease: ServerLease
  readonly #sessions = new Map<string, LegacySseSession>()
  readonly #drain = new Drain()

  constructor(server: Server, options: LegacySseOptions & { messagesPath: string }) {
    this.#server = server
    this.#messagesPath = options.messagesPath
    this.#places = new SessionPlaces(typeof options.sessions === 'object' ? options.sessions : {})
    this.#maxQueuedBytes = options.maxQueuedBytes ?? 16 * 1024 * 1024
    this.#heartbeat = new Heartbeat(options.keepAliveMs ?? 15_000)
    this.#lease = new ServerLease(server)
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  async get(exchange: HttpExchange, mountPath = ''): Promise<void> {
    if (!acceptsExplicitly(exchange, EVENT_STREAM_TYPE)) {
      refuse(exchange, 406, `Not acceptable: the client must accept ${EVENT_STREAM_TYPE}`)
    } else if (this.#drain.isClosing) {
      refuseForNow(exchange, 'The server is shutting down')
    } else if (!this.#places.take(exchange.auth)) {
      refuseForNow(exchange, 'Too many sessions; try again later')
    } else {
      const { auth } = exchange
      await this.#open(exchange, mountPath).finally(() => this.#places.giveBack(auth))
    }
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const id = new URLSearchParams(exchange.query).get('sessionId')
    const session = id === null ? undefined : this.#sessions.get(id)
    const content = readPost(message, session?.acceptsBatches ?? false)
    if (id === null) refuse(exchange, 400, 'The sessionId is missing; post to the endpoint that the stream named')
    else if (session === undefined || !session.isOwnedBy(exchange.auth)) refuseSession(exchange)
    else if (typeof content === 'string') refuse(exchange, 400, content, requestIdOf(message))
    else return this.#drain.track(session.receive(exchange, message, content.ids))
    return undefined
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()))
    this.#heartbeat.close()
    await this.#lease.giveBack()
  }

  async #open(exchange: HttpExchange, mountPath: string): Promise<void> {
    try {
      await this.#lease.take()
    } catch (error) {
      this.#server.faults.report({ kind: 'handler-failed', message: 'The lifespan of the server failed', error })
      replyError(exchange, 500, undefined, INTERNAL_ERROR)
      return
    }
    const sink = exchange.stream()
    const session = new LegacySseSession(this.#server, sink, principalOf(exchange.auth), this.#maxQueuedBytes)
    this.#sessions.set(session.id, session)
    this.#heartbeat.add(sink)
    const stopWatching = exchange.onGone(() => void session.close())
    if (sink.isClosed) void session.close()
    // Spec 2024-11-05, Transports: the first event says where to post.
    void sink.send({ event: 'endpoint', data: `${mountPath}${this.#messagesPath}?sessionId=${session.id}` })
    await session.ended
    stopWatching()
    this.#heartbeat.delete(sink)
    this.#sessions.delete(session.id)
  }
}
