// What a server knows about one client, and the standalone way back to it: `ConnectionCore` for the modules of this package,
// `Connection` for authors.

import type { Channel } from '../dispatcher/channel.ts'
import { CleanupStack } from '../primitives/async/cleanup.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { withHelp } from '../primitives/help.ts'
import type { LoggingLevel } from '../types/features/logging.ts'
import type { ClientCapabilities, ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONRPCMessage } from '../types/protocol/jsonrpc.ts'
import type { InitializeRequestParams } from '../types/protocol/lifecycle.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import { LATEST_LEGACY_VERSION, type ProtocolVersion } from '../types/protocol/versions.ts'
import type { Envelope } from '../wire/envelope.ts'
import { type BackChannel, NO_BACK_CHANNEL } from './outbound.ts'
import { createSharedValues, type KeptValues, type SharedValues } from './shared-values.ts'
import type { KeptBytes } from './subscriptions/kept-bytes.ts'

const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})

/** What a client changes that all nodes must know: one of these at a time. */
export interface ConnectionChange {
  readonly isInitialized?: true
  readonly logLevel?: LoggingLevel
  /** Uris of `resources/subscribe` and `resources/unsubscribe`. */
  readonly watch?: string
  readonly unwatch?: string
}

/** Keeps what outlives the object of a connection: other nodes make theirs from it. */
export interface ConnectionKeeper {
  /** Names the session on every node. */
  readonly digest: string
  /** Resolves when every node can read it. Rejects with `MCPError` where that failed; then the connection is as before. */
  keep(change: ConnectionChange): Promise<void>
  readonly values: KeptValues
  /** Whether this process tells the client of a change: of several nodes that have the session, one does. */
  isAnnouncer(isFromElsewhere: boolean): MaybePromise<boolean>
}

export interface ConnectionOptions {
  /** Sends to the client outside of any request. */
  backChannel?: BackChannel
  /** For `sendRaw`. */
  channel?: Channel
  /** What all connections of one client share, where each request has its own. */
  peer?: object
  /** Whether one stream carries all messages of the connection, as on stdio. */
  isStreamShared?: boolean
  onCleanupError?: (error: unknown) => void
}

/** What a modern request needs seldom: its connection lives as long as itself, and each member takes time to make. */
interface RarelyUsed {
  clientParams?: InitializeRequestParams
  serverCapabilities?: ServerCapabilities | undefined
  cleanups?: CleanupStack
  kept?: KeptBytes
  keptBytes: number
  isClosed: boolean
  state?: Map<unknown, unknown>
  shared?: SharedValues
  onEstablished?: (version: ProtocolVersion) => void
  face?: Connection
}

/**
 * One client. In the legacy era it lives as long as the channel and becomes ready with `initialize`; in the modern era
 * it is ready from the start, made from the envelope of one request, and ends with it.
 */
export class ConnectionCore {
  readonly backChannel: BackChannel
  /** What the client asked for with `logging/setLevel` or, in the modern era, with this very request. */
  logLevel: LoggingLevel | undefined
  /** Set where other nodes serve the same client. */
  keeper: ConnectionKeeper | undefined
  readonly #options: ConnectionOptions
  #protocolVersion: ProtocolVersion
  #clientInfo: Implementation | undefined
  #clientCapabilities: ClientCapabilities = NO_CAPABILITIES
  #isReady: boolean
  #isInitialized = false
  #isLogSilentByDefault = false
  #rare: RarelyUsed | undefined

  private constructor(version: ProtocolVersion, isReady: boolean, options: ConnectionOptions) {
    this.#protocolVersion = version
    this.#isReady = isReady
    this.#options = options
    this.backChannel = options.backChannel ?? NO_BACK_CHANNEL
  }

  get #used(): RarelyUsed {
    this.#rare ??= { keptBytes: 0, isClosed: false }
    return this.#rare
  }

  /** A connection that waits for `initialize`. Until then it speaks the newest revision that has a handshake. */
  static awaitingHandshake(options: ConnectionOptions = {}): ConnectionCore {
    return new this(LATEST_LEGACY_VERSION, false, options)
  }

  /** The connection of one modern request. */
  static fromEnvelope(envelope: Envelope, options: ConnectionOptions = {}): ConnectionCore {
    const connection = new this(envelope.protocolVersion as ProtocolVersion, true, options)
    connection.#clientInfo = envelope.clientInfo
    connection.#clientCapabilities = envelope.clientCapabilities
    connection.logLevel = envelope.logLevel
    connection.#isInitialized = true
    // Spec, Logging: since 2026-07-28 a request that names no level asks for no messages.
    connection.#isLogSilentByDefault = true
    return connection
  }

  /** The public view of the connection, created on first use. */
  get face(): Connection {
    const used = this.#used
    used.face ??= Connection['create'](this)
    return used.face
  }

  get protocolVersion(): ProtocolVersion {
    return this.#protocolVersion
  }

  /** What the client sent with `initialize`; `undefined` in the modern era. */
  get clientParams(): InitializeRequestParams | undefined {
    return this.#rare?.clientParams
  }

  get clientInfo(): Implementation | undefined {
    return this.#clientInfo
  }

  /** Empty until the client has declared any. */
  get clientCapabilities(): ClientCapabilities {
    return this.#clientCapabilities
  }

  /** What the server declared with the handshake. It may offer more since then. `undefined` in the modern era. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#rare?.serverCapabilities
  }

  /** For the author's own use: whatever should live as long as the connection. */
  get state(): Map<unknown, unknown> {
    const used = this.#used
    used.state ??= new Map()
    return used.state
  }

  /** Values that every node has which serves the client. */
  get shared(): SharedValues {
    const used = this.#used
    used.shared ??= createSharedValues(this.keeper?.values)
    return used.shared
  }

  /** Whether a request can be sent that belongs to no request of the client. */
  get canSendRequest(): boolean {
    return this.backChannel.canSendRequest
  }

  /** The same object for all requests of one client, as far as the transport can tell. */
  get peer(): object {
    return this.#options.peer ?? this
  }

  get isStreamShared(): boolean {
    return this.#options.isStreamShared ?? false
  }

  /** Whether the client may call anything but `initialize` and `ping`. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether a client that named no level gets no log messages. */
  get isLogSilentByDefault(): boolean {
    return this.#isLogSilentByDefault
  }

  /** The handshake is agreed: from here on the connection speaks this revision. */
  establish(version: ProtocolVersion, params: InitializeRequestParams, declared?: ServerCapabilities): void {
    this.#protocolVersion = version
    this.#used.clientParams = params
    this.#clientInfo = params.clientInfo
    this.#clientCapabilities = params.capabilities
    this.#used.serverCapabilities = declared
    this.#isReady = true
    this.#used.onEstablished?.(version)
  }

  /** Called when the handshake is agreed. */
  onEstablished(listener: (version: ProtocolVersion) => void): void {
    this.#used.onEstablished = listener
  }

  /** The client has sent `notifications/initialized`, or has gone on to other requests without it. */
  markReady(): void {
    // Not waited for: there is no answer that it could delay, and the next request that comes marks it again.
    if (!this.#isInitialized) void this.keeper?.keep({ isInitialized: true }).catch(() => {})
    this.#isReady = true
    this.#isInitialized = true
  }

  /** Whether the server may send messages of its own. */
  get isInitialized(): boolean {
    return this.#isInitialized
  }

  /** Counts the bytes that the server keeps of the client until the connection ends. Throws `MCPError` beyond the limit. */
  keep(bytes: number, kept: KeptBytes): void {
    const used = this.#used
    if (used.isClosed) return
    // Replaces the earlier count: a client whose `initialize` was rejected by a middleware may try again.
    kept.change(used.keptBytes, bytes)
    used.keptBytes = bytes
    used.kept = kept
  }

  /** Runs `cleanup` when the connection ends, the latest first. What ends before takes it out again by the function that it returns. */
  defer(cleanup: () => unknown): () => void {
    const used = this.#used
    used.cleanups ??= new CleanupStack(
      this.#options.onCleanupError === undefined ? {} : { onError: this.#options.onCleanupError },
    )
    return used.cleanups.defer(cleanup)
  }

  /** Whether anything was deferred to the end of the connection. */
  get hasCleanups(): boolean {
    return this.#rare?.cleanups !== undefined
  }

  /** Sends a message as it is, past all bookkeeping. What comes back to it reaches `onFault` as `unmatched-response`. */
  async sendRaw(message: JSONRPCMessage): Promise<void> {
    const { channel } = this.#options
    if (channel === undefined)
      throw withHelp('no-back-channel', new Error('This connection has no channel for raw messages'))
    await channel.send(message)
  }

  /** Runs the cleanups. Bounded in time, any number of times. */
  async close(): Promise<void> {
    const used = this.#used
    used.isClosed = true
    used.kept?.change(used.keptBytes, 0)
    used.keptBytes = 0
    await used.cleanups?.close()
  }
}

/**
 * One client, as handlers and middleware see it. In the modern era it ends with the request that it was made for.
 *
 * @example
 * ```ts
 * server.use((ctx, next) => {
 *   const calls = Number(ctx.connection.state.get('calls') ?? 0) + 1
 *   ctx.connection.state.set('calls', calls)
 *   return next()
 * })
 * ```
 */
export class Connection {
  readonly #core: ConnectionCore

  /** For `ConnectionCore`. Not a static block: a bundler keeps a class that has one, even in programs that use no server. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: the line above says who uses it.
  private static create(core: ConnectionCore): Connection {
    return new this(core)
  }

  private constructor(core: ConnectionCore) {
    this.#core = core
  }

  /** The revision that both sides agreed on, or that the request names. */
  get protocolVersion(): ProtocolVersion {
    return this.#core.protocolVersion
  }

  /** What the client sent with `initialize`; `undefined` in the modern era. */
  get clientParams(): InitializeRequestParams | undefined {
    return this.#core.clientParams
  }

  /** Self-reported: for display and logs, never to decide anything. */
  get clientInfo(): Implementation | undefined {
    return this.#core.clientInfo
  }

  /** Empty until the client has declared any. */
  get clientCapabilities(): ClientCapabilities {
    return this.#core.clientCapabilities
  }

  /** For the author's own use: whatever should live as long as the connection. */
  get state(): Map<unknown, unknown> {
    return this.#core.state
  }

  /** Whether a request can be sent that belongs to no request of the client. */
  get canSendRequest(): boolean {
    return this.#core.canSendRequest
  }

  /** Whether the client may call anything but `initialize` and `ping`. */
  get isReady(): boolean {
    return this.#core.isReady
  }

  /** Whether the client has announced that it is ready: from then on the server may send messages of its own. */
  get isInitialized(): boolean {
    return this.#core.isInitialized
  }

  /** Runs `cleanup` when the connection ends, the latest first. */
  defer(cleanup: () => unknown): void {
    this.#core.defer(cleanup)
  }

  /** Sends a message as it is, past all bookkeeping. What comes back to it reaches `onFault` as `unmatched-response`. */
  sendRaw(message: JSONRPCMessage): Promise<void> {
    return this.#core.sendRaw(message)
  }
}
