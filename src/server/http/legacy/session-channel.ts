// The channel of a session: messages come in by POST; each message out goes to the POST it belongs to, or to the GET stream.

import type { Channel, Receiver, SendHints } from '../../../dispatcher/channel.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { connectionClosedError } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange, ReplyHeaders } from '../../../http/exchange.ts'
import { LazyMap } from '../../../primitives/lazy-collections.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import {
  JSONRPC_VERSION,
  type JSONRPCBatch,
  type JSONRPCMessage,
  type RequestId,
} from '../../../types/protocol/jsonrpc.ts'
import { LIST_CHANGES } from '../../../wire/method-rows.ts'
import { toNotification } from '../../subscriptions/subscriptions.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import type { PostContent } from '../answers/post-content.ts'
import { PostReply, type ReplyOwner } from '../answers/post-reply.ts'
import { rejectInvalid, rejectTemporarily, rejectUnknownSession } from '../answers/reply.ts'
import type { Standalone } from './session-streams.ts'

/** Requests of one session that wait for their answers. */
const MAX_IN_FLIGHT = 256

/** The notifications that go to every session when a list changes: one text for all of them, also in the event store. */
const LIST_CHANGE_TEXTS: ReadonlyMap<string, string> = new Map(
  LIST_CHANGES.map((type) => {
    const { method } = toNotification({ type })
    return [method, encodeMessage({ jsonrpc: JSONRPC_VERSION, method })]
  }),
)

interface InitializeAnswer {
  createHeaders(): ReplyHeaders | undefined
  onAnswered(): void
  /** Answers with a result, where other nodes must know the session first. */
  readonly answer?: ((reply: PostReply, message: JSONRPCMessage) => Promise<void>) | undefined
}

/** Where the messages of a POST go that the handlers of this node wait for. */
export interface LocalMessages {
  /** Whether a request of the client waits for its answer here. */
  isOpen(id: RequestId): boolean
  /** What it returns resolves when the POST is answered. */
  receive(exchange: HttpExchange, body: unknown, content: PostContent): Promise<void> | undefined
}

/** Finds the messages of a POST that another node waits for. */
export interface MessageRouter {
  /** Passes them on, the rest to `local`, and answers the POST. `undefined` where the whole body is for this node. */
  route(exchange: HttpExchange, body: unknown, content: PostContent, local: LocalMessages): Promise<void> | undefined
}

export class SessionChannel implements Channel, LocalMessages {
  readonly #owner: ReplyOwner
  readonly #standalone: Standalone
  readonly #onAnswered: () => void
  readonly #router: MessageRouter | undefined
  /** By the ids of the requests that each one will answer, as the client wrote them. */
  readonly #replies = new LazyMap<RequestId, PostReply>()
  #receiver: Receiver | undefined
  #initializing: { readonly reply: PostReply; readonly answer: NonNullable<InitializeAnswer['answer']> } | undefined
  #isClosed = false

  /** `onAnswered` is called when the last answer of a POST has been given. */
  constructor(owner: ReplyOwner, standalone: Standalone, onAnswered: () => void, router?: MessageRouter) {
    this.#owner = owner
    this.#standalone = standalone
    this.#onAnswered = onAnswered
    this.#router = router
  }

  get isBusy(): boolean {
    return this.#replies.size > 0
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver
  }

  /** Handles the body of a valid POST. What it returns resolves when that is answered. */
  post(exchange: HttpExchange, body: unknown, content: PostContent): Promise<void> | undefined {
    return this.#router?.route(exchange, body, content, this) ?? this.receive(exchange, body, content)
  }

  /** Handles a message that another node got for a request of this session. */
  receiveFromNode(message: JSONRPCMessage): void {
    if (!this.#isClosed) void this.#receiver?.message(message)
  }

  isOpen(id: RequestId): boolean {
    return this.#replies.has(id)
  }

  receive(exchange: HttpExchange, body: unknown, content: PostContent): Promise<void> | undefined {
    const { ids } = content
    if (this.#isClosed) rejectUnknownSession(exchange, ids[0])
    else if (ids.length === 0) this.#accept(exchange, body)
    else if (this.#replies.size + ids.length > MAX_IN_FLIGHT) {
      rejectTemporarily(exchange, 'The session has too many requests in flight. Try again later.', ids[0])
    } else if (ids.some((id) => this.#replies.has(id))) {
      rejectInvalid(exchange, 400, 'A request with this id is in flight. Use another id.', ids[0])
    } else return this.#dispatch(body, new PostReply(exchange, this.#owner, content, this.#release), true)
    return undefined
  }

  /**
   * Handles `initialize`, whose answer is never a stream: its headers bring the id of the session, and without the id the
   * client cannot answer requests.
   */
  receiveInitialize(
    exchange: HttpExchange,
    body: unknown,
    content: PostContent,
    answer: InitializeAnswer,
  ): Promise<void> | undefined {
    const onDone = (done: PostReply) => {
      this.#release(done)
      answer.onAnswered()
    }
    const reply = new PostReply(exchange, this.#owner, content, onDone, 'json')
    reply.headers = () => answer.createHeaders()
    if (answer.answer !== undefined) this.#initializing = { reply, answer: answer.answer }
    return this.#dispatch(body, reply, false)
  }

  send(message: JSONRPCMessage | JSONRPCBatch, hints?: SendHints): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(connectionClosedError())
    if (Array.isArray(message)) return this.#replyToBatch(message)?.answer(message)
    if (!('method' in message)) {
      const reply = this.#replyTo(message)
      const initializing = this.#initializing
      const mayWait = reply !== undefined && reply === initializing?.reply && !('error' in message)
      return mayWait ? initializing.answer(reply, message) : reply?.answer(message)
    }
    const related = hints?.relatedRequestId
    const reply = related === undefined ? undefined : this.#replies.get(related)
    const isBare = !('params' in message || 'id' in message)
    const text = (isBare ? LIST_CHANGE_TEXTS.get(message.method) : undefined) ?? encodeMessage(message)
    // Spec, Transports: the GET stream SHOULD carry what belongs to no request. Beside a JSON answer there is no other stream.
    const isOfReply = reply !== undefined && (reply.canStream || !this.#standalone.wasOpened)
    if ('id' in message) return orNotAsked(isOfReply ? reply.ask(text) : this.#standalone.send(text))
    return isOfReply ? reply.send(text) : this.#standalone.send(text)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const reply of new Set(this.#replies.values())) reply.endWithSession()
    this.#receiver?.closed()
  }

  /** Spec, Transports: a POST without requests is accepted with 202 and no body. */
  #accept(exchange: HttpExchange, body: unknown): void {
    const canSendRequest = this.#standalone.canReachClient
    const transport = new HttpTransport(exchange, { kind: 'streamable-http', canSendRequest })
    void this.#receiver?.message(body, { transport })
    exchange.reply(202)
  }

  #dispatch(body: unknown, reply: PostReply, canSendRequest: boolean): Promise<void> | undefined {
    for (const id of reply.ids) this.#replies.set(id, reply)
    reply.begin()
    void this.#receiver?.message(body, {
      transport: reply.createTransport(canSendRequest && (reply.canStream || this.#standalone.wasOpened)),
      onUnanswered: () => reply.endUnanswered(),
    })
    return reply.waitForAnswer()
  }

  /** A broken message of the batch may be answered without an id. */
  #replyToBatch(messages: JSONRPCBatch): PostReply | undefined {
    for (const message of messages) {
      const reply = this.#replyTo(message)
      if (reply !== undefined) return reply
    }
    return undefined
  }

  #replyTo(message: JSONRPCMessage | undefined): PostReply | undefined {
    if (message === undefined || !('id' in message)) return undefined
    return typeof message.id === 'string' || typeof message.id === 'number' ? this.#replies.get(message.id) : undefined
  }

  readonly #release = (reply: PostReply): void => {
    for (const id of reply.ids) this.#replies.delete(id)
    this.#onAnswered()
  }
}

/** A question that no client can get fails at once: an answer would never come. */
function orNotAsked(sending: Promise<void> | undefined): Promise<void> | undefined {
  return sending?.catch((cause: unknown) => {
    const message = 'The server could not send its question to the client. Try again later.'
    throw new MCPError(ErrorCode.InternalError, message, undefined, { cause })
  })
}
