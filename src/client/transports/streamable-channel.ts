// One connection over Streamable HTTP, in whichever era its messages speak: every message is a POST of its own.
import type { Channel, Receiver, SendHints } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosed } from '../../dispatcher/error-policy.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type {
  JSONRPCBatch,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from '../../types/protocol/jsonrpc.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { assertHeaderLimits, MAX_HEADER_VALUE_LENGTH, PROTOCOL_VERSION_HEADER } from '../../wire/headers/headers.ts'
import type { EraRules } from './era-rules.ts'
import { type CallHost, HttpCall } from './http-call.ts'
import type { HttpLink, RequestHeaders } from './http-link.ts'
import { statusOf } from './http-status.ts'
import { HandshakeSession } from './legacy-session.ts'
import { createModernRules } from './modern-rules.ts'
import { postNotice } from './one-way-post.ts'
import { AnswerQueue, answersDropped } from './response-queue.ts'

/** A server that does not answer is not waited for: the end of our side must not depend on it. */
const DELETE_TIMEOUT_MS = 2_000

/** Best effort: a server may refuse, and nobody could do anything about it. Never rejects. */
async function endSession(link: HttpLink, headers: RequestHeaders): Promise<void> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), DELETE_TIMEOUT_MS)
  try {
    const response = await link.poster({ method: 'DELETE', url: link.url, headers, signal: timeout.signal })
    response.cancel()
  } catch {
    // Gone already, or not to be reached.
  } finally {
    clearTimeout(timer)
  }
}

const NO_HEADERS: RequestHeaders = Object.freeze({})
/** Answers that the server has not taken before it has to take one first. */
const MAX_ANSWERS = 64
/** How long they may still take when the channel closes. */
const LAST_ANSWERS_MS = 500
const CANCELLED = 'notifications/cancelled'
const INITIALIZED = 'notifications/initialized'

export interface StreamableChannelOptions {
  readonly link: HttpLink
  readonly terminateOnClose: boolean
  /** Frees what the poster keeps. */
  onClosed(): void
}

export class StreamableHttpChannel implements Channel, CallHost {
  readonly #options: StreamableChannelOptions
  readonly #modern: EraRules
  readonly #closing = new AbortController()
  /** Everything that has something open. */
  readonly #open = new Set<HttpCall>()
  /** Those of them that wait for an answer. */
  readonly #waiting = new Map<RequestId, HttpCall>()
  /** Answers of ours that the server has not taken yet. */
  readonly #answers = new AnswerQueue({
    post: (body) => this.#postAnswer(body),
    onFull: (waiting) => this.#receiver?.fault(answersDropped(waiting)),
  })
  #receiver: Receiver | undefined
  #session: HandshakeSession | undefined
  /** Settles when the server has taken the notifications sent so far; absent where it has. */
  #lastNotice: Promise<unknown> | undefined
  #ended: Promise<void> | undefined
  /** In the legacy era every message comes with the same headers. */
  #lastMirrored: { readonly headers: RequestHeaders; readonly lowered: RequestHeaders } | undefined

  constructor(options: StreamableChannelOptions) {
    this.#options = options
    this.#modern = createModernRules(options.link)
  }

  /** Not a member of its own: it holds headers, and channels get logged. */
  get link(): HttpLink {
    return this.#options.link
  }

  get receiver(): Receiver {
    if (this.#receiver === undefined) throw new Error('This channel was not started')
    return this.#receiver
  }

  /** The signal of everything that goes on without being asked for. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new Error('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = {
      message: (message, hints) => {
        this.#noticeAnswer(message)
        return receiver.message(message, hints)
      },
      lost: (id, reason) => receiver.lost(id, reason),
      hold: (id) => receiver.hold?.(id) ?? (() => {}),
      fault: (fault) => receiver.fault(fault),
      closed: (reason) => receiver.closed(reason),
    }
    if (this.#ended !== undefined) receiver.closed()
  }

  send(message: JSONRPCMessage | JSONRPCBatch, hints?: SendHints): Promise<void> | undefined {
    if (this.#ended !== undefined) return Promise.reject(connectionClosed())
    if (Array.isArray(message) || !('method' in message)) return this.#sendAnswer(message)
    if ('id' in message) return this.#sendRequest(message, hints)
    return this.#sendNotification(message, hints)
  }

  /** A request that can be resumed goes on at the server; nobody reads it here until somebody comes back for it. */
  release(id: RequestId): void {
    this.#waiting.get(correlationKey(id))?.abort()
  }

  close(): Promise<void> {
    if (this.#ended === undefined) {
      const ended = createDeferred()
      // Before anything else: whoever is told of the end may well close again.
      this.#ended = ended.promise
      this.#end().then(ended.resolve, ended.reject)
    }
    return this.#ended
  }

  answered(call: HttpCall): void {
    const key = correlationKey(call.id)
    if (this.#waiting.get(key) === call) this.#waiting.delete(key)
  }

  ended(call: HttpCall): void {
    this.#open.delete(call)
    this.answered(call)
  }

  /** The connection cannot go on. */
  fail(reason: Error): void {
    this.#receiver?.closed(reason)
    void this.close()
  }

  /** An answer may come on the stream of another request; then nobody waits for it on its own any more. */
  #noticeAnswer(message: unknown): void {
    if (!isPlainObject(message) || message['method'] !== undefined || !isRequestId(message['id'])) return
    this.#waiting.get(correlationKey(message['id']))?.abort()
  }

  #sendRequest(message: JSONRPCRequest, hints: SendHints | undefined): undefined {
    const body = this.#encode(message)
    const mirrored = this.#mirror(hints)
    const rules = this.#rulesOf(message, hints)
    const call = new HttpCall(this, rules, { message, body, headers: mirrored, hints, after: this.#lastNotice })
    const key = correlationKey(message.id)
    // An id that is used again must not be answered by what was sent under it before.
    this.#waiting.get(key)?.abort()
    this.#waiting.set(key, call)
    this.#open.add(call)
    call.start()
    return undefined
  }

  /** Throws `LimitError` before anything is sent where the server is known to take no such message. */
  #encode(message: JSONRPCMessage | JSONRPCBatch): string {
    const body = encodeMessage(message)
    const breach = this.link.bodyLimit.findBreach(body)
    if (breach !== undefined) throw breach
    return body
  }

  #rulesOf(message: JSONRPCRequest, hints: SendHints | undefined): EraRules {
    if (message.method === 'initialize') return this.#beginHandshake(message)
    const version = hints?.headers?.[PROTOCOL_VERSION_HEADER]
    return version !== undefined && isModernVersion(version) ? this.#modern : this.#handshake(version)
  }

  /** A probe for the modern era that nobody waits for any more is over with that. */
  #beginHandshake(message: JSONRPCRequest): EraRules {
    for (const call of this.#open) if (call.rules === this.#modern) call.abort()
    const session = this.#handshake(undefined)
    session.begin(message)
    return session.opening
  }

  #handshake(version: string | undefined): HandshakeSession {
    this.#session ??= new HandshakeSession(this)
    if (version !== undefined) this.#session.agreed(version)
    return this.#session
  }

  async #sendNotification(message: JSONRPCNotification, hints: SendHints | undefined): Promise<void> {
    const body = this.#encode(message)
    if (message.method === CANCELLED) return this.#sendCancelled(message, body)
    const version = hints?.headers?.[PROTOCOL_VERSION_HEADER]
    const isModern = version !== undefined && isModernVersion(version)
    const rules = isModern ? this.#modern : this.#handshake(version)
    const mirrored = this.#mirror(hints)
    await this.#inOrder(() => this.#post(rules, body, mirrored, `'${message.method}'`))
    if (message.method === INITIALIZED) this.#session?.opened()
  }

  async #sendCancelled(message: JSONRPCNotification, body: string): Promise<void> {
    const id = message.params?.['requestId']
    const call = isRequestId(id) ? this.#waiting.get(correlationKey(id)) : undefined
    const session = this.#session
    // Spec, Cancellation: since 2026-07-28 closing the stream is the cancellation, and nothing is sent.
    if (call?.rules.cancelsByClosing === true || session?.isAgreed !== true) {
      call?.abort()
      return
    }
    try {
      await postNotice(this.link, {
        body,
        headers: session.depart(NO_HEADERS).headers,
        what: `'${CANCELLED}'`,
        signal: this.signal,
      })
    } finally {
      // Up to 2025-11-25 a closed stream means nothing; the server has been told, and nobody reads on.
      call?.abort()
    }
  }

  /**
   * An answer to something that the server asked, which it can do in the legacy era only. Whoever closes need not wait until
   * the server has taken it; a server that asks faster than it takes has to.
   */
  #sendAnswer(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const body = this.#encode(message)
    if (this.#session === undefined) return undefined
    const posting = this.#answers.send(body)
    return this.#answers.size > MAX_ANSWERS ? posting : undefined
  }

  async #postAnswer(body: string): Promise<void> {
    try {
      if (this.#session !== undefined) await this.#post(this.#session, body, NO_HEADERS, 'An answer')
    } catch (error) {
      if (this.#ended !== undefined) return
      this.#receiver?.fault({ kind: 'write-failed', message: 'An answer was not taken by the server', error })
    }
  }

  /** One after the other, so that they arrive as they were sent, and before the requests that come after them. */
  #inOrder(post: () => Promise<void>): Promise<void> {
    const posting = this.#lastNotice === undefined ? post() : this.#lastNotice.then(post)
    const settled = posting
      .catch(() => {})
      .then(() => {
        if (this.#lastNotice === settled) this.#lastNotice = undefined
      })
    this.#lastNotice = settled
    return posting
  }

  async #post(rules: EraRules, body: string, mirrored: RequestHeaders, what: string): Promise<void> {
    const waiting = rules.ready()
    if (waiting !== undefined) await waiting
    const departure = rules.depart(mirrored)
    const { signal } = this
    try {
      await postNotice(this.link, { body, headers: departure.headers, what, signal })
    } catch (error) {
      if (!(error instanceof Error) || !rules.isForgotten(statusOf(error) ?? 0, departure)) throw error
      await rules.renew(departure, error)
      await postNotice(this.link, { body, headers: rules.depart(mirrored).headers, what, signal })
    }
  }

  #mirror(hints: SendHints | undefined): RequestHeaders {
    const headers = hints?.headers
    if (headers === undefined) return NO_HEADERS
    if (headers === this.#lastMirrored?.headers) return this.#lastMirrored.lowered
    const lowered: Record<string, string> = {}
    let length = 0
    for (const name in headers) {
      const value = headers[name] as string
      lowered[name.toLowerCase()] = value
      length += name.length + value.length
    }
    // Together they are no longer than one may be, and most are far from that.
    if (length > MAX_HEADER_VALUE_LENGTH) assertHeaderLimits(headers)
    this.#lastMirrored = { headers, lowered }
    return lowered
  }

  async #end(): Promise<void> {
    for (const call of this.#open) call.abort()
    this.#receiver?.closed()
    if (this.#answers.size > 0) await settlesWithin(this.#answers.whenIdle(), LAST_ANSWERS_MS)
    this.#answers.close()
    this.#closing.abort(connectionClosed())
    const session = this.#session
    session?.stop()
    if (session?.id !== undefined && this.#options.terminateOnClose) await endSession(this.link, session.rejoin())
    this.#options.onClosed()
  }
}
