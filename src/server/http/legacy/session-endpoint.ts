// The legacy era with sessions: which session a request belongs to, and when a new one begins.
import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import type { ServerCore } from '../../core.ts'
import {
  hasRequest,
  isInitialize,
  type PostContent,
  readPost,
  rejectBatch,
  requestIdOf,
} from '../answers/post-content.ts'
import { rejectInvalid, rejectTemporarily, rejectUnknownSession, SHUTTING_DOWN } from '../answers/reply.ts'
import { principalOf } from '../guards/principal.ts'
import { Drain } from './drain.ts'
import type { LegacyEndpoint, LegacySettings } from './legacy.ts'
import { Session } from './session.ts'
import { SessionManager, type SessionOptions } from './session-manager.ts'

const SESSION_HEADER = 'mcp-session-id'
const LAST_EVENT_HEADER = 'last-event-id'

export class SessionEndpoint implements LegacyEndpoint {
  readonly #server: ServerCore
  readonly #settings: LegacySettings
  readonly #sessions: SessionManager
  readonly #drain = new Drain()

  constructor(server: ServerCore, settings: LegacySettings, options: SessionOptions) {
    this.#server = server
    this.#settings = settings
    this.#sessions = new SessionManager(options)
  }

  get sessionCount(): number {
    return this.#sessions.size
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    if (!this.#settings.headers.acceptsPost(exchange)) return undefined
    if (this.#drain.isClosing && hasRequest(message)) {
      // Responses are still accepted: a call that finishes may wait for one.
      rejectTemporarily(exchange, SHUTTING_DOWN.message, requestIdOf(message))
      return undefined
    }
    if (exchange.header(SESSION_HEADER) === undefined) {
      if (isInitialize(message)) return this.#initialize(exchange, message)
      if (Array.isArray(message) && message.some(isInitialize)) return rejectOpeningBatch(exchange, message)
    }
    return this.#drain.track(this.#sessionOf(exchange)?.post(exchange, message))
  }

  get(exchange: HttpExchange): Promise<void> | undefined {
    const session = this.#settings.headers.acceptsGet(exchange) ? this.#sessionOf(exchange) : undefined
    if (session === undefined) return undefined
    const lastEventId = exchange.header(LAST_EVENT_HEADER)
    if (lastEventId === undefined) session.listen(exchange)
    else if (typeof lastEventId === 'string') return session.resume(exchange, lastEventId)
    else rejectInvalid(exchange, 400, 'The Last-Event-ID header was sent more than once.')
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
    this.#settings.streams.heartbeat.close()
    this.#settings.deadlines.clear()
  }

  /** The session that the request names, if it belongs to the caller. Answers the request otherwise. */
  #sessionOf(exchange: HttpExchange): Session | undefined {
    const id = exchange.header(SESSION_HEADER)
    if (id === undefined) {
      rejectInvalid(exchange, 400, 'The Mcp-Session-Id header is missing. Start a session with initialize.')
      return undefined
    }
    // A header that was sent twice is rejected: a proxy may have used the other value.
    const session = typeof id === 'string' ? this.#sessions.find(id, exchange.auth) : undefined
    if (session === undefined) {
      rejectUnknownSession(exchange)
      return undefined
    }
    return this.#settings.headers.acceptsVersion(exchange) ? session : undefined
  }

  #initialize(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const content = readPost(message, false)
    if (typeof content === 'string') rejectInvalid(exchange, 400, content, requestIdOf(message))
    else if (!this.#sessions.reserve(exchange.auth)) {
      rejectTemporarily(exchange, 'The server has too many sessions. Try again later.', content.ids[0])
    } else return this.#drain.track(this.#open(exchange, message, content))
    return undefined
  }

  async #open(exchange: HttpExchange, message: unknown, content: PostContent): Promise<void> {
    const principal = principalOf(exchange.auth)
    const session = new Session(this.#server, this.#settings, principal)
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

/** Spec 2025-03-26, Lifecycle: `initialize` must not be part of a batch. The client waits for an answer to each request. */
function rejectOpeningBatch(exchange: HttpExchange, messages: readonly unknown[]): undefined {
  const answers = rejectBatch(messages, 'A session begins with initialize outside of a batch.')
  exchange.reply(400, encodeMessage(answers), JSON_HEADERS)
}
