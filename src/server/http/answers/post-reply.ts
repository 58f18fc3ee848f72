// The answer to one POST, in both eras: JSON as long as nothing else is sent, an event stream from then on.
import type { TransportContext } from '../../../dispatcher/channel.ts'
import type { Outbound } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { disclose, INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import type { HttpExchange, ReplyHeaders } from '../../../http/exchange.ts'
import { accepts, JSON_HEADERS, JSON_TYPE } from '../../../http/media-type.ts'
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { createDeferred, type Deferred } from '../../../primitives/async/promises.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import { NoBackChannelError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import {
  type ErrorData,
  JSONRPC_VERSION,
  type JSONRPCBatch,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type RequestId,
} from '../../../types/protocol/jsonrpc.ts'
import { BoundedSink, type SinkSettings } from '../streams/bounded-sink.ts'
import { HttpTransport } from './http-transport.ts'
import { type BrokenMessage, rejectionOf } from './post-content.ts'
import { challengeOf, replyError, replyMessage, SESSION_NOT_FOUND } from './reply.ts'

/**
 * `auto`: JSON unless the handler sends something before its result, or takes long. `stream`: always a stream, so that with an
 * event store no answer is lost with its connection. `json`: never a stream; what a handler sends before its result goes to the
 * session's own stream, where the client has opened that, and is dropped otherwise.
 */
export type ResponseMode = 'auto' | 'stream' | 'json'

/** The stream that a reply becomes. */
interface ReplyStream {
  /** `isLast`: nothing follows. A promise in return means: wait for the reader before you send more. */
  send(text: string, isLast?: boolean): Promise<void> | undefined
  /** As `send`, for a message that somebody waits for an answer to: rejects where the client cannot get it. */
  ask?(text: string): Promise<void> | undefined
  /** Ends the connection early, where the client can reconnect for the rest. */
  pause?(): void
  end(): void
}

/** What the replies of an endpoint or a session share. */
export interface ReplyOwner {
  readonly mode: ResponseMode
  /** How long a handler may send nothing before its answer becomes a stream. */
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
  readonly faults: FaultReporter
  /** Whether a client can reconnect to a stream that was closed early. */
  readonly canPoll: boolean
  /** The HTTP status of an error, as long as there is no stream. */
  statusOf(code: number): number
  /** For the answers to these requests. */
  openStream(exchange: HttpExchange, ids: readonly RequestId[]): ReplyStream
  endStream(stream: ReplyStream): void
}

type StatelessSettings = Pick<ReplyOwner, 'mode' | 'streamAfterMs' | 'deadlines' | 'faults' | 'statusOf'>

/** Replies outside of sessions: a client cannot resume their streams. */
export function createStatelessReplies(settings: StatelessSettings, sinks: SinkSettings): ReplyOwner {
  return {
    ...settings,
    canPoll: false,
    openStream: (exchange) => new BoundedSink(exchange.stream(), sinks),
    endStream: (stream) => stream.end(),
  }
}

/** The answer to a request that its client cancelled: without an answer, a resumable stream would have no end. */
const CANCELLED: ErrorData = Object.freeze({ code: -32800, message: 'Request cancelled' })

/** As an `Outbound` it sends what a handler without a back channel may send: notifications, before the result. */
export class PostReply implements Outbound, Due {
  /** When the answer becomes a stream if nothing was sent until then. */
  dueAt = Infinity
  /** Of `Due`; declared so that all replies have one hidden class. */
  place: number | undefined = undefined
  /** Called when the answer is given, where that is no stream. */
  headers: (() => ReplyHeaders | undefined) | undefined
  readonly ids: readonly RequestId[]
  readonly #exchange: HttpExchange
  readonly #owner: ReplyOwner
  readonly #mode: ResponseMode
  readonly #isBatch: boolean
  readonly #onDone: ((reply: PostReply) => void) | undefined
  #awaited: number
  #stream: ReplyStream | undefined
  #collected: string[] | undefined
  #isDone = false
  #done: Deferred<void> | undefined

  constructor(
    exchange: HttpExchange,
    owner: ReplyOwner,
    content: { readonly ids: readonly RequestId[]; readonly isBatch: boolean },
    onDone?: (reply: PostReply) => void,
    mode: ResponseMode = owner.mode,
  ) {
    this.#exchange = exchange
    this.#owner = owner
    this.#mode = mode
    this.ids = content.ids
    this.#isBatch = content.isBatch
    this.#awaited = content.ids.length
    this.#onDone = onDone
  }

  /** Whether anything but the answer can be sent here. */
  get canStream(): boolean {
    return this.#mode !== 'json'
  }

  /** What the handlers of this POST can know of its transport. */
  createTransport(canSendRequest: boolean): TransportContext {
    const closeStream = () => this.#closeStream()
    return new HttpTransport(this.#exchange, { kind: 'streamable-http', canSendRequest, closeStream })
  }

  /** Call it before any handler runs. */
  begin(): void {
    if (this.#mode === 'stream') this.#openStream()
  }

  /** Opens the stream later if the handlers send nothing for long, so that no proxy closes the connection. */
  streamLater(): void {
    if (this.#isDone || this.#stream !== undefined || this.#mode === 'json') return
    this.dueAt = monotonicNow() + this.#owner.streamAfterMs
    this.#owner.deadlines.add(this)
  }

  onDue(): void {
    if (!this.#isDone) this.#openStream()
  }

  /** Call it when the handlers have started. Resolves when everything was answered; `undefined` if that is so already. */
  waitForAnswer(): Promise<void> | undefined {
    if (this.#isDone) return undefined
    this.streamLater()
    this.#done = createDeferred()
    return this.#done.promise
  }

  /** Sends a message that comes before the answer. It is dropped where there is no stream, and after the answer. */
  send(text: string): Promise<void> | undefined {
    if (this.#isDone || this.#mode === 'json') return undefined
    return this.#openStream().send(text)
  }

  /** Sends a request to the client. Rejects where the client cannot get it. */
  ask(text: string): Promise<void> | undefined {
    if (this.#isDone || this.#mode === 'json') return undefined
    const stream = this.#openStream()
    return stream.ask === undefined ? stream.send(text) : stream.ask(text)
  }

  async notify(method: string, params?: JSONObject): Promise<void> {
    if (this.#isDone || this.#mode === 'json') return
    let text: string
    try {
      text = encodeMessage(params === undefined ? { method, ...RPC } : { params, method, ...RPC })
    } catch (error) {
      this.#owner.faults.report({
        kind: 'write-failed',
        message: `The notification '${method}' was not sent.`,
        method,
        error,
      })
      return
    }
    await this.send(text)
  }

  /** Without a session, a server cannot send requests: no later POST could bring the response to this handler. */
  sendRawRequest(method: string): Promise<JSONObject> {
    return Promise.reject(new NoBackChannelError(method))
  }

  /** Answers a request with the result of its handler. */
  succeed(id: RequestId, result: JSONObject, method: string): void {
    try {
      void this.answer({ jsonrpc: JSONRPC_VERSION, id, result })
    } catch (error) {
      this.#reportFailure(`The result of '${method}' could not be written.`, id, method, error)
      this.reject(id, INTERNAL_ERROR)
    }
  }

  /** Answers a request whose handler threw, with what the client may read of that. */
  fail(id: RequestId, error: unknown, method: string): void {
    const { data, hidden } = disclose(error)
    if (hidden && !this.#isDone) this.#reportFailure(`The handler of '${method}' failed.`, id, method, error)
    this.reject(id, data)
  }

  /** Answers a request with an error, or with `INTERNAL_ERROR` where its data cannot be written. */
  reject(id: RequestId, error: ErrorData, status?: number): void {
    try {
      void this.answer({ jsonrpc: JSONRPC_VERSION, id, error }, status)
    } catch (cause) {
      this.#owner.faults.report({ kind: 'write-failed', message: 'An error could not be written.', error: cause })
      void this.answer({ jsonrpc: JSONRPC_VERSION, id, error: INTERNAL_ERROR }, status)
    }
  }

  /** Answers the messages of a batch that no handler gets. */
  rejectBroken(broken: readonly BrokenMessage[]): void {
    for (const one of broken) {
      const rejection = rejectionOf(one)
      if (one.id !== undefined) void this.answer(rejection)
      else if (this.#stream !== undefined) void this.#stream.send(encodeMessage(rejection))
      else {
        this.#collected ??= []
        this.#collected.push(encodeMessage(rejection))
      }
    }
  }

  /** Throws `EncodeError` or `LimitError` where the message cannot be sent; then nothing was answered. */
  answer(message: JSONRPCMessage | JSONRPCBatch, errorStatus?: number): Promise<void> | undefined {
    if (this.#isDone) return undefined
    if (this.#stream !== undefined) return this.#answerOnStream(this.#stream, message)
    if (this.#isBatch) return this.#collect(message)
    if ('error' in message) this.#replyError(message, errorStatus)
    // Spec 2026-07-28: either type will do. A legacy client accepts both.
    else if (!accepts(this.#exchange, JSON_TYPE)) return this.#answerOnStream(this.#openStream(), message)
    else replyMessage(this.#exchange, message, this.headers?.())
    this.#finish()
    return undefined
  }

  /** A request ended without an answer, because the client cancelled it. */
  endUnanswered(): void {
    if (this.#isDone) return
    const [id] = this.ids
    if (!this.#isBatch && id !== undefined) this.reject(id, CANCELLED)
    else this.#countDown(1)
  }

  /** The session ends, and no answer will come. */
  endWithSession(): void {
    if (this.#isDone) return
    if (this.#stream === undefined) replyError(this.#exchange, 404, undefined, SESSION_NOT_FOUND)
    this.#finish()
  }

  /** The client has disconnected: nothing more is written. */
  drop(): void {
    if (!this.#isDone) this.#finish()
  }

  /** An error for missing scopes is a 403 with a challenge, which is where clients look for it. */
  #replyError({ id, error }: JSONRPCErrorResponse, status: number | undefined): void {
    const challenge = challengeOf(this.#exchange, error)
    if (challenge !== undefined) {
      replyError(this.#exchange, 403, id, error, { 'www-authenticate': challenge })
    } else {
      replyError(this.#exchange, status ?? this.#owner.statusOf(error.code), id, error, this.headers?.())
    }
  }

  #answerOnStream(stream: ReplyStream, message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const answers = Array.isArray(message) ? this.#awaited : 1
    const writing = stream.send(encodeMessage(message), answers >= this.#awaited)
    this.#countDown(answers)
    return writing
  }

  /** The answers to a batch are one array, except where one of them could not be encoded. */
  #collect(message: JSONRPCMessage | JSONRPCBatch): undefined {
    const text = encodeMessage(message)
    if (Array.isArray(message)) {
      this.#replyText(text)
      return undefined
    }
    this.#collected ??= []
    this.#collected.push(text)
    this.#countDown(1)
    return undefined
  }

  #countDown(answers: number): void {
    this.#awaited -= answers
    if (this.#awaited > 0) return
    if (this.#stream !== undefined) this.#finish()
    else if (this.#collected === undefined) this.#replyText(undefined)
    else this.#replyText(`[${this.#collected.join(',')}]`)
  }

  #replyText(text: string | undefined): void {
    if (text === undefined) this.#exchange.reply(202)
    else this.#exchange.reply(200, text, JSON_HEADERS)
    this.#finish()
  }

  #finish(): void {
    this.#isDone = true
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    if (this.#stream !== undefined) this.#owner.endStream(this.#stream)
    this.#done?.resolve()
    this.#onDone?.(this)
  }

  #openStream(): ReplyStream {
    if (this.#stream !== undefined) return this.#stream
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    const stream = this.#owner.openStream(this.#exchange, this.ids)
    this.#stream = stream
    for (const text of this.#collected ?? []) void stream.send(text)
    return stream
  }

  /** Ends the connection early; the client reconnects for the rest. Not where it could not. */
  #closeStream(): void {
    if (!this.#isDone && this.#mode !== 'json' && this.#owner.canPoll) {
      this.#openStream()
      this.#stream?.pause?.()
    }
  }

  #reportFailure(message: string, requestId: RequestId, method: string, error: unknown): void {
    this.#owner.faults.report({ kind: 'handler-failed', message, method, requestId, error })
  }
}

const RPC = { jsonrpc: JSONRPC_VERSION } as const
