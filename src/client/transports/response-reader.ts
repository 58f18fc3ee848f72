// Reads the JSON-RPC response to one request, as JSON or as events, over one HTTP response or several.

import type { ReceiveHints, Receiver, SendHints } from '../../dispatcher/channel.ts'
import { decodeMessage } from '../../dispatcher/decode.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import type { ReadEvent } from '../../http/sse-reader.ts'
import { callBack } from '../../primitives/async/call-back.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { type ByteTools, WEB_BYTES } from '../../primitives/byte-tools.ts'
import { withHelp } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { withExcerpt } from '../../primitives/received-excerpt.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import type { EraRules, PendingRequest } from './era-rules.ts'
import { openEventStream, readEvents } from './event-stream.ts'
import { type HttpLink, hasMediaType } from './http-link.ts'
import { isConnectionFailure } from './http-status.ts'
import { EventCursor, resumeStream } from './resume.ts'
import { Backoff, type RetryableFailure, streamLostError } from './retry.ts'

/** How long a server may leave a stream open after the response, which ends it. */
const LINGER_MS = 1_000
/** A body that comes as bytes was found to be UTF-8, and long ones are not worth a second look. */
const CHECKED: ByteTools = { ...WEB_BYTES, isUTF8: () => true }

export interface ResponseReaderOptions {
  readonly link: HttpLink
  readonly receiver: Receiver
  readonly rules: EraRules
  readonly request: PendingRequest
  readonly hints: SendHints | undefined
  /** Aborted when nobody waits any more. Called only where a stream is resumed. */
  signal(): AbortSignal
  onAnswered(): void
  /** The response has arrived, but the server leaves the stream open. */
  onLinger(): void
}

export class ResponseReader {
  /** Whether the JSON-RPC response has arrived. */
  isAnswered = false
  readonly #options: ResponseReaderOptions
  #cursor: EventCursor | undefined
  #receiveHints: ReceiveHints | undefined
  #linger: Timer | undefined

  constructor(options: ResponseReaderOptions) {
    this.#options = options
  }

  /** Up to the JSON-RPC response or a failure. Rejects where this can be no such response, or exceeds a limit. */
  async read(response: PostResponse): Promise<RetryableFailure | undefined> {
    const type = response.header('content-type')
    // Spec, Streamable HTTP: 202 is for messages that have no response.
    if (response.status !== 202 && hasMediaType(type, 'application/json')) return this.#readJson(response)
    if (response.status !== 202 && hasMediaType(type, 'text/event-stream')) return this.#readStream(response)
    throw await explainResponse(response, `'${this.#method}' got no JSON-RPC response`)
  }

  /** Spec 2025-11-25, Streamable HTTP: a GET with the last event id resumes the stream, whatever opened it. */
  async resume(cursor: EventCursor): Promise<undefined> {
    this.#cursor = cursor
    const { link, rules } = this.#options
    const signal = this.#options.signal()
    const headers = rules.streamHeaders()
    const what = `The stream of '${this.#method}' could not be resumed`
    await resumeStream({
      cursor,
      signal,
      policy: link.policy,
      backoff: new Backoff(link.policy),
      isBackground: false,
      isDone: () => this.isAnswered,
      connect: () =>
        openEventStream(link, {
          cursor,
          headers,
          what,
          signal,
          endsWhenSilent: false,
          onEvent: this.#onEvent,
          onId: this.#onId,
        }),
    })
    return undefined
  }

  stop(): void {
    clearTimeout(this.#linger)
  }

  get #method(): string {
    return this.#options.request.method
  }

  async #readJson(response: PostResponse): Promise<RetryableFailure | undefined> {
    const { link, receiver } = this.#options
    let text: string | Uint8Array
    try {
      // Whoever keeps the text of long messages has no use for them as strings.
      const reading = receiver.decode === undefined ? undefined : response.textOrBytes?.(link.limits.maxBytes)
      text = await (reading ?? response.text(link.limits.maxBytes))
    } catch (error) {
      return this.#brokenOff(error)
    }
    void this.#deliver(this.#decode(text, response.status))
    if (this.isAnswered) return undefined
    const message = `The body of the HTTP response to '${this.#method}' holds no JSON-RPC response to it`
    const error = withHelp('not-an-mcp-server', new TransportError(message, { status: response.status }))
    throw withExcerpt(error, text)
  }

  async #readStream(response: PostResponse): Promise<RetryableFailure | undefined> {
    const { link, rules } = this.#options
    const cursor = new EventCursor()
    this.#cursor = cursor
    let failure: RetryableFailure | undefined
    try {
      const endsWhenSilent = requestFacts(this.#method)?.staysOpen === true
      await readEvents(response, link, { cursor, endsWhenSilent, onEvent: this.#onEvent, onId: this.#onId })
    } catch (error) {
      failure = this.#brokenOff(error)
    }
    if (this.isAnswered) return undefined
    const canResume = rules.canResume && link.policy.maxAttempts > 0
    if (canResume && cursor.lastEventId !== undefined) {
      if (failure === undefined) link.health.streamClosed(this.#options.request.id, cursor.retryMs)
      return this.resume(cursor)
    }
    return failure ?? { error: streamLostError(this.#method) }
  }

  /** The connection broke off while the HTTP response was being read. Throws every other error. */
  #brokenOff(error: unknown): RetryableFailure {
    if (!isConnectionFailure(error)) throw error
    return { error: streamLostError(this.#method, error) }
  }

  readonly #onId = (id: string): void => {
    const { hints, receiver } = this.#options
    if (hints?.onResumptionToken === undefined) return
    const { method } = this.#options.request
    const message = `onResumptionToken of '${method}' threw`
    callBack(hints.onResumptionToken, id, (error) =>
      receiver.fault({ kind: 'callback-failed', message, method, error }),
    )
  }

  readonly #onEvent = (event: ReadEvent): Promise<void> | undefined => {
    if (this.#cursor?.accept(event) === false) return undefined
    if (event.id !== undefined) this.#onId(event.id)
    // Spec 2025-11-25: an event with an id and no data only says where to resume.
    if (event.data === '' || (event.event !== undefined && event.event !== 'message')) return undefined
    const pressure = this.#deliver(this.#decode(event.data, 200))
    if (this.isAnswered) this.#startLingerTimer()
    return pressure
  }

  #deliver(message: unknown): Promise<void> | undefined {
    const { link, receiver, rules, request } = this.#options
    link.health.responded()
    const violation = rules.findViolation(message, request)
    if (violation !== undefined) {
      const text = `On the stream of '${request.method}' the server sent ${violation}. The message was dropped.`
      receiver.fault({ kind: 'invalid-message', message: text, method: request.method, requestId: request.id })
      return undefined
    }
    if (this.#claimResponse(message)) {
      if (this.isAnswered) return undefined
      this.isAnswered = true
      this.#options.onAnswered()
    }
    this.#receiveHints ??= { transport: rules.transport, relatedRequestId: request.id }
    return receiver.message(message, this.#receiveHints)
  }

  /** Whether this is the response; the response to a retry gets the id that the caller knows. */
  #claimResponse(message: unknown): boolean {
    if (Array.isArray(message)) return message.filter((each) => this.#claimResponse(each)).length > 0
    if (!isPlainObject(message) || message['method'] !== undefined) return false
    const { id } = message
    if (id === undefined || id === null) return message['error'] !== undefined
    const { wireId, id: ownId } = this.#options.request
    if (!isRequestId(id) || correlationKey(id) !== correlationKey(wireId)) return false
    if (wireId !== ownId) message['id'] = ownId
    return true
  }

  #decode(text: string | Uint8Array, status: number): unknown {
    try {
      return (this.#options.receiver.decode ?? decodeMessage)(text, this.#options.link.limits, CHECKED)
    } catch (cause) {
      if (cause instanceof LimitError) throw cause
      const message = `The server's response to '${this.#method}' is not valid JSON`
      throw withExcerpt(new TransportError(message, { status, cause }), text)
    }
  }

  #startLingerTimer(): void {
    if (this.#linger !== undefined) return
    this.#linger = setTimeout(() => this.#options.onLinger(), LINGER_MS)
    unref(this.#linger)
  }
}
