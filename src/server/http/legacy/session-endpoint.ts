// The legacy era with sessions: which session a request belongs to, and when a new one begins.

import type { CloseOptions } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import { type Principal, principalOf } from '../../../http/principal.ts'
import { createDeferred, type MaybePromise } from '../../../primitives/async/promises.ts'
import { loading } from '../../../primitives/loading.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
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
import { Drain } from './drain.ts'
import type { LegacyEndpoint, LegacySettings } from './legacy.ts'
import { completeSessionOptions, type SessionLimits, type SessionOptions } from './legacy-options.ts'
import { Session } from './session.ts'
import { type SessionDirectory, SessionManager, TOO_MANY, TOO_MANY_OWN } from './session-manager.ts'

const SESSION_HEADER = 'mcp-session-id'
const LAST_EVENT_HEADER = 'last-event-id'

export class SessionEndpoint implements LegacyEndpoint {
  readonly #server: ServerCore
  readonly #settings: LegacySettings
  readonly #limits: SessionLimits
  readonly #drain = new Drain()
  readonly #hurry = createDeferred()
  #endingStreams: Promise<void> | undefined
  /** `undefined` until the first request, where sessions are shared with other nodes. */
  #sessions: SessionDirectory | undefined

  constructor(server: ServerCore, settings: LegacySettings, options: SessionOptions) {
    this.#server = server
    this.#settings = settings
    this.#limits = completeSessionOptions(options)
    if (server.backend !== undefined) return
    this.#sessions = new SessionManager(this.#limits, (principal) => new Session(server, settings, principal))
  }

  get sessionCount(): number {
    return this.#sessions?.size ?? 0
  }

  post(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    if (!this.#settings.headers.acceptsPost(exchange, message)) return undefined
    if (this.#drain.isClosing && hasRequest(message)) {
      // Responses are still accepted: a call that finishes may wait for one.
      rejectTemporarily(exchange, SHUTTING_DOWN.message, requestIdOf(message))
      return undefined
    }
    if (exchange.header(SESSION_HEADER) === undefined) {
      if (isInitialize(message)) return this.#initialize(exchange, message)
      if (Array.isArray(message) && message.some(isInitialize)) return rejectOpeningBatch(exchange, message)
    }
    const found = this.#sessionOf(exchange, message)
    if (!(found instanceof Promise)) return this.#drain.track(found?.post(exchange, message))
    const posting = found.then((session) => session?.post(exchange, message))
    return this.#drain.track(this.#orLater(exchange, posting, requestIdOf(message), message))
  }

  get(exchange: HttpExchange): Promise<void> | undefined {
    if (!this.#settings.headers.acceptsGet(exchange)) return undefined
    const found = this.#sessionOf(exchange)
    if (!(found instanceof Promise)) return listenIn(found, exchange)
    return this.#orLater(
      exchange,
      found.then((session) => listenIn(session, exchange)),
    )
  }

  delete(exchange: HttpExchange): Promise<void> {
    return this.#orLater(exchange, this.#end(exchange))
  }

  async #end(exchange: HttpExchange): Promise<void> {
    const session = await this.#sessionOf(exchange)
    if (session === undefined) return
    await this.#sessions?.end(session)
    exchange.reply(204)
  }

  close({ drainMs = 0 }: CloseOptions = {}): Promise<void> {
    this.#endingStreams ??= this.#sessions?.endStreams?.(drainMs / 2, this.#hurry.promise)
    if (drainMs <= 0) this.#hurry.resolve()
    return this.#drain.close(drainMs, () => this.#shutDown())
  }

  async #shutDown(): Promise<void> {
    await this.#endingStreams
    await this.#sessions?.close()
    this.#settings.streams.heartbeat.close()
    this.#settings.deadlines.clear()
  }

  /** The session that the request names, if it belongs to the caller. Answers the request otherwise. */
  #sessionOf(exchange: HttpExchange, message?: unknown): MaybePromise<Session | undefined> {
    const id = exchange.header(SESSION_HEADER)
    if (id === undefined) {
      const content = message === undefined ? undefined : readPost(message, true)
      const text = 'The Mcp-Session-Id header is missing. Start a session with initialize.'
      rejectInvalid(exchange, 400, typeof content === 'string' ? content : text, requestIdOf(message))
      return undefined
    }
    // A header that was sent twice is rejected: a proxy may have used the other value.
    const found = typeof id === 'string' ? this.#find(id, exchange.auth) : undefined
    return found instanceof Promise
      ? found.then((session) => this.#accept(exchange, session, message))
      : this.#accept(exchange, found, message)
  }

  #find(id: string, principal: Principal): MaybePromise<Session | undefined> {
    const sessions = this.#sessions
    if (sessions !== undefined) return sessions.find(id, principal)
    return this.#load().then((shared) => shared.find(id, principal))
  }

  #accept(exchange: HttpExchange, session: Session | undefined, message: unknown): Session | undefined {
    if (session !== undefined) return this.#settings.headers.acceptsVersion(exchange, message) ? session : undefined
    rejectUnknownSession(exchange, requestIdOf(message))
    return undefined
  }

  /** Where the engine does not answer. */
  async #orLater(exchange: HttpExchange, work: Promise<void>, requestId?: RequestId, message?: unknown): Promise<void> {
    try {
      await work
    } catch (error) {
      if (this.#server.backend === undefined) throw error
      const { answerWithoutSession } = await loading(import('./shared-endpoint.ts'))
      const sessionId = exchange.header(SESSION_HEADER)
      await answerWithoutSession(exchange, error, this.#sessions, { sessionId, id: requestId, message })
    }
  }

  #initialize(exchange: HttpExchange, message: unknown): Promise<void> | undefined {
    const content = readPost(message, false)
    if (typeof content !== 'string') {
      return this.#drain.track(this.#orLater(exchange, this.#reserve(exchange, message, content), content.ids[0]))
    }
    rejectInvalid(exchange, 400, content, requestIdOf(message))
    return undefined
  }

  async #reserve(exchange: HttpExchange, message: unknown, content: PostContent): Promise<void> {
    const principal = principalOf(exchange.auth)
    const sessions = this.#sessions ?? (await this.#load())
    const isReserved = sessions.reserve(principal)
    const session = isReserved ? await createIn(sessions, principal) : undefined
    if (session !== undefined) return this.#open(exchange, message, content, sessions, session)
    const isOwn = isReserved || sessions.isFullFor?.(principal) === true
    rejectTemporarily(exchange, isOwn ? TOO_MANY_OWN : TOO_MANY, content.ids[0])
  }

  async #open(
    exchange: HttpExchange,
    message: unknown,
    content: PostContent,
    sessions: SessionDirectory,
    session: Session,
  ): Promise<void> {
    let isGone = false
    const stopWatching = exchange.onGone(() => {
      isGone = true
      void session.close()
    })
    await session.initialize(exchange, message, content, (isOpen) => {
      stopWatching()
      if (isOpen && !isGone && !this.#drain.isClosing) {
        sessions.settle(session)
        return
      }
      sessions.abandon(session.principal, session)
      void session.close()
    })
  }

  async #load(): Promise<SessionDirectory> {
    // Loaded here: most servers run in one process.
    const { openSharedSessions } = await loading(import('./shared-endpoint.ts'))
    this.#sessions ??= openSharedSessions(this.#server, this.#settings, this.#limits)
    return this.#sessions
  }
}

function listenIn(session: Session | undefined, exchange: HttpExchange): Promise<void> | undefined {
  if (session === undefined) return undefined
  const lastEventId = exchange.header(LAST_EVENT_HEADER)
  if (typeof lastEventId === 'string') return session.resume(exchange, lastEventId)
  if (lastEventId === undefined) return session.listen(exchange)
  rejectInvalid(exchange, 400, 'The Last-Event-ID header was sent more than once.')
  return undefined
}

/** Frees the slot where there is no session for it. */
async function createIn(sessions: SessionDirectory, principal: Principal): Promise<Session | undefined> {
  try {
    const session = await sessions.create(principal)
    if (session === undefined) sessions.abandon(principal)
    return session
  } catch (error) {
    sessions.abandon(principal)
    throw error
  }
}

/** Spec 2025-03-26, Lifecycle: `initialize` must not be part of a batch. The client waits for an answer to each request. */
function rejectOpeningBatch(exchange: HttpExchange, messages: readonly unknown[]): undefined {
  const answers = rejectBatch(messages, 'A session begins with initialize outside of a batch.')
  exchange.reply(400, encodeMessage(answers), JSON_HEADERS)
}
