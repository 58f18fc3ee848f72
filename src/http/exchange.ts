// One HTTP request and the place to answer it: what every handler of ours is written against, on every runtime.
import type { ByteTools } from '../primitives/byte-tools.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'

/** Header values by name, as a reply gives them. */
export type ReplyHeaders = Readonly<Record<string, string>>

/** One HTTP request and the place to answer it. Exactly one of `reply`, `replyPieces` and `stream` is called, once. */
export interface HttpExchange {
  /** In upper case, as in `POST`. */
  readonly method: string
  /** As sent, without the query; not decoded. */
  readonly path: string
  /**
   * Where a router has chosen the handler by the beginning of the path: the rest of it; empty where it has chosen by the whole.
   * `undefined` where no router has, or none is known.
   */
  readonly routedPath?: string | undefined
  /** What follows the question mark; empty where there is none. */
  readonly query: string
  /** Whether the request came to a loopback address of this machine; `undefined` where the runtime does not tell. */
  readonly isLoopback: boolean | undefined
  /** Headers by lower-case name; one that came more than once is joined as the runtime joins it. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** A header by its lower-case name. One that arrived more than once is the list of its values, never joined. */
  header(name: string): string | readonly string[] | undefined
  /**
   * The whole body as text. Rejects with `BodyError`: more than `limit` bytes, slower than `timeoutMs`, encoded in a
   * way we do not read, no UTF-8, or cut off by the peer.
   */
  text(limit: number, timeoutMs: number): Promise<string>
  /** As `text`, for a reader that looks at the bytes before they become text: these may be no UTF-8. */
  bytes(limit: number, timeoutMs: number): Promise<Uint8Array>
  /** As `bytes`, without a promise: the receiver is told later, once. For runtimes where that is cheaper. */
  receive?(limit: number, timeoutMs: number, receiver: BodyReceiver): void
  /** The runtime's own ways with bytes, where it has better ones than the web. */
  readonly byteTools?: ByteTools
  /** The body, where a framework has parsed it already; `undefined` where nobody has. */
  readonly parsedBody: unknown
  /** Aborted when the peer goes away before the answer is complete; made on first use. */
  readonly signal: AbortSignal
  /** Called once when the peer goes away before the answer is complete. Cheaper than `signal`; returns how to stop listening. */
  onGone(listener: () => void): () => void
  /** The caller, once a wrapper has checked its token. */
  auth: AuthInfo | undefined
  /**
   * Set by a wrapper that checks tokens: the `WWW-Authenticate` value for a 403 to a caller whose token lacks one of
   * these scopes. Where there is none, nobody checks tokens.
   */
  challengeScopes?: (scopes: readonly string[]) => string
  /** Whether an answer has begun. */
  readonly isAnswered: boolean
  /** The whole answer. Headers that a wrapper added with `addHeader` go along. */
  reply(status: number, body?: string | Uint8Array, headers?: ReplyHeaders): void
  /** As `reply`, for a long body that lies ready but for its head: joining them would cost more than writing them. */
  replyPieces?(status: number, pieces: ReplyPieces, headers?: ReplyHeaders): void
  /** Answers 200 with a stream of server-sent events. */
  stream(headers?: ReplyHeaders): EventSink
  /** A header for the answer, whoever gives it: CORS, a challenge. Too late once the answer has begun. */
  addHeader(name: string, value: string): void
}

/** What is written one after the other. */
export interface ReplyPieces {
  readonly head: string
  /** Set where that is known: then it has as many bytes as characters. */
  readonly isHeadASCII?: boolean
  readonly body: Uint8Array
}

/** Whom a body comes to: exactly one of the two is called, once. */
export interface BodyReceiver {
  take(bytes: Uint8Array): void
  /** With a `BodyError`, or with what is wrong on our side. */
  refuse(error: unknown): void
}

/** One server-sent event. `data` may have several lines. */
export interface ServerSentEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
  readonly retryMs?: number
}

/** The open end of an event stream. */
export interface EventSink {
  /** A promise in return asks to wait until the peer has read. Nothing happens once the stream is closed. */
  send(event: ServerSentEvent): Promise<void> | undefined
  /** A comment, which keeps proxies from closing an idle stream. */
  comment(text: string): void
  /** Text written but not yet taken by the peer, in bytes. */
  readonly queuedBytes: number
  readonly isClosed: boolean
  /** Ends the stream after everything sent has been written. */
  close(): void
  /** Cuts the connection at once, for a peer that does not read. */
  destroy(): void
}

/** Answers HTTP requests. Wrappers such as authorization are handlers around handlers, and pass `close` on. */
export interface HttpHandler {
  (exchange: HttpExchange): Promise<void> | void
  /** Refuses new work, lets what is under way finish for `drainMs`, ends streams and sessions. Idempotent. */
  close?(options?: { drainMs?: number }): Promise<void>
}

/** Why a body could not be read, with the status that says so. */
export class BodyError extends Error {
  readonly status: 400 | 408 | 413 | 415
  /** The most bytes that there may be, where there were more. */
  readonly max: number | undefined
  constructor(status: 400 | 408 | 413 | 415, message: string, options?: { cause?: unknown; max?: number }) {
    super(message, options)
    this.name = 'BodyError'
    this.status = status
    this.max = options?.max
  }
}
