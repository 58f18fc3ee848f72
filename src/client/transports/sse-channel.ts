// One connection over HTTP+SSE: a stream that brings the server's messages, and a POST for each of the client's.

import type { Channel, ReceiveHints, Receiver, TransportOpenOptions } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS, decodeMessage, type MessageLimits } from '../../dispatcher/decode.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { PeerLimit } from '../../dispatcher/peer-max-bytes.ts'
import { createRejection, identifyMessage, toLostAnswerError } from '../../dispatcher/unreadable.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { type ReadEvent, readServerSentEvents } from '../../http/sse-reader.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { orderError } from '../../primitives/help.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'
import type {
  JSONRPCBatch,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from '../../types/protocol/jsonrpc.ts'
import { errorFromResponse } from './http-errors.ts'
import { noteRetryAfter, postUntilAccepted } from './one-way-post.ts'
import type { OpenPoster } from './open-poster.ts'
import { ResponseQueue, responsesDropped } from './response-queue.ts'
import { parseReconnectOptions } from './retry.ts'

const MAX_ENDPOINT_LENGTH = 8_192

/**
 * The endpoint as a URL, relative to that of the stream. Throws `TransportError` for another origin: messages and tokens are for
 * the server that the user chose.
 */
function resolveEndpoint(text: string, stream: URL): string {
  if (text === '' || text.length > MAX_ENDPOINT_LENGTH || !URL.canParse(text, stream.href)) {
    throw endpointError(stream, 'it is not a URL')
  }
  const endpoint = new URL(text, stream)
  if (endpoint.origin !== stream.origin) throw endpointError(stream, 'it has another origin')
  if (endpoint.username !== '' || endpoint.password !== '') throw endpointError(stream, 'it contains credentials')
  endpoint.hash = ''
  return endpoint.href
}

function endpointError(stream: URL, reason: string): TransportError {
  return new TransportError(`Rejected the endpoint that ${stream.origin} sent for messages: ${reason}`)
}

export interface SseChannelOptions {
  readonly address: URL
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly poster: OpenPoster
  readonly maxEventBytes: number
}

const HINTS: ReceiveHints = Object.freeze({ transport: Object.freeze({ kind: 'sse', canSendRequest: true }) })
/** Of responses to requests of the server. */
const ATTEMPTS = { policy: parseReconnectOptions() }
const EVENT_STREAM = /^text\/event-stream(?:\s*;|\s*$)/i
/** How much of both ends of an unreadable event is searched for its id. */
const ENDS_LENGTH = 1_024
const encoder = new TextEncoder()

export class SseChannel implements Channel {
  readonly #options: SseChannelOptions
  readonly #limits: MessageLimits
  readonly #bodyLimit = new PeerLimit('maxBodyBytes')
  /** Responses to requests of the server that it has not accepted yet. */
  readonly #responses = new ResponseQueue({
    post: (body) => this.#postResponse(body),
    onFull: (waiting) => this.#receiver?.fault(responsesDropped(waiting)),
  })
  readonly #ending = new AbortController()
  readonly #started = createDeferred()
  readonly #endpointReceived = createDeferred()
  #receiver: Receiver | undefined
  #endpoint: string | undefined
  #end: { reason: Error | undefined } | undefined
  #isClosedReported = false

  constructor(options: SseChannelOptions) {
    this.#options = options
    this.#limits = { ...CLIENT_LIMITS, maxBytes: options.maxEventBytes }
  }

  /** Opens the stream and waits for the endpoint that messages go to. Leaves nothing open when that fails. */
  async open(
    timeoutMs: number,
    { signal, hold: holdOpening }: Pick<TransportOpenOptions, 'signal' | 'hold'> = {},
  ): Promise<void> {
    signal?.throwIfAborted()
    const tooLate = () => this.#finish(new TransportError(`The server sent no endpoint within ${timeoutMs} ms`))
    const wait = () => (timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(tooLate, timeoutMs))
    let isWaiting = true
    let timer = wait()
    // The timeout pauses while the user logs in.
    const hold = () => {
      clearTimeout(timer)
      const release = holdOpening?.()
      return () => {
        release?.()
        if (isWaiting) timer = wait()
      }
    }
    const abort = () => this.#finish(signal?.reason as Error)
    if (signal) listenForAbort(signal, abort)
    try {
      void this.#read(hold)
      await this.#endpointReceived.promise
    } finally {
      isWaiting = false
      clearTimeout(timer)
      if (signal) forgetAbort(signal, abort)
    }
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw orderError('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    this.#started.resolve()
    if (this.#end !== undefined) this.#reportClosed()
  }

  async send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> {
    const body = encodeMessage(message)
    const breach = this.#bodyLimit.findBreach(body)
    if (breach !== undefined) throw breach
    if (this.#endpoint === undefined || this.#end !== undefined) throw this.#closedError()
    if (Array.isArray(message) || !('method' in message)) return this.#responses.send(body)
    try {
      await this.#post(this.#endpoint, body, message)
    } catch (error) {
      if (this.#end !== undefined) throw this.#closedError()
      this.#reportUnsent(message, error)
    }
  }

  close(): void {
    this.#finish(undefined)
  }

  async #postResponse(body: string): Promise<void> {
    const endpoint = this.#endpoint
    if (endpoint === undefined) return
    try {
      await postUntilAccepted(ATTEMPTS, this.#ending.signal, () => this.#post(endpoint, body, undefined))
    } catch (error) {
      if (this.#end === undefined) this.#reportUnsent(undefined, error)
    }
  }

  async #read(hold: () => () => void): Promise<void> {
    try {
      const { address, headers, maxEventBytes } = this.#options
      const response = await this.#options.poster.post({
        method: 'GET',
        url: address.href,
        headers: { accept: 'text/event-stream', 'cache-control': 'no-store', ...headers },
        signal: this.#ending.signal,
        hold,
      })
      await assertEventStream(response)
      const stream = new URL(response.url)
      await readServerSentEvents(response.chunks(), { maxEventBytes, onEvent: (event) => this.#onEvent(event, stream) })
      this.#finish(new TransportError(`${address.origin} ended the stream of events. Connect again.`))
    } catch (error) {
      this.#finish(error instanceof Error ? error : new TransportError('The stream of events failed', { cause: error }))
    }
  }

  #onEvent(event: ReadEvent, stream: URL): Promise<void> | undefined {
    if (event.event === 'endpoint') {
      this.#setEndpoint(resolveEndpoint(event.data, stream))
      return undefined
    }
    const isMessage = event.event === undefined || event.event === 'message'
    // Some servers keep the stream alive with empty events.
    if (!isMessage || event.data === '') return undefined
    // Spec, Transports: `endpoint` is the first event. Nobody reads messages before it has come.
    if (this.#endpoint === undefined) throw new TransportError(`${stream.origin} sent a message before its endpoint`)
    // Messages that arrive before `start` are not read yet.
    if (this.#receiver === undefined) return this.#started.promise.then(() => this.#deliver(event.data))
    return this.#deliver(event.data)
  }

  #setEndpoint(endpoint: string): void {
    if (this.#endpoint === undefined) {
      this.#endpoint = endpoint
      this.#endpointReceived.resolve()
    } else if (this.#endpoint !== endpoint) {
      this.#receiver?.fault({ kind: 'transport', message: 'The server sent a second endpoint, which was ignored' })
    }
  }

  #deliver(data: string): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined
    let message: unknown
    try {
      message = (this.#receiver?.decode ?? decodeMessage)(data, this.#limits)
    } catch (error) {
      this.#reportUnreadable(data, error)
      return undefined
    }
    return this.#receiver?.message(message, HINTS)
  }

  async #post(url: string, body: string, message: JSONRPCRequest | JSONRPCNotification | undefined): Promise<void> {
    const { headers, poster } = this.#options
    const { signal } = this.#ending
    const response = await poster.post({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal,
    })
    if (response.status < 200 || response.status > 299) {
      const id = message && requestIdOf(message)
      const error = await errorFromResponse(response, 'The server rejected the message', id)
      this.#bodyLimit.note(error)
      noteRetryAfter(error, response)
      throw error
    }
    response.cancel()
  }

  /** A failed POST fails only its own call; the stream goes on. */
  #reportUnsent(message: JSONRPCRequest | JSONRPCNotification | undefined, error: unknown): void {
    const reason = error instanceof Error ? error : new TransportError('The message was not sent', { cause: error })
    const id = message && requestIdOf(message)
    if (id !== undefined) this.#receiver?.lost(id, reason)
    else this.#receiver?.fault({ kind: 'write-failed', message: reason.message, error: reason })
  }

  #reportUnreadable(data: string, error: unknown): void {
    const problem = error instanceof Error ? error : new Error('unreadable')
    const message = problem instanceof LimitError ? problem.message : 'Skipped an event that is not valid JSON'
    this.#receiver?.fault({ kind: 'transport', message, error: problem })
    const ends = identifyMessage(encoder.encode(data.slice(0, ENDS_LENGTH)), encoder.encode(data.slice(-ENDS_LENGTH)))
    if (ends.id === undefined) return
    if (ends.kind === 'answer') this.#receiver?.lost(ends.id, toLostAnswerError(problem, data))
    const rejection = createRejection(problem, ends)
    if (rejection !== undefined) this.send(rejection).catch(() => {})
  }

  #finish(reason: Error | undefined): void {
    if (this.#end !== undefined) return
    this.#end = { reason }
    this.#responses.close()
    this.#ending.abort(this.#closedError())
    this.#options.poster.close()
    this.#endpointReceived.reject(reason ?? this.#closedError())
    this.#started.resolve()
    this.#reportClosed()
  }

  #closedError(): Error {
    return this.#end?.reason ?? new TransportError(`The connection to ${this.#options.address.origin} was closed`)
  }

  #reportClosed(): void {
    if (this.#isClosedReported || this.#receiver === undefined) return
    this.#isClosedReported = true
    this.#receiver.closed(this.#end?.reason)
  }
}

async function assertEventStream(response: PostResponse): Promise<void> {
  const isStream = response.status === 200 && EVENT_STREAM.test(response.header('content-type') ?? '')
  if (!isStream) throw await explainResponse(response, 'The stream of events could not be opened')
}

function requestIdOf(message: JSONRPCRequest | JSONRPCNotification): RequestId | undefined {
  return 'id' in message ? message.id : undefined
}
