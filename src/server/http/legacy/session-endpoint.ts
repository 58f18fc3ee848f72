// The legacy era with sessions: which session a request belongs to, and when a new one begins.
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import type { Server } from '../../server.ts'
import { Drain } from '../answers/drain.ts'
import {
  hasRequest,
  isInitialize,
  type PostContent,
  readPost,
  refuseBatch,
  requestIdOf,
} from '../answers/post-content.ts'
import { refuse, refuseForNow, refuseSession } from '../answers/refusals.ts'
import { replyError } from '../answers/reply.ts'
import { ServerLease } from '../answers/server-lease.ts'
import { principalOf } from '../guards/principal.ts'
import type { HandshakeEndpoint, HandshakeParts } from './legacy.ts'
import { Session } from './session.ts'
import { SessionManager, type SessionOptions } from './session-manager.ts'

const SESSION_HEADER = 'mcp-session-id'
const LAST_EVENT_HEADER = 'last-event-id'

export class SessionEndpoint implements HandshakeEndpoint {
  readonly #server: Server
  readonly #parts: HandshakeParts
  readonly #sessions: SessionManager
  readonly #lease: ServerLease
  readonly #drain = new Drain()

  constructor(server: Server, parts: HandshakeParts, options: SessionOptions) {
    this.#server = server
    this.#parts = parts
    this.#sessions = new SessionManager(options)
    this.#lease = new ServerLease(server)
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    if (!this.#parts.head.admitsPost(exchange)) return undefined
    if (this.#drain.isClosing && hasRequest(message)) {
      // Answers still come through: a call that is being finished may wait for one.
      refuseForNow(exchange, 'The server is shutting down', requestIdOf(message))
      return undefined
    }
    if (exchange.header(SESSION_HEADER) === undefined) {
      if (isInitialize(message)) return this.#admit(exchange, message)
      if (Array.isArray(message) && message.some(isInitialize)) return refuseOpeningBatch(exchange, message)
    }
    return this.#drain.track(this.#sessionOf(exchange)?.post(exchange, message))
  }

  get(exchange: HttpExchange): Promise<void> | undefined {
    const session = this.#parts.head.admitsGet(exchange) ? this.#sessionOf(exchange) : undefined
    if (session === undefined) return undefined
    const lastEventId = exchange.header(LAST_EVENT_HEADER)
    if (lastEventId === undefined) session.listen(exchange)
    else if (typeof lastEventId === 'string') return session.resume(exchange, lastEventId)
    else refuse(exchange, 400, 'Last-Event-ID was sent more than once')
    return undefined
  }

  async delete(exchange: HttpExchange): Promise<void> {
    const session = this.#sessionOf(exchange)
    if (session === undefined) return
    await this.#sessions.end(session)
    exchange.reply(204)
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    await this.#sessions.close()
    this.#parts.streams.heartbeat.close()
    this.#parts.deadlines.clear()
    await this.#lease.giveBack()
  }

  /** The session that the request names, if it is the caller's; has answered where there is none. */
  #sessionOf(exchange: HttpExchange): Session | undefined {
    const id = exchange.header(SESSION_HEADER)
    if (id === undefined) {
      refuse(exchange, 400, 'The Mcp-Session-Id header is missing; a session begins with initialize')
      return undefined
    }
    // An id that was sent twice is none: another on the way may have gone by the other one.
    const session = typeof id === 'string' ? this.#sessions.find(id, exchange.auth) : undefined
    if (session === undefined) {
      refuseSession(exchange)
      return undefined
    }
    return this.#parts.head.admitsVersion(exchange) ? session : undefined
  }

  #admit(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const content = readPost(message, false)
    if (typeof content === 'string') refuse(exchange, 400, content, requestIdOf(message))
    else if (!this.#sessions.reserve(exchange.auth))
      refuseForNow(exchange, 'Too many sessions; try again later', content.ids[0])
    else return this.#drain.track(this.#open(exchange, message, content))
    return undefined
  }

  async #open(exchange: HttpExchange, message: unknown, content: PostContent): Promise<void> {
    try {
      await this.#lease.take()
    } catch (error) {
      this.#sessions.settle(exchange.auth)
      this.#server.faults.report({ kind: 'handler-failed', message: 'The lifespan of the server failed', error })
      replyError(exchange, 500, content.ids[0], INTERNAL_ERROR)
      return
    }
    const principal = principalOf(exchange.auth)
    const session = new Session(this.#server, this.#parts, principal)
    let isGone = false
    const stopWatching = exchange.onGone(() => {
      isGone = true
      void session.close()
    })
    await session.initialize(exchange, message, content, (isOpen) => {
      stopWatching()
      const isKept = isOpen && !isGone && !this.#drain.isClosing
      this.#sessions.settle(principal, isKept ? session : undefined)
      if (!isKept) void session.close()
    })
  }
}

/** Spec 2025-03-26, Lifecycle: `initialize` must not be part of a batch. Whoever sent one waits for every answer in it. */
function refuseOpeningBatch(exchange: HttpExchange, messages: readonly unknown[]): undefined {
  const answers = refuseBatch(messages, 'a session begins with initialize, alone')
  exchange.reply(400, encodeMessage(answers), JSON_HEADERS)
}
