// One HTTP request with the means to answer it: the interface that all our handlers use, on every runtime.
import type { ByteTools } from '../primitives/byte-tools.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'

/** Header values by name, as a reply gives them. */
export type ReplyHeaders = Readonly<Record<string, string>>

/** One HTTP request with the means to answer it. Exactly one of `reply`, `replyPieces` and `stream` is called, once. */
export interface HttpExchange {
  /** In upper case, as in `POST`. */
  readonly method: string
  /** As sent, without the query; not decoded. */
  readonly path: string
  /**
   * The rest of the path, if a router has matched its beginning; empty if it has matched the whole path.
   * `undefined` without a router.
   */
  readonly routedPath?: string | undefined
  /** What follows the question mark; empty without one. */
  readonly query: string
  /** Whether the request came to a loopback address of this machine; `undefined` where the runtime does not know. */
  readonly isLoopback: boolean | undefined
  /** Whether the request came over TLS to this process; a proxy in front may have used TLS all the same. */
  readonly isSecure?: boolean | undefined
  /** Host and port in the URL of the request, where the runtime gives a whole URL. The `Host` header may differ from it. */
  readonly urlHost?: string | undefined
  /** Headers by lower-case name; repeated ones are joined as the runtime does. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** A header by its lower-case name. A repeated header is the list of its values, never joined. */
  header(name: string): string | readonly string[] | undefined
  /**
   * The whole body as text. Rejects with `BodyError`: more than `limit` bytes, slower than `timeoutMs`, encoded in a
   * way that is not supported, not UTF-8, or cut off by the peer.
   */
  text(limit: number, timeoutMs: number): Promise<string>
  /** As `text`, without decoding: the bytes may not be UTF-8. */
  bytes(limit: number, timeoutMs: number): Promise<Uint8Array>
  /** As `bytes`, without a promise: the receiver is called later, once. For runtimes where that costs less. */
  receive?(limit: number, timeoutMs: number, receiver: BodyReceiver): void
  /** Byte functions of the runtime, where they take less time than those of the web platform. */
  readonly byteTools?: ByteTools
  /** The body, if a framework has parsed it; else `undefined`. */
  readonly parsedBody: unknown
  /** Aborted when the peer disconnects before the answer is complete; created on first use. */
  readonly signal: AbortSignal
  /** Called once when the peer disconnects before the answer is complete. Costs less than `signal`; returns how to unsubscribe. */
  onGone(listener: () => void): () => void
  /** The caller, once a wrapper has checked its token. */
  auth: AuthInfo | undefined
  /**
   * Set by a wrapper that checks tokens: the `WWW-Authenticate` value for a 403 to a caller whose token lacks one of
   * these scopes. `undefined` where no tokens are checked.
   */
  challengeScopes?: (scopes: readonly string[]) => string
  /** Whether an answer has begun. */
  readonly isAnswered: boolean
  /** The whole answer. Headers that a wrapper added with `addHeader` go along. */
  reply(status: number, body?: string | Uint8Array, headers?: ReplyHeaders): void
  /** As `reply`, for a long body that is prepared except for its head: joining them would cost more than writing them. */
  replyPieces?(status: number, pieces: ReplyPieces, headers?: ReplyHeaders): void
  /** Answers 200 with a stream of server-sent events. */
  stream(headers?: ReplyHeaders): EventSink
  /** Adds a header to the answer, such as those of CORS. Must be called before the answer begins. */
  addHeader(name: string, value: string): void
}

/** What is written one after the other. */
export interface ReplyPieces {
  readonly head: string
  /** Set if known: then it has as many bytes as characters. */
  readonly isHeadASCII?: boolean
  readonly body: Uint8Array
}

/** Gets a body: exactly one of the two methods is called, once. */
export interface BodyReceiver {
  take(bytes: Uint8Array): void
  /** With a `BodyError`, or with a failure of our own. */
  refuse(error: unknown): void
}

/** One server-sent event. `data` may have several lines. */
export interface ServerSentEvent {
  /** The data of the event, one JSON-RPC message in MCP. */
  readonly data: string
  /** The name of the event. Left out for `message`. */
  readonly event?: string
  /** The id that a client sends as `Last-Event-ID` when it resumes. */
  readonly id?: string | undefined
  /** How long the client waits before it reconnects, in milliseconds. */
  readonly retryMs?: number | undefined
}

/** The open end of an event stream. */
export interface EventSink {
  /** A promise in return means: wait until the peer has read. Does nothing once the stream is closed. */
  send(event: ServerSentEvent): Promise<void> | undefined
  /** A comment, which keeps proxies from closing an idle stream. */
  comment(text: string): void
  /** Bytes that were sent and that the peer has not read yet. */
  readonly queuedBytes: number
  /** True after the stream has ended or the client has gone. Events are then dropped. */
  readonly isClosed: boolean
  /** Ends the stream after everything sent has been written. */
  close(): void
  /** Closes the connection at once, for a peer that does not read. */
  destroy(): void
}

/** Answers HTTP requests. Wrappers such as authorization are handlers around handlers, and pass `close` on. */
export interface HttpHandler {
  (exchange: HttpExchange): Promise<void> | void
  /** Rejects new requests, lets others finish for `drainMs`, ends streams and sessions. Idempotent. */
  close?(options?: { drainMs?: number }): Promise<void>
  /**
   * Whether an id is used for the first time on all nodes of the server, and remembers it until `expiresAt`, in milliseconds since
   * 1970. There where the nodes share a memory. Rejects where that does not answer.
   */
  redeem?: (id: string, expiresAt: number) => Promise<boolean>
}

/** Why a body could not be read, with the HTTP status for that. */
export class BodyError extends Error {
  readonly status: 400 | 408 | 413 | 415
  /** The limit in bytes, if the body was larger. */
  readonly max: number | undefined
  constructor(status: 400 | 408 | 413 | 415, message: string, options?: { cause?: unknown; max?: number }) {
    super(message, options)
    this.name = 'BodyError'
    this.status = status
    this.max = options?.max
  }
}
