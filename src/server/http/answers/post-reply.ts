// The answer to one POST: plain JSON as long as nothing else is to be said, a stream of events from then on.
import type { TransportContext } from '../../../dispatcher/channel.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import type { HttpExchange, ReplyHeaders } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { createDeferred, type Deferred } from '../../../primitives/async/deferred.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import {
  JSONRPC_VERSION,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type RequestId,
} from '../../../types/protocol/jsonrpc.ts'
import type { EventStream } from '../streams/event-stream.ts'
import { HttpTransport } from './http-transport.ts'
import { type BrokenMessage, refusalOf } from './post-content.ts'
import { SESSION_NOT_FOUND } from './refusals.ts'
import { challengeOf, replyError, replyMessage } from './reply.ts'

/**
 * `auto`: JSON unless the handler speaks or takes long. `stream`: a stream at once, so that with an event store no answer is
 * ever lost with its connection. `json`: never a stream; what a handler says before its answer goes to the session's own
 * stream, where the client has opened that, and is dropped otherwise.
 */
export type ResponseMode = 'auto' | 'stream' | 'json'

export const RESPONSE_MODES: ReadonlySet<unknown> = new Set<ResponseMode>(['auto', 'stream', 'json'])

/** What answers have in common. */
export interface ReplyOwner {
  readonly mode: ResponseMode
  /** How long a handler may be silent before its answer becomes a stream. */
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
  openStream(): EventStream
  endStream(stream: EventStream): void
  /** Whether a client can come back to a stream that was closed early. */
  readonly canPoll: boolean
}

/** What a client reads that cancelled its own request: a POST needs some end, or a resumable stream would never have one. */
const CANCELLED = Object.freeze({ code: -32800, message: 'Request cancelled' })

export class PostReply implements Due {
  dueAt = Infinity
  /** Asked when the answer is given, where that is no stream. */
  headers: (() => ReplyHeaders | undefined) | undefined
  readonly ids: readonly RequestId[]
  readonly #exchange: HttpExchange
  readonly #owner: ReplyOwner
  readonly #mode: ResponseMode
  readonly #isBatch: boolean
  readonly #onDone: (reply: PostReply) => void
  #awaited: number
  #stream: EventStream | undefined
  #collected: string[] | undefined
  #isDone = false
  #done: Deferred<void> | undefined

  constructor(
    exchange: HttpExchange,
    owner: ReplyOwner,
    content: { readonly ids: readonly RequestId[]; readonly isBatch: boolean },
    onDone: (reply: PostReply) => void,
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

  /** Whether anything but the answer can be said here. */
  get canSpeak(): boolean {
    return this.#mode !== 'json'
  }

  /** What the handlers of this POST know of the way it came. */
  createTransport(canSendRequest: boolean): TransportContext {
    const closeStream = () => this.#closeStream()
    return new HttpTransport(this.#exchange, { kind: 'streamable-http', canSendRequest, closeStream })
  }

  /** Before any handler runs. */
  begin(): void {
    if (this.#mode === 'stream') this.#openStream()
  }

  /** The handlers have been started. Resolves when all has been answered; `undefined` where that is so already. */
  waitForAnswer(): Promise<void> | undefined {
    if (this.#isDone) return undefined
    if (this.#stream === undefined && this.#mode !== 'json') {
      this.dueAt = monotonicNow() + this.#owner.streamAfterMs
      this.#owner.deadlines.add(this)
    }
    this.#done = createDeferred()
    return this.#done.promise
  }

  onDue(): void {
    if (!this.#isDone) this.#openStream()
  }

  /** Sends something that comes before the answer. */
  speak(text: string): Promise<void> | undefined {
    if (this.#isDone || this.#mode === 'json') return undefined
    return this.#openStream().send(text)
  }

  /** Throws `EncodeError` or `LimitError` where the message cannot be sent, and then nothing has happened. */
  answer(message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    if (this.#isDone) return undefined
    if (this.#stream !== undefined) return this.#answerOnStream(this.#stream, message)
    if (this.#isBatch) return this.#collect(message)
    if (!this.#challenge(message)) replyMessage(this.#exchange, message, this.headers?.())
    this.#finish()
    return undefined
  }

  /** Refuses messages of a batch that nobody works on. */
  refuse(broken: readonly BrokenMessage[]): void {
    for (const one of broken) {
      const refusal = refusalOf(one)
      if (one.id !== undefined) void this.answer(refusal)
      else if (this.#stream !== undefined) void this.#stream.send(encodeMessage(refusal))
      else {
        this.#collected ??= []
        this.#collected.push(encodeMessage(refusal))
      }
    }
  }

  /** A request ended without an answer, because the client cancelled it. */
  unanswered(): void {
    if (this.#isDone) return
    const [id] = this.ids
    if (!this.#isBatch && id !== undefined) void this.answer({ jsonrpc: JSONRPC_VERSION, id, error: CANCELLED })
    else this.#countDown(1)
  }

  /** The session ends, and no answer will come. */
  abandon(): void {
    if (this.#isDone) return
    if (this.#stream === undefined) replyError(this.#exchange, 404, undefined, SESSION_NOT_FOUND)
    this.#finish()
  }

  #answerOnStream(stream: EventStream, message: JSONRPCMessage | JSONRPCBatch): Promise<void> | undefined {
    const writing = stream.send(encodeMessage(message))
    this.#countDown(Array.isArray(message) ? this.#awaited : 1)
    return writing
  }

  /** A refusal for want of scopes says so in the terms of HTTP, which is where clients look for it. */
  #challenge(message: JSONRPCMessage | JSONRPCBatch): boolean {
    if (!('error' in message)) return false
    const challenge = challengeOf(this.#exchange, message.error)
    if (challenge === undefined) return false
    replyError(this.#exchange, 403, message.id ?? undefined, message.error, { 'www-authenticate': challenge })
    return true
  }

  /** The answers to a batch come as one, except where one of them could not be encoded. */
  #collect(message: JSONRPCMessage | JSONRPCBatch): undefined {
    const text = encodeMessage(message)
    if (Array.isArray(message)) {
      this.#reply(text)
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
    else if (this.#collected === undefined) this.#reply(undefined)
    else this.#reply(`[${this.#collected.join(',')}]`)
  }

  #reply(text: string | undefined): void {
    if (text === undefined) this.#exchange.reply(202)
    else this.#exchange.reply(200, text, JSON_HEADERS)
    this.#finish()
  }

  #finish(): void {
    this.#isDone = true
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    if (this.#stream !== undefined) this.#owner.endStream(this.#stream)
    this.#done?.resolve()
    this.#onDone(this)
  }

  #openStream(): EventStream {
    if (this.#stream !== undefined) return this.#stream
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    const stream = this.#owner.openStream()
    this.#stream = stream
    stream.connect(this.#exchange)
    if (this.#owner.canPoll) stream.prime()
    for (const text of this.#collected ?? []) void stream.send(text)
    return stream
  }

  /** Ends the connection early; the client comes back for the rest. Not where it could not, or never got to know a stream. */
  #closeStream(): void {
    if (!this.#isDone && this.#mode !== 'json' && this.#owner.canPoll) this.#openStream().pause()
  }
}
