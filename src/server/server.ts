// A server as its author defines it: handlers, middleware, identity. Defined once, shared by all connections.
import {
  type Channel,
  CONNECT_KEYS,
  type Connectable,
  type ConnectOptions,
  type Transport,
} from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { connectionClosedError } from '../dispatcher/error-policy.ts'
import { FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import { settlesWithin } from '../primitives/async/timer.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { prepareJSON } from '../primitives/json/prepared-json.ts'
import { checkKeys, checkKind, describeKind, type KnownKeys } from '../primitives/options.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../types/protocol/meta.ts'
import type { Icon, Implementation } from '../types/protocol/metadata.ts'
import type { ClientNotificationParamsByMethod, ClientRequestParamsByMethod } from '../types/protocol/methods.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../types/protocol/versions.ts'
import type { HeaderAnnotation } from '../wire/headers/header-annotations.ts'
import { isSpecMethod } from '../wire/methods.ts'
import type { ServerRequestContext } from './context.ts'
import type { ServerExtension } from './extensions/extension.ts'
import { ExtensionSet } from './extensions/extension-set.ts'
import { logFaultsOf } from './fault-log.ts'
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
import { discover, initialize, ping, setLevel } from './lifecycle.ts'
import { type Lease, type Lifespan, LifespanHolder } from './lifespan.ts'
import { type CacheHints, checkCacheHints } from './results/caching.ts'
import { type Chain, createChain } from './runner.ts'
import { type ServedConnection, serveChannel } from './serve.ts'
import { checkServerName } from './server-name.ts'
import { KeptBytes } from './subscriptions/kept-bytes.ts'
import { createServerSubscriptions, type ServerSubscriptions } from './subscriptions/server-subscriptions.ts'
import type { SubscriptionBus } from './subscriptions/subscriptions.ts'

class PreparedResults {
  readonly #forms = new WeakMap<object, Map<ProtocolVersion, JSONObject>>()

  /** Whoever made the result promises that nothing in it will change any more. */
  add(result: object): void {
    this.#forms.set(result, new Map())
  }

  /** The form that the result has in a revision, made by `shape` the first time it is asked for. */
  formOf(result: object, version: ProtocolVersion, shape: () => JSONObject): JSONObject {
    const forms = this.#forms.get(result)
    if (forms === undefined) return shape()
    const known = forms.get(version)
    if (known !== undefined) return known
    const form = prepare(shape(), result)
    forms.set(version, form)
    return form
  }
}

/** Never the result itself, which has one text but several forms. */
function prepare(form: JSONObject, result: object): JSONObject {
  const own = form === result ? { ...form } : form
  // The stamp is new with each form; in process, whoever gets it could write on it.
  if (isPlainObject(own['_meta'])) Object.freeze(own['_meta'])
  return prepareJSON(own)
}

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

/** What serves a server and ends with it; closing it twice does no harm. */
export interface Dependent {
  close(options: { drainMs: number }): Promise<void>
}

/** How long the end waits for connections that are being opened. */
const OPENING_MS = 1_000

export class Server implements Connectable {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly supportedVersions: readonly ProtocolVersion[]
  readonly declaredCapabilities: ServerCapabilities
  readonly cacheHints: CacheHints
  readonly resultTypes: ReadonlySet<string>
  /** `undefined` for a server without any. */
  readonly extensions: ExtensionSet | undefined
  readonly subscriptions: ServerSubscriptions | undefined
  readonly faults: FaultReporter
  /** What clients make the server keep, in bytes. */
  readonly kept = new KeptBytes()
  /** The arguments of a tool that HTTP headers repeat, by the tool's name; set by whoever keeps the tools. */
  mirroredArguments: ((tool: string) => readonly HeaderAnnotation[] | undefined) | undefined
  /** Whether a tool does not exist for this caller; set by whoever keeps the tools. */
  isToolHidden: ((tool: string, request: ServerRequestContext) => boolean) | undefined
  /**
   * Whether this caller hears of changes to a resource; `false` hides it as if it did not exist, and an `MCPError` says what
   * the caller lacks. Set by whoever keeps the resources.
   */
  mayWatch: ((uri: string, request: ServerRequestContext) => boolean) | undefined
  /** For results that are made once and handed out many times, such as listings. */
  readonly prepared = new PreparedResults()
  readonly #requests = new Map<string, RequestHandler>()
  readonly #notifications = new Map<string, NotificationHandler>()
  readonly #middleware: Middleware[]
  readonly #lifespan: LifespanHolder<unknown>
  readonly #connections = new Set<ServedConnection>()
  readonly #dependents = new Set<Dependent>()
  readonly #openings = new Set<Promise<ServedConnection>>()
  #closes = 0
  #chain: Chain
  #stampText: string | undefined

  constructor(name: string, options: ServerOptions = {}) {
    checkServerName('Server', name)
    checkKeys('new Server()', options, SERVER_KEYS)
    const { version = '0.0.0', title, description, websiteUrl, icons } = options
    this.info = Object.freeze({
      name,
      version,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    })
    this.instructions = options.instructions
    this.supportedVersions = inOrder(options.supportedVersions ?? PROTOCOL_VERSIONS)
    this.declaredCapabilities = options.capabilities ?? {}
    this.cacheHints = checkCacheHints(options.cacheHints ?? {})
    const { extensions = [], resultTypes = [], middleware = [] } = options
    this.extensions = Array.isArray(extensions) && extensions.length === 0 ? undefined : new ExtensionSet(extensions)
    this.resultTypes = new Set([...resultTypes, ...(this.extensions?.resultTypes ?? [])])
    this.faults = new FaultReporter(options.onFault)
    this.#middleware = [...middleware, ...(this.extensions?.middleware ?? [])]
    for (const one of this.#middleware) checkKind('Each middleware of a server', one, 'function')
    this.#chain = createChain(this.#middleware)
    this.#lifespan = new LifespanHolder(options.lifespan)
    this.subscriptions = createServerSubscriptions(this, options.subscriptions ?? false, options.maxSubscriptions)
    this.#setRequestHandler('initialize', initialize)
    this.setRequestHandler('ping', ping)
    this.setRequestHandler('server/discover', discover)
    if (options.logging === true) this.setRequestHandler('logging/setLevel', setLevel)
    for (const [method, handler] of Object.entries({ ...this.subscriptions?.handlers, ...options.handlers })) {
      this.setRequestHandler(method, handler as RequestHandler)
    }
    for (const [method, handler] of Object.entries(options.notifications ?? {})) {
      this.setNotificationHandler(method, handler as NotificationHandler)
    }
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
    this.#assertOwn(method)
    this.#setRequestHandler(method, handler)
  }

  #setRequestHandler(method: string, handler: unknown): void {
    const { extensions } = this
    const isIntercepted = method === 'tools/call' && extensions !== undefined
    this.#requests.set(
      method,
      isIntercepted ? extensions.wrapToolCall(handler as RequestHandler) : (handler as RequestHandler),
    )
  }

  setNotificationHandler<M extends keyof ClientNotificationParamsByMethod>(
    method: M,
    handler: SpecNotificationHandler<M>,
  ): void
  setNotificationHandler<M extends string>(
    method: VendorMethod<M, keyof ClientNotificationParamsByMethod>,
    handler: NotificationHandler,
  ): void
  setNotificationHandler(method: string, handler: unknown): void {
    this.#assertOwn(method)
    this.#notifications.set(method, handler as NotificationHandler)
  }

  /** Adds a middleware inside those that are there. */
  use(middleware: Middleware): this {
    checkKind('The middleware for use()', middleware, 'function')
    this.#middleware.push(middleware)
    this.#chain = createChain(this.#middleware)
    return this
  }

  requestHandler(method: string): RequestHandler | undefined {
    return this.#requests.get(method)
  }

  notificationHandler(method: string): NotificationHandler | undefined {
    return this.#notifications.get(method)
  }

  get chain(): Chain {
    return this.#chain
  }

  /** Whether a result goes from its handler to the wire past nobody who could write on it. */
  get passesResultsOn(): boolean {
    return this.#chain.isOurs && this.extensions === undefined
  }

  /** The JSON of the `_meta` that results get in the modern era. */
  get stampText(): string {
    this.#stampText ??= JSON.stringify({ [SERVER_INFO_META_KEY]: this.info })
    return this.#stampText
  }

  /** What the lifespan made; `undefined` while no connection is open. */
  get lifespan(): unknown {
    return this.#lifespan.value
  }

  /** Keeps the server running, however many connections come and go. */
  start(): Promise<Lease> {
    logFaultsOf(this)
    return this.#lifespan.acquire()
  }

  /** Serves one client, of either era, over a channel or a transport. `onFault` is for this one, else the server's is told. */
  async connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    checkTarget(target)
    return this.#keep(async () => {
      const channel = 'open' in target ? await target.open() : target
      return serveChannel(this, channel, onFault)
    })
  }

  async connectInProcess(options: ConnectOptions = {}): Promise<Dispatcher> {
    checkKeys('connectInProcess()', options, CONNECT_KEYS)
    let caller: Dispatcher | undefined
    await this.#keep(async () => {
      // Loaded here: most servers have their clients elsewhere.
      const { connectInProcess } = await import('./in-process.ts')
      const connection = await connectInProcess(this, options)
      caller = connection.caller
      return connection.served
    })
    return caller as Dispatcher
  }

  /**
   * Ends all connections, those that are being opened too, and the HTTP handlers and listeners that serve this server; requests
   * in flight get `drainMs` to finish, and subscriptions end in good order. The server can be connected and served again.
   */
  async close({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    const lastWords = this.subscriptions?.close()?.then(nextTurn)
    this.#closes += 1
    const connections = [...this.#connections].map((one) => one.close({ drainMs, lastWords }))
    const dependents = [...this.#dependents].map((one) => one.close({ drainMs }))
    // What cannot be opened need not be waited for: it is closed whenever it opens after all.
    const openings = [...this.#openings].map((opening) => settlesWithin(opening, OPENING_MS))
    await Promise.all([...connections, ...dependents, ...openings])
  }

  /** Something to be closed with the server, such as an HTTP handler. Returns what takes it out again. */
  closeAlong(dependent: Dependent): () => void {
    this.#dependents.add(dependent)
    return () => void this.#dependents.delete(dependent)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Announces a change to every client that wants to know, in both eras. */
  async announce(event: Parameters<SubscriptionBus['publish']>[0]): Promise<void> {
    await this.subscriptions?.bus.publish(event)
  }

  /** A method that the specification has in some revisions can be an extension's in the others. */
  #assertOwn(method: string): void {
    // What is agreed there decides how every later message is read; a handler of its own would leave that undone.
    if (method === 'initialize') {
      throw new TypeError(
        "The server answers 'initialize' itself. Set instructions, capabilities or supportedVersions, or look at it in a middleware",
      )
    }
    if (this.extensions?.has(method) !== true || isSpecMethod(method)) return
    throw new TypeError(`'${method}' belongs to an extension of this server already`)
  }

  /** Remembers a connection until it has ended, however it does. One that opens when the server closes is closed at once. */
  async #keep(open: () => Promise<ServedConnection>): Promise<ServedConnection> {
    const closes = this.#closes
    const opening = open().then(async (served) => {
      if (closes === this.#closes) return served
      await served.close()
      throw connectionClosedError(new Error('the server was closed meanwhile'))
    })
    this.#openings.add(opening)
    const served = await opening.finally(() => this.#openings.delete(opening))
    this.#connections.add(served)
    const forget = () => this.#connections.delete(served)
    served.ended.then(forget, forget)
    return served
  }
}

function checkTarget(target: unknown): void {
  const { open, send } = isPlainObject(target) ? target : {}
  if (typeof open === 'function' || typeof send === 'function') return
  const given = isPlainObject(target) ? 'an object that is neither' : describeKind(target)
  throw new TypeError(`connect() takes a channel or a transport, not ${given}. To serve over stdio or HTTP, use run().`)
}

/** Answers that are ready have left by then. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Oldest first, in whatever order they were given: the newest is what clients get that ask for another. */
function inOrder(versions: readonly ProtocolVersion[]): readonly ProtocolVersion[] {
  return versions.toSorted((a, b) => PROTOCOL_VERSIONS.indexOf(a) - PROTOCOL_VERSIONS.indexOf(b))
}
