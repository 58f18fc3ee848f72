// One connection over Streamable HTTP, in both eras: every message is a POST of its own.

import type { Channel, Receiver, SendHints } from '../../dispatcher/channel.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { connectionClosedError } from '../../dispatcher/error-policy.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { orderError } from '../../primitives/help.ts'
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
import { LegacySession } from './legacy-session.ts'
import { createModernRules } from './modern-rules.ts'
import { postOneWay, postUntilAccepted } from './one-way-post.ts'
import { ResponseQueue, responsesDropped } from './response-queue.ts'
import type { SessionHost } from './session-expired.ts'

/** Closing must not wait for a server that does not respond. */
const DELETE_TIMEOUT_MS = 2_000

/** Ends the session on the server, which may reject that. Never rejects. */
async function deleteSession(link: HttpLink, headers: RequestHeaders): Promise<void> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), DELETE_TIMEOUT_MS)
  try {
    const response = await link.poster({ method: 'DELETE', url: link.url, headers, signal: timeout.signal })
    response.cancel()
  } catch {
    // The session is gone, or the server cannot be reached.
  } finally {
    clearTimeout(timer)
  }
}

const NO_HEADERS: RequestHeaders = Object.freeze({})
/** With more unsent responses than this, the channel stops reading until the server has accepted one. */
const MAX_UNSENT_RESPONSES = 64
/** How long `close` waits for unsent responses. */
const LAST_RESPONSES_MS = 500
const CANCELLED = 'notifications/cancelled'
const INITIALIZED = 'notifications/initialized'

export interface StreamableChannelOptions {
  readonly link: HttpLink
  readonly terminateOnClose: boolean
  /** Frees the connections of the poster. */
  onClosed(): void
}

/** What calls and sessions need of the channel. */
type ChannelHost = CallHost & SessionHost

export class StreamableHttpChannel implements Channel {
  readonly #options: StreamableChannelOptions
  readonly #modern: EraRules
  readonly #closing = new AbortController()
  /** Calls with an open HTTP response. */
  readonly #open = new Set<HttpCall>()
  /** Calls that wait for their JSON-RPC response. */
  readonly #waiting = new Map<RequestId, HttpCall>()
  /** Responses to requests of the server that it has not accepted yet. */
  readonly #responses = new ResponseQueue({
    post: (body) => this.#postResponse(body),
    onFull: (waiting) => this.#host?.receiver.fault(responsesDropped(waiting)),
  })
  /** Absent until the channel is started. */
  #host: ChannelHost | undefined
  #session: LegacySession | undefined
  /** Settles when the server has accepted the notifications sent so far; absent where it has. */
  #lastNotification: Promise<unknown> | undefined
  #ended: Promise<void> | undefined
  /** In the legacy era every message has the same headers. */
  #lastMirrored: { readonly headers: RequestHeaders; readonly lowered: RequestHeaders } | undefined

  constructor(options: StreamableChannelOptions) {
    this.#options = options
    this.#modern = createModernRules(options.link)
  }

  start(receiver: Receiver): void {
    if (this.#host !== undefined) throw orderError('This channel is in use; a channel belongs to one dispatcher')
    this.#host = {
      link: this.#options.link,
      receiver: {
        decode: receiver.decode,
        message: (message, hints) => {
          this.#noteResponse(message)
          return receiver.message(message, hints)
        },
        lost: (id, reason) => receiver.lost(id, reason),
        hold: (id) => receiver.hold?.(id) ?? (() => {}),
        fault: (fault) => receiver.fault(fault),
        closed: (reason) => receiver.closed(reason),
      },
      signal: this.#closing.signal,
      answered: (call) => this.#answered(call),
      ended: (call) => {
        this.#open.delete(call)
        this.#answered(call)
      },
      fail: (reason) => {
        receiver.closed(reason)
        void this.close()
      },
    }
    if (this.#ended !== undefined) receiver.closed()
  }

  send(message: JSONRPCMessage | JSONRPCBatch, hints?: SendHints): Promise<void> | undefined {
    if (this.#ended !== undefined) return Promise.reject(connectionClosedError())
    if (Array.isArray(message) || !('method' in message)) return this.#sendResponse(message)
    if ('id' in message) return this.#sendRequest(message, hints)
    return this.#sendNotification(message, hints)
  }

  /** A request that can be resumed continues on the server; its stream is closed here until somebody resumes it. */
  release(id: RequestId): void {
    this.#waiting.get(correlationKey(id))?.abort()
  }

  close(): Promise<void> {
    if (this.#ended === undefined) {
      const ended = createDeferred()
      // First of all: a listener that is notified of the end may close again.
      this.#ended = ended.promise
      this.#end().then(ended.resolve, ended.reject)
    }
    return this.#ended
  }

  get #startedHost(): ChannelHost {
    if (this.#host === undefined) throw orderError('This channel is not started')
    return this.#host
  }

  #answered(call: HttpCall): void {
    const key = correlationKey(call.id)
    if (this.#waiting.get(key) === call) this.#waiting.delete(key)
  }

  /** A response may arrive on the stream of another request; then its own stream is no longer needed. */
  #noteResponse(message: unknown): void {
    if (!isPlainObject(message) || message['method'] !== undefined || !isRequestId(message['id'])) return
    this.#waiting.get(correlationKey(message['id']))?.abort()
  }

  #sendRequest(message: JSONRPCRequest, hints: SendHints | undefined): undefined {
    const body = this.#encode(message)
    const mirrored = this.#mirror(hints)
    const rules = this.#rulesOf(message, hints)
    const call = new HttpCall(this.#startedHost, rules, {
      message,
      body,
      headers: mirrored,
      hints,
      after: this.#lastNotification,
    })
    const key = correlationKey(message.id)
    // A response to an earlier request with the same id must not answer this one.
    this.#waiting.get(key)?.abort()
    this.#waiting.set(key, call)
    this.#open.add(call)
    call.start()
    return undefined
  }

  /** Throws `LimitError` before anything is sent where the server is known to reject bodies of this size. */
  #encode(message: JSONRPCMessage | JSONRPCBatch): string {
    const body = encodeMessage(message)
    const breach = this.#options.link.bodyLimit.findBreach(body)
    if (breach !== undefined) throw breach
    return body
  }

  #rulesOf(message: JSONRPCRequest, hints: SendHints | undefined): EraRules {
    if (message.method === 'initialize') return this.#beginInitialize(message)
    const version = hints?.headers?.[PROTOCOL_VERSION_HEADER]
    return version !== undefined && isModernVersion(version) ? this.#modern : this.#legacySession(version)
  }

  /** A legacy handshake ends modern probes that are still open. */
  #beginInitialize(message: JSONRPCRequest): EraRules {
    for (const call of this.#open) if (call.rules === this.#modern) call.abort()
    const session = this.#legacySession(undefined)
    session.begin(message)
    return session.initializeRules
  }

  #legacySession(version: string | undefined): LegacySession {
    this.#session ??= new LegacySession(this.#startedHost)
    if (version !== undefined) this.#session.negotiated(version)
    return this.#session
  }

  async #sendNotification(message: JSONRPCNotification, hints: SendHints | undefined): Promise<void> {
    const body = this.#encode(message)
    if (message.method === CANCELLED) return this.#sendCancelled(message, body)
    const version = hints?.headers?.[PROTOCOL_VERSION_HEADER]
    const isModern = version !== undefined && isModernVersion(version)
    const rules = isModern ? this.#modern : this.#legacySession(version)
    const mirrored = this.#mirror(hints)
    await this.#inOrder(() => this.#post(rules, body, mirrored, `'${message.method}'`))
    if (message.method === INITIALIZED) this.#session?.opened()
  }

  async #sendCancelled(message: JSONRPCNotification, body: string): Promise<void> {
    const id = message.params?.['requestId']
    const call = isRequestId(id) ? this.#waiting.get(correlationKey(id)) : undefined
    const session = this.#session
    // Spec, Cancellation: since 2026-07-28 closing the stream cancels the request, and nothing is sent.
    if (call?.rules.cancelsByClosing === true || session?.isNegotiated !== true) {
      call?.abort()
      return
    }
    try {
      await postOneWay(this.#options.link, {
        body,
        headers: session.prepareSend(NO_HEADERS).headers,
        what: `'${CANCELLED}'`,
        signal: this.#closing.signal,
      })
    } finally {
      // Up to 2025-11-25 a closed stream cancels nothing; the notification does, and the stream is no longer read.
      call?.abort()
    }
  }

  /**
   * A response to a request of the server, which sends some in the legacy era only. The returned promise makes a server wait that
   * sends requests faster than it accepts responses.
   */
  #sendResponse(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const body = this.#encode(message)
    if (this.#session === undefined) return undefined
    const posting = this.#responses.send(body)
    return this.#responses.size > MAX_UNSENT_RESPONSES ? posting : undefined
  }

  async #postResponse(body: string): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const post = () => this.#post(session, body, NO_HEADERS, 'a response')
    try {
      await postUntilAccepted(this.#options.link, this.#closing.signal, post)
    } catch (error) {
      if (this.#ended !== undefined) return
      this.#host?.receiver.fault({ kind: 'write-failed', message: 'The server did not accept a response', error })
    }
  }

  /** One after the other, so that they arrive in the order sent, and before the requests that follow. */
  #inOrder(post: () => Promise<void>): Promise<void> {
    const posting = this.#lastNotification === undefined ? post() : this.#lastNotification.then(post)
    const settled = posting
      .catch(() => {})
      .then(() => {
        if (this.#lastNotification === settled) this.#lastNotification = undefined
      })
    this.#lastNotification = settled
    return posting
  }

  async #post(rules: EraRules, body: string, mirrored: RequestHeaders, what: string): Promise<void> {
    const ready = rules.whenReady()
    if (ready !== undefined) await ready
    const sent = rules.prepareSend(mirrored)
    const { signal } = this.#closing
    try {
      await postOneWay(this.#options.link, { body, headers: sent.headers, what, signal })
    } catch (error) {
      if (!(error instanceof Error) || !rules.isSessionExpired(statusOf(error), sent)) throw error
      await rules.renewSession(sent, error)
      await postOneWay(this.#options.link, { body, headers: rules.prepareSend(mirrored).headers, what, signal })
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
    // Checked one by one only where all together exceed the limit of one.
    if (length > MAX_HEADER_VALUE_LENGTH) assertHeaderLimits(headers)
    this.#lastMirrored = { headers, lowered }
    return lowered
  }

  async #end(): Promise<void> {
    for (const call of this.#open) call.abort()
    this.#host?.receiver.closed()
    if (this.#responses.size > 0) await settlesWithin(this.#responses.whenIdle(), LAST_RESPONSES_MS)
    this.#responses.close()
    this.#closing.abort(connectionClosedError())
    const session = this.#session
    session?.stop()
    if (session?.id !== undefined && this.#options.terminateOnClose)
      await deleteSession(this.#options.link, session.streamHeaders())
    this.#options.onClosed()
  }
}
