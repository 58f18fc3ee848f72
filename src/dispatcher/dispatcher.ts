// The interfaces between those who make and answer calls and whatever carries them. No MCP here: methods are strings.

import type { MaybePromise } from '../primitives/async/promises.ts'
import type { KnownKeys } from '../primitives/options.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import type { SendHints, TransportContext } from './channel.ts'
import type { decodeMessage } from './decode.ts'
import type { OnFault } from './fault.ts'

/** How far a request has come. */
export interface Progress {
  /** A number that grows with each report. */
  progress: number
  /** What `progress` is at the end. `undefined` if it is not known. */
  total?: number
  /** What is being done, for people. */
  message?: string
}

/** Options of one request. */
export interface CallOptions {
  /** Sent as it is, string or integer. One is minted where none is given. */
  requestId?: RequestId | undefined
  /** Called with the id of the request before it is sent. */
  onRequestId?: ((id: RequestId) => void) | undefined
  /** Maximum time without progress, in milliseconds (default: that of the client or server, 60 s). `Infinity` for no limit. */
  timeoutMs?: number | undefined
  /** Maximum time in all, in milliseconds, even while progress is reported (default: no limit). */
  maxTotalMs?: number | undefined
  /** Aborting rejects the call with the signal's reason and tells the peer. */
  signal?: AbortSignal | undefined
  /** Ends the call as `signal` does: the context of the request that it is made for. Cheaper, since no signal is made. */
  until?: Pick<DispatchContext, 'signal' | 'onAbort'> | undefined
  /** Called in order, and never after the call has settled. */
  onProgress?: ((progress: Progress) => void) | undefined
  /** Asks the peer for progress although nobody listens, so that it keeps the call alive (default: `false`). */
  wantsProgress?: boolean | undefined
  /** Whether the peer is notified when the call is given up (default: `true`, unless the protocol forbids it for this method). */
  cancelOnAbandon?: boolean | undefined
  /** For your own transports: passed to `Channel.send` with the message. Most callers leave it out. */
  hints?: SendHints | undefined
  /** Sends the params as they are: no empty `_meta` is added to params without one (default: `false`). */
  asGiven?: boolean | undefined
  /** The params were made for this request, so that their `_meta` may be replaced without a copy of them (default: `false`). */
  ownsParams?: boolean | undefined
}

/** Anything that can send to the peer. */
export interface Outbound {
  /** Rejects with `MCPError` when the peer answers with an error, the call times out or the connection closes. */
  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject>
  /** Best effort: never rejects, and is dropped once the connection is closed. */
  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void>
}

/** Called with the reason. Must not throw. */
export type AbortListener = (reason: unknown) => void

/** One inbound message: what the transport knows of it, and the way back. */
export interface DispatchContext extends Outbound {
  /** `undefined` for a notification. */
  readonly requestId: RequestId | undefined
  /** Our own request that the message belongs to, as a question within a call; `undefined` where the transport does not know. */
  readonly relatedRequestId?: RequestId | undefined
  /** What the transport knows about the message. */
  readonly transport: TransportContext
  /** Whether `sendRawRequest` can reach the peer: not without a back-channel, not after the handler has returned. */
  readonly canSendRequest: boolean
  /** Aborted when the peer cancels the request or goes away; made on first use. */
  readonly signal: AbortSignal
  /** Called once when the signal aborts, at once where it has. Cheaper than the signal, for requests that stay open for long. */
  onAbort(listener: AbortListener): void
  /** Tells the caller how far the work is; nothing happens unless it asked for that. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void>
  /** Tells a caller that asked for progress that the work goes on, without any: its time limit for silence starts anew. */
  keepAlive?(): Promise<void>
  /** For a notification: asks the transport to deliver no more of what came along with it until then. The promise must not reject. */
  slow?(until: Promise<void>): void
}

/** Returned instead of a result for a request that must not be answered at all: the protocol does not let the peer send any. */
export const UNANSWERED: unique symbol = Symbol('mcpwire.unanswered')

/** Answers a request. A thrown `MCPError` is the answer; anything else thrown is hidden from the peer and reported. */
export type OnRequest = (
  context: DispatchContext,
  method: string,
  params: JSONObject | undefined,
) => MaybePromise<JSONObject | typeof UNANSWERED>

/** Started for each notification in the order received; nothing waits for it to end. */
export type OnNotify = (context: DispatchContext, method: string, params: JSONObject | undefined) => MaybePromise<void>

/** Options of `close()`: how long to wait for requests that are being answered. */
export interface CloseOptions {
  /** How long requests in flight may still take to finish, in milliseconds (default: 0). Those that do not are refused. */
  drainMs?: number | undefined
  /** Settles when the messages under way to the peer are sent. The wait for it is bounded. */
  lastWords?: Promise<unknown> | undefined
}

/** Sends requests and notifications over a connection, and serves those of the peer. */
export interface Dispatcher extends Outbound, AsyncDisposable {
  /** Serves inbound messages until the connection closes. Can be called once. */
  run(onRequest: OnRequest, onNotify: OnNotify): Promise<void>
  /** Settles everything, exactly once, in bounded time. May be called from anywhere, any number of times. */
  close(options?: CloseOptions): Promise<void>
}

/** Options of a dispatcher: faults, limits and time limits. */
export interface DispatcherOptions {
  /** Called for every fault that belongs to no call. */
  onFault?: OnFault | undefined
  /** For calls that name none (default: 60 s). */
  defaultTimeoutMs?: number | undefined
  /** Own requests under way at once (default: 100,000). */
  maxPendingRequests?: number | undefined
  /** Inbound requests at work at once; more of them wait in line (default: 256). */
  maxConcurrentRequests?: number | undefined
  /** How many bytes the waiting messages may have together, however many they are; more of them are rejected (default: 64 MiB). */
  maxWaitingBytes?: number | undefined
  /** Maximum number of notification handlers that run at once (default: 1,024). */
  maxNotificationHandlers?: number | undefined
  /** Requests that must be done before anything that came after them is looked at, as `initialize` on a server. */
  inlineMethods?: readonly string[] | undefined
  /** Requests that are answered whatever waits in line, as `ping`. */
  urgentMethods?: readonly string[] | undefined
  /** Whether `onNotify` also gets progress that `onProgress` of a call has received (default: true). */
  hearsOwnProgress?: boolean | undefined
  /** Makes the ids of own requests (default: 1, 2, 3 …). It must never make the same one twice. */
  mintId?: (() => RequestId) | undefined
  /** While we answer the peer, do not count the time against our own calls: it may be waiting for us (default: `false`). */
  holdTimeoutsWhileAnswering?: boolean | undefined
  /** Parses the messages of the peer (default: `decodeMessage`). Channels that parse by themselves need not ask it. */
  decode?: typeof decodeMessage | undefined
}

export const DISPATCHER_KEYS: KnownKeys<DispatcherOptions> = {
  onFault: true,
  defaultTimeoutMs: true,
  maxPendingRequests: true,
  maxConcurrentRequests: true,
  maxWaitingBytes: true,
  maxNotificationHandlers: true,
  inlineMethods: true,
  urgentMethods: true,
  hearsOwnProgress: true,
  mintId: true,
  holdTimeoutsWhileAnswering: true,
  decode: true,
}
