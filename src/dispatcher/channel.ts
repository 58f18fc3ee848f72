// What a transport author writes: a channel, and how to open one.
import { typeError } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { describeKind, type KnownKeys } from '../primitives/options.ts'
import type { AuthInfo } from '../types/protocol/auth.ts'
import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../types/protocol/jsonrpc.ts'
import type { decodeMessage } from './decode.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Fault, OnFault } from './fault.ts'

/** What the transport knows of the way a message came. */
export interface TransportContext {
  /** A word for the kind of transport, as in `stdio`. */
  readonly kind: string
  /** False where nothing can carry a request back to the peer. */
  readonly canSendRequest: boolean
  /** Whether results leave as text at once, so that nobody sees the objects they were. */
  readonly writesResults?: boolean
  /** Headers by lower-case name, where the transport has them. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Whether it came over a network or by the name of a host on one, so that other processes may serve the same address. */
  readonly isBeyondLoopback?: boolean
  /** Who sent the message, where something has verified that. */
  readonly auth?: AuthInfo
  /** Ends the connection that carries the answer, so that the client comes back for it; nothing where it could not. */
  readonly closeStream?: () => void
  /** Whether the caller, in this very process, gets what a handler throws as the `cause` of its error. For tests. */
  readonly raisesExceptions?: boolean
}

/** What goes along with a message on its way out; a channel uses what it understands and ignores the rest. */
export interface SendHints {
  /** The inbound request in whose service this message is sent. */
  readonly relatedRequestId?: RequestId | undefined
  /** HTTP headers of this message, beside those of the transport. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Names of headers of the transport that this message goes without. Over Streamable HTTP, for requests. */
  readonly withoutHeaders?: readonly string[] | undefined
  /** Asks to resume the stream of an earlier request instead of starting anew. */
  readonly resumptionToken?: string | undefined
  /** Called with a token that can resume the answer after a lost connection. */
  readonly onResumptionToken?: ((token: string) => void) | undefined
  /** Doing this twice does no harm, so that it may be sent again where it is not known whether the peer has received it. */
  readonly isRepeatable?: boolean | undefined
  /** What a handler threw, along with the error that hides it. Only for channels that never leave the process. */
  readonly cause?: unknown
}

/** What comes along with a message on its way in. */
export interface ReceiveHints {
  /** What the transport knows about the message, such as its HTTP request. */
  readonly transport?: TransportContext
  /** Our own request on whose stream this message arrived. */
  readonly relatedRequestId?: RequestId
  /** What really happened, where an error comes from this very process. */
  readonly cause?: unknown
  /** Called when an inbound request has ended without an answer, because the peer cancelled it. */
  readonly onUnanswered?: () => void
}

/** Where a channel delivers to. */
export interface Receiver {
  /** Parses messages in place of `decodeMessage`, within the same limits. What it is given must not change later. */
  readonly decode?: typeof decodeMessage | undefined
  /**
   * One parsed JSON value, checked for size and structure but for nothing else. A promise in return asks the channel to
   * deliver no more until it resolves.
   */
  message(message: unknown, hints?: ReceiveHints): Promise<void> | undefined
  /** An answer arrived that could not be taken, so that its call must not wait for it any longer. */
  lost(id: RequestId, reason: Error): void
  /**
   * A call waits for a person on this side, as one who logs in. Its time without a sign of life stands still until the function
   * in return is called.
   */
  hold?(id: RequestId): () => void
  /** Something went wrong that did not end the channel. */
  fault(fault: Fault): void
  /** The channel has ended, with a reason where that was not asked for. The first call counts. */
  closed(reason?: Error): void
}

/** What is known of a process at the other end. */
export interface ChildStatus {
  readonly exitCode?: number
  readonly signal?: string
  /** The last lines of its standard error so far. */
  readonly stderr: readonly string[]
  /** The beginnings of lines that it wrote before its first message and that are no JSON, each fit for a log. */
  readonly unreadable?: readonly string[]
}

/**
 * A duplex flow of JSON-RPC messages. `send` resolves when the transport has accepted the message and waits while the peer does
 * not read. It rejects before any byte has left with `LimitError` or `EncodeError`; any other rejection means the channel
 * is broken.
 */
export interface Channel {
  /** For errors about a server that was started by opening the channel. */
  readonly childStatus?: ChildStatus | undefined
  /** How long `close` may take, where that is longer than 5 s. Whoever closes does not wait for longer than that. */
  readonly closeMs?: number | undefined
  /** Begins to deliver. A channel that cannot start leaves nothing open, and is not closed by whoever tried. */
  start(receiver: Receiver): Promise<void> | void
  /** Sends one message. Returns `undefined` if it was sent at once, or a promise that rejects if sending fails. */
  send(message: JSONRPCMessage | JSONRPCBatch, hints?: SendHints): Promise<void> | undefined
  /** Nobody here waits for the answer to this request any more. The peer gets no message about it. Releases what is open for it. */
  release?(id: RequestId): void
  /** May come at any time, also while `start` is under way; nothing is open afterwards. */
  close(): Promise<void> | void
}

/** Options of `transport.open()`. */
export interface TransportOpenOptions {
  /** Aborts the opening. */
  signal?: AbortSignal
  /** Called by transports that reconnect: when the connection to the peer breaks, and when it works again. */
  onConnection?: OnConnection
  /** Called where opening has to wait for a person, as one who logs in; what it returns is called when that is over. */
  hold?: () => () => void
}

/** How to reach a peer. */
export interface Transport {
  /** What the transport is, such as `stdio` or `streamable-http`. Used in error messages. */
  readonly kind: string
  /** What it reaches, for messages: nothing in it is a secret. */
  readonly target?: string
  /** Opens a new channel. Called once per connection. */
  open(options?: TransportOpenOptions): Promise<Channel>
}

/** Options of a connection within one process. */
export interface ConnectOptions {
  /** Speak JSON-RPC with the handshake instead of calling the server directly (default: `false`). */
  legacy?: boolean | undefined
  /** Let an unexpected exception of a handler reach the caller as `cause` (default: `false`). */
  raiseExceptions?: boolean | undefined
  /** Faults on the caller's side. */
  onFault?: OnFault | undefined
}

export const CONNECT_KEYS: KnownKeys<ConnectOptions> = { legacy: true, raiseExceptions: true, onFault: true }

/** Something in this process that can hand out the caller's end of a connection to itself. */
export interface Connectable {
  /** Connects a dispatcher to the server without a transport. Called by `Client.connect(server)`. */
  connectInProcess(options?: ConnectOptions): Promise<Dispatcher>
}

/** A change of a connection's state, for programs that show or log it. */
export type ConnectionEvent =
  | {
      /** Ready for calls. */
      readonly type: 'open'
    }
  | {
      /** The peer cannot be reached. Requests that are safe to repeat are being retried. */
      readonly type: 'degraded'
      /** Why the peer cannot be reached. */
      readonly reason: Error
    }
  | {
      /** The peer can be reached again. */
      readonly type: 'recovered'
      /**
       * In a new session the peer knows nothing of the old one: a `Client` subscribes to its resources and sets the log level again
       * by itself; code that uses a `ClientSession` alone has to.
       */
      readonly isNewSession: boolean
    }
  | {
      /** The peer can no longer send messages of its own, such as list changes, and the client does not reconnect. Requests still work. */
      readonly type: 'notifications-lost'
      /** Why no more messages arrive. */
      readonly reason: Error
    }
  | {
      /** The peer has closed the stream of a request that it has not answered yet. The stream is resumed after a while. */
      readonly type: 'stream-closed'
      /** The request whose stream it is. */
      readonly requestId: RequestId
      /** How long the peer asks to wait before that, in milliseconds. Left out where it does not say. */
      readonly retryMs?: number
    }
  | {
      /** Nothing comes after this. */
      readonly type: 'closed'
      /** Why the connection ended. Left out after `close()`. */
      readonly reason?: Error
    }

/** Called when the state of a connection changes. What it throws is reported as a fault. */
export type OnConnection = (event: ConnectionEvent) => void

export function checkTarget(target: unknown): void {
  const { open, send } = isPlainObject(target) ? target : {}
  if (typeof open === 'function' || typeof send === 'function') return
  const given = isPlainObject(target) ? 'an object that is neither' : describeKind(target)
  throw typeError(
    'wrong-argument',
    `connect() takes a channel or a transport, not ${given}. To serve over stdio or HTTP, use run().`,
  )
}
