// One connection over HTTP+SSE: the stream that brings messages, and the posts that take ours away.
import type { Channel, ReceiveHints, Receiver, TransportOpenOptions } from '../../dispatcher/channel.ts'
import { CLIENT_LIMITS, decodeMessage, type MessageLimits } from '../../dispatcher/decode.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { readEnds } from '../../dispatcher/message-ends.ts'
import { PeerLimit } from '../../dispatcher/peer-limit.ts'
import { lossOf, refusalOf } from '../../dispatcher/unreadable.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { type ReadEvent, readServerSentEvents } from '../../http/sse-reader.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'
import type {
  JSONRPCBatch,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from '../../types/protocol/jsonrpc.ts'
import { explainRefusal } from './http-errors.ts'
import type { OpenPoster } from './open-poster.ts'
import { AnswerQueue, answersDropped } from './response-queue.ts'

const MAX_LENGTH = 8_192

/**
 * The endpoint as a URL, relative to that of the stream. Throws `TransportError` where it leads to another origin: messages and
 * tokens are for the server we chose.
 */
function resolveEndpoint(text: string, stream: URL): string {
  if (text === '' || text.length > MAX_LENGTH || !URL.canParse(text, stream.href)) {
    throw refusal(stream, 'it is no URL')
  }
  const endpoint = new URL(text, stream)
  if (endpoint.origin !== stream.origin) throw refusal(stream, 'it is of another origin')
  if (endpoint.username !== '' || endpoint.password !== '') throw refusal(stream, 'it holds credentials')
  endpoint.hash = ''
  return endpoint.href
}

function refusal(stream: URL, reason: string): TransportError {
  return new TransportError(`Refused the endpoint that ${stream.origin} named for messages: ${reason}`)
}

export interface SseChannelOptions {
  readonly address: URL
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly poster: OpenPoster
  readonly maxEventBytes: number
}

const HINTS: ReceiveHints = Object.freeze({ transport: Object.freeze({ kind: 'sse', canSendRequest: true }) })
const EVENT_STREAM = /^text\/event-stream(?:\s*;|\s*$)/i
/** Enough for what is looked at. */
const ENDS_LENGTH = 1_024
const encoder = new TextEncoder()

export class SseChannel implements Channel {
  readonly #options: SseChannelOptions
  readonly #limits: MessageLimits
  readonly #bodyLimit = new PeerLimit('maxBodyBytes')
  /** Answers of ours that the server has not taken yet. */
  readonly #answers = new AnswerQueue({
    post: (body) => this.#postAnswer(body),
    onFull: (waiting) => this.#receiver?.fault(answersDropped(waiting)),
  })
  readonly #ending = new AbortController()
  readonly #started = createDeferred()
  readonly #named = createDeferred()
  #receiver: Receiver | undefined
  #endpoint: string | undefined
  #end: { reason: Error | undefined } | undefined
  #isClosedTold = false

  constructor(options: SseChannelOptions) {
    this.#options = options
    this.#limits = { ...CLIENT_LIMITS, maxBytes: options.maxEventBytes }
  }

  /** Opens the stream and waits until the server has said where messages go. Leaves nothing open when that fails. */
  async open(
    timeoutMs: number,
    { signal, hold: holdOpening }: Pick<TransportOpenOptions, 'signal' | 'hold'> = {},
  ): Promise<void> {
    signal?.throwIfAborted()
    const tooLate = () => this.#finish(new TransportError(`The server named no endpoint within ${timeoutMs} ms`))
    const wait = () => (timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(tooLate, timeoutMs))
    let isWaiting = true
    let timer = wait()
    // Nobody who logs in can be hurried.
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
      await this.#named.promise
    } finally {
      isWaiting = false
      clearTimeout(timer)
      if (signal) forgetAbort(signal, abort)
    }
  }

  start(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new Error('This channel is in use; a channel belongs to one dispatcher')
    this.#receiver = receiver
    this.#started.resolve()
    if (this.#end !== undefined) this.#tellClosed()
  }

  async send(message: JSONRPCMessage | JSONRPCBatch): Promise<void> {
    const body = encodeMessage(message)
    const breach = this.#bodyLimit.findBreach(body)
    if (breach !== undefined) throw breach
    if (this.#endpoint === undefined || this.#end !== undefined) throw this.#refusal()
    if (Array.isArray(message) || !('method' in message)) return this.#answers.send(body)
    try {
      await this.#post(this.#endpoint, body, message)
    } catch (error) {
      if (this.#end !== undefined) throw this.#refusal()
      this.#reportUnsent(message, error)
    }
  }

  close(): void {
    this.#finish(undefined)
  }

  async #postAnswer(body: string): Promise<void> {
    try {
      if (this.#endpoint !== undefined) await this.#post(this.#endpoint, body, undefined)
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
      await readServerSentEvents(response.chunks(), { maxEventBytes, onEvent: (event) => this.#take(event, stream) })
      this.#finish(new TransportError(`${address.origin} ended the stream of events; connect again`))
    } catch (error) {
      this.#finish(error instanceof Error ? error : new TransportError('The stream of events failed', { cause: error }))
    }
  }

  #take(event: ReadEvent, stream: URL): Promise<void> | undefined {
    if (event.event === 'endpoint') {
      this.#takeEndpoint(resolveEndpoint(event.data, stream))
      return undefined
    }
    const isMessage = event.event === undefined || event.event === 'message'
    // Some servers keep the stream alive with events that say nothing.
    if (!isMessage || event.data === '') return undefined
    // What comes before anybody listens waits on the wire.
    if (this.#receiver === undefined) return this.#started.promise.then(() => this.#deliver(event.data))
    return this.#deliver(event.data)
  }

  #takeEndpoint(endpoint: string): void {
    if (this.#endpoint === undefined) {
      this.#endpoint = endpoint
      this.#named.resolve()
    } else if (this.#endpoint !== endpoint) {
      this.#receiver?.fault({ kind: 'transport', message: 'The server named a second endpoint, which was ignored' })
    }
  }

  #deliver(data: string): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined
    let message: unknown
    try {
      message = decodeMessage(data, this.#limits)
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
      const error = await explainRefusal(response, 'The message was not accepted', id)
      this.#bodyLimit.note(error)
      throw error
    }
    response.cancel()
  }

  /** A post that failed costs the call it carried; the stream may well go on. */
  #reportUnsent(message: JSONRPCRequest | JSONRPCNotification | undefined, error: unknown): void {
    const reason = error instanceof Error ? error : new TransportError('The message was not sent', { cause: error })
    const id = message && requestIdOf(message)
    if (id !== undefined) this.#receiver?.lost(id, reason)
    else this.#receiver?.fault({ kind: 'write-failed', message: reason.message, error: reason })
  }

  #reportUnreadable(data: string, error: unknown): void {
    const problem = error instanceof Error ? error : new Error('unreadable')
    const message = problem instanceof LimitError ? problem.message : 'Skipped an event that is no JSON'
    this.#receiver?.fault({ kind: 'transport', message, error: problem })
    const ends = readEnds(encoder.encode(data.slice(0, ENDS_LENGTH)), encoder.encode(data.slice(-ENDS_LENGTH)))
    if (ends.id === undefined) return
    if (ends.kind === 'answer') this.#receiver?.lost(ends.id, lossOf(problem))
    const refusal = refusalOf(problem, ends)
    if (refusal !== undefined) this.send(refusal).catch(() => {})
  }

  #finish(reason: Error | undefined): void {
    if (this.#end !== undefined) return
    this.#end = { reason }
    this.#answers.close()
    this.#ending.abort(this.#refusal())
    this.#options.poster.close()
    this.#named.reject(reason ?? this.#refusal())
    this.#started.resolve()
    this.#tellClosed()
  }

  #refusal(): Error {
    return this.#end?.reason ?? new TransportError(`The connection to ${this.#options.address.origin} was closed`)
  }

  #tellClosed(): void {
    if (this.#isClosedTold || this.#receiver === undefined) return
    this.#isClosedTold = true
    this.#receiver.closed(this.#end?.reason)
  }
}

async function assertEventStream(response: PostResponse): Promise<void> {
  const isStream = response.status === 200 && EVENT_STREAM.test(response.header('content-type') ?? '')
  if (!isStream) throw await explainResponse(response, 'No stream of events could be opened')
}

function requestIdOf(message: JSONRPCRequest | JSONRPCNotification): RequestId | undefined {
  return 'id' in message ? message.id : undefined
}
