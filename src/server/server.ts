// A server as its author defines it: handlers, middleware, identity. Defined once, shared by all connections.
import type { Channel, Connectable, ConnectOptions, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { Icon, Implementation } from '../types/protocol/metadata.ts'
import type { ClientNotificationParamsByMethod, ClientRequestParamsByMethod } from '../types/protocol/methods.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { ServerCore } from './core.ts'
import type { ServerExtension } from './extensions/extension.ts'
import type {
  Middleware,
  NotificationHandler,
  NotificationHandlers,
  RequestHandler,
  RequestHandlers,
  SpecNotificationHandler,
  SpecRequestHandler,
  VendorMethod,
} from './handlers.ts'
import { keepCore } from './internals.ts'
import type { Lease, Lifespan } from './lifespan.ts'
import type { CacheHints } from './results/caching.ts'
import type { ServedConnection } from './serve.ts'
import { checkServerName } from './server-name.ts'
import type { SubscriptionBus, SubscriptionEvent } from './subscriptions/subscriptions.ts'

export interface ServerOptions {
  version?: string
  title?: string
  description?: string
  /** How to use this server, as a hint to a model. */
  instructions?: string
  websiteUrl?: string
  icons?: Icon[]
  handlers?: RequestHandlers
  notifications?: NotificationHandlers
  middleware?: readonly Middleware[]
  /** Made when the server starts, reached as `ctx.lifespan`, closed when it stops. */
  lifespan?: Lifespan<unknown>
  /** Goes over what is derived from the handlers. */
  capabilities?: ServerCapabilities
  /** How long results stay good, by method. */
  cacheHints?: CacheHints
  /** Announces changes to clients of both eras. `true` for a bus of the server's own, or one to share. */
  subscriptions?: boolean | SubscriptionBus
  /** Subscriptions (`subscriptions/listen`) open at once, over all clients: 10,000 unless given. */
  maxSubscriptions?: number
  /** Serves `logging/setLevel`, so that clients can choose which log messages they see. */
  logging?: boolean
  /** None unless given; each is declared, and answers what it has to answer. */
  extensions?: readonly ServerExtension[]
  /** Result types beyond those of the specification and of `extensions`. */
  resultTypes?: readonly string[]
  /** The revisions to serve, all of them unless given. */
  supportedVersions?: readonly ProtocolVersion[]
  /**
   * Told of everything that went wrong without a caller to tell. Without it, a server in service writes what concerns its
   * author to the standard error.
   */
  onFault?: OnFault
}

export const SERVER_KEYS: KnownKeys<ServerOptions> = {
  version: 'string',
  title: 'string',
  description: 'string',
  instructions: 'string',
  websiteUrl: 'string',
  icons: 'array',
  handlers: 'object',
  notifications: 'object',
  middleware: 'array',
  lifespan: 'function',
  capabilities: 'object',
  cacheHints: true,
  subscriptions: true,
  maxSubscriptions: true,
  logging: 'boolean',
  extensions: true,
  resultTypes: 'array',
  supportedVersions: 'array',
  onFault: 'function',
}

/** The low-level server: methods and their handlers. */
export class Server implements Connectable {
  readonly #core: ServerCore

  constructor(name: string, options: ServerOptions = {}) {
    checkServerName('Server', name)
    checkKeys('new Server()', options, SERVER_KEYS)
    this.#core = new ServerCore(this, name, options)
    keepCore(this, this.#core)
  }

  /** As clients see it. */
  get info(): Implementation {
    return this.#core.info
  }

  get instructions(): string | undefined {
    return this.#core.instructions
  }

  /** The revisions that it serves. */
  get supportedVersions(): readonly ProtocolVersion[] {
    return this.#core.supportedVersions
  }

  /**
   * Sets the handler of a method, of the specification or of a vendor. Replaces the one that was there; `initialize` is the server's
   * own.
   */
  setRequestHandler<M extends keyof ClientRequestParamsByMethod>(method: M, handler: SpecRequestHandler<M>): void
  setRequestHandler<M extends string>(
    method: VendorMethod<M, keyof ClientRequestParamsByMethod>,
    handler: RequestHandler,
  ): void
  // Once more, because the last one is what the compiler explains a mistake with.
  setRequestHandler<M extends keyof ClientRequestParamsByMethod>(method: M, handler: SpecRequestHandler<M>): void
  setRequestHandler(method: string, handler: unknown): void {
    this.#core.setRequestHandler(method, handler)
  }

  /** Sets the handler of a notification, in the place of the one that was there. */
  setNotificationHandler<M extends keyof ClientNotificationParamsByMethod>(
    method: M,
    handler: SpecNotificationHandler<M>,
  ): void
  setNotificationHandler<M extends string>(
    method: VendorMethod<M, keyof ClientNotificationParamsByMethod>,
    handler: NotificationHandler,
  ): void
  setNotificationHandler(method: string, handler: unknown): void {
    this.#core.setNotificationHandler(method, handler)
  }

  /** Adds a middleware inside those that are there. */
  use(middleware: Middleware): this {
    this.#core.use(middleware)
    return this
  }

  /** Keeps the server running, however many connections come and go. */
  start(): Promise<Lease> {
    return this.#core.start()
  }

  /**
   * Serves one client, of either era, over a channel or a transport. `onFault` gets the faults of this connection; without it
   * they go to that of the server.
   */
  connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    return this.#core.connect(target, onFault)
  }

  /** The client's end of a connection within this process. */
  connectInProcess(options: ConnectOptions = {}): Promise<Dispatcher> {
    return this.#core.connectInProcess(options)
  }

  /**
   * Ends all connections, those that are being opened too, and the HTTP handlers and listeners that serve this server; requests
   * in flight get `drainMs` to finish, and subscriptions end in good order. The server can be connected and served again.
   */
  close(options?: { drainMs?: number }): Promise<void> {
    return this.#core.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Announces a change to every client that wants to know, in both eras. */
  announce(event: SubscriptionEvent): Promise<void> {
    return this.#core.announce(event)
  }
}
