// A server as its author defines it: handlers, middleware, identity. Defined once, shared by all connections.

import type { Backend } from '../backend/backend.ts'
import type { Channel, Connectable, ConnectOptions, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { withHelp } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import { quote } from '../schema/json-schema.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Icon, Implementation } from '../types/protocol/metadata.ts'
import type { ClientNotificationParamsByMethod, ClientRequestParamsByMethod } from '../types/protocol/methods.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import type { ServerRequestContext } from './context.ts'
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
import type { Lease, Lifespan } from './lifespan/lifespan.ts'
import type { CacheHints } from './results/caching.ts'
import type { ServedConnection } from './serve.ts'
import type { SourceDescription } from './source.ts'
import type { SubscriptionBus, SubscriptionEvent } from './subscriptions/subscriptions.ts'

/** Options of `new Server()`: identity, handlers by method, capabilities, limits. */
export interface ServerOptions {
  /** The version that clients see in `serverInfo` (default: `0.0.0`). */
  version?: string | undefined
  /** A name for people. Hosts show it in place of `name`. */
  title?: string | undefined
  /** One or two sentences on what the server does. Clients of revision 2025-11-25 and later see it. */
  description?: string | undefined
  /** How to use this server, as a hint to a model. */
  instructions?: string | undefined
  /** A page about the server. Hosts can link to it. */
  websiteUrl?: string | undefined
  /** Icons that hosts can show beside the server's name. `src` is an `https:` or `data:` URL. */
  icons?: Icon[] | undefined
  /** By method: handlers of requests. They decide which capabilities the server declares. */
  handlers?: RequestHandlers | undefined
  /** Handlers of notifications from clients, by method (default: none). */
  notifications?: NotificationHandlers | undefined
  /** Functions around every request and notification that the server gets. The first one is outermost (default: none). */
  middleware?: readonly Middleware[] | undefined
  /** Called when the server starts. Its result is `ctx.lifespan` and is closed when the server stops. */
  lifespan?: Lifespan<unknown> | undefined
  /** Overrides what is derived from the handlers. */
  capabilities?: ServerCapabilities | undefined
  /**
   * Called for each `initialize` and `server/discover`: what the server is and offers to this caller. It goes over what is derived
   * from the handlers; `capabilities` and `instructions` of the options go over it.
   */
  describe?: ((request: ServerRequestContext) => MaybePromise<SourceDescription>) | undefined
  /** How long clients can cache results, by method. */
  cacheHints?: CacheHints | undefined
  /** Announces changes to clients of both eras. `true` creates a bus; pass one to share it between servers. */
  subscriptions?: boolean | SubscriptionBus | undefined
  /**
   * Shares sessions, streams, limits, tasks and announcements with the other nodes of this server. Opened when the server starts,
   * closed when it stops. Without it all of them are in the memory of this process.
   */
  backend?: Backend | undefined
  /** Open subscriptions (`subscriptions/listen`) of all clients together (default: 10,000). */
  maxSubscriptions?: number | undefined
  /** Serves `logging/setLevel`, so that clients can choose which log messages they see (default: `false`). */
  logging?: boolean | undefined
  /** Protocol extensions. Each is declared to clients and handles its own methods. */
  extensions?: readonly ServerExtension[] | undefined
  /** Result types beyond those of the specification and of `extensions`. */
  resultTypes?: readonly string[] | undefined
  /** The revisions to serve (default: all). */
  supportedVersions?: readonly ProtocolVersion[] | undefined
  /**
   * Gets everything that went wrong and belongs to no call. Without it, a running server writes what concerns its author to the
   * standard error.
   */
  onFault?: OnFault | undefined
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
  describe: 'function',
  cacheHints: true,
  subscriptions: true,
  backend: 'object',
  maxSubscriptions: true,
  logging: 'boolean',
  extensions: true,
  resultTypes: 'array',
  supportedVersions: 'array',
  onFault: 'function',
}

/**
 * The low-level server: methods and their handlers.
 *
 * @example
 * ```ts
 * import { serveStdio } from 'mcpwire/node'
 * import { Server } from 'mcpwire/server'
 * const server = new Server('echo')
 * server.setRequestHandler('tools/call', (_ctx, { name }) => ({ content: [{ type: 'text', text: name }] }))
 * await serveStdio(server)
 * ```
 */
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

  /** The instructions that clients get. `undefined` if there are none. */
  get instructions(): string | undefined {
    return this.#core.instructions
  }

  /** The revisions that it serves. */
  get supportedVersions(): readonly ProtocolVersion[] {
    return this.#core.supportedVersions
  }

  /**
   * Sets the handler of a method of the specification or of a vendor, and replaces an earlier one. The server handles `initialize`
   * itself.
   */
  setRequestHandler<M extends keyof ClientRequestParamsByMethod>(method: M, handler: SpecRequestHandler<M>): void
  setRequestHandler<M extends string>(
    method: VendorMethod<M, keyof ClientRequestParamsByMethod>,
    handler: RequestHandler,
  ): void
  // Repeated: the compiler explains a mistake with the last overload.
  setRequestHandler<M extends keyof ClientRequestParamsByMethod>(method: M, handler: SpecRequestHandler<M>): void
  setRequestHandler(method: string, handler: unknown): void {
    this.#core.setRequestHandler(method, handler)
  }

  /** Sets the handler of a notification, and replaces an earlier one. */
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

  /** Adds a middleware inside the present ones. */
  use(middleware: Middleware): this {
    this.#core.use(middleware)
    return this
  }

  /**
   * Answers a request of a client of another server, in which this one is mounted: with the middleware and handlers of this
   * server, and the connection, caller and signal of `ctx`. The server runs along with the other one from its first request on.
   */
  serveNested(ctx: ServerRequestContext, method: string, params?: JSONObject): MaybePromise<JSONObject> {
    return this.#core.serveNested(ctx, method, params)
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

/** Throws an error that shows how to call the constructor. Other SDKs take an object in the place of the name. */
export function checkServerName(className: 'MCPServer' | 'Server', name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  if (name === '')
    throw withHelp(
      'server-name-missing',
      new RangeError(`The name of a server cannot be empty: write new ${className}('calculator')`),
    )
  const wrong = `The first argument of ${className} is the name of the server, a string, not ${kindOf(name)}`
  throw withHelp('server-name-missing', new TypeError(`${wrong}: write new ${className}(${showArguments(name)})`))
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function showArguments(given: unknown): string {
  const { name, version } = isPlainObject(given) ? given : {}
  if (typeof name !== 'string') return "'calculator'"
  return typeof version === 'string' ? `${quote(name)}, { version: ${quote(version)} }` : quote(name)
}
