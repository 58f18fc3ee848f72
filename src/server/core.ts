// A server as the modules of this package see it: handlers, middleware, what it offers, and the connections it serves.

import type { Backend } from '../backend/backend.ts'
import { type Channel, CONNECT_KEYS, type ConnectOptions, checkTarget, type Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import { type Clock, systemClock } from '../primitives/async/clock.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import { loading } from '../primitives/loading.ts'
import { checkKeys, checkKind } from '../primitives/options.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../types/protocol/meta.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../types/protocol/versions.ts'
import { requestFacts } from '../wire/method-rows.ts'
import { servedVersions } from '../wire/revision-facts.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import { Joining } from './cluster/joining.ts'
import { nestContext, type ServerRequestContext, serverOfRequest, withParams } from './context.ts'
import { assertOwn, ExtensionSet } from './extensions/extension-set.ts'
import type { DirectMiddleware, Middleware, NotificationHandler, RequestHandler } from './handlers.ts'
import { KeptConnections } from './kept-connections.ts'
import { Loads } from './late/loads.ts'
import { ownHandler } from './late/own-handlers.ts'
import { running } from './late/running.ts'
import { Background } from './lifespan/background.ts'
import { LateLifespan } from './lifespan/late-lifespan.ts'
import type { Lease } from './lifespan/lifespan.ts'
import type { NestedLeases } from './lifespan/nested-leases.ts'
import { logFaultsOf } from './reports/fault-log.ts'
import { Figures } from './reports/figures.ts'
import { type CacheHints, checkCacheHints } from './results/caching.ts'
import type { PreparedResults } from './results/respond.ts'
import type { Chain } from './runner.ts'
import type { ServedConnection } from './serve.ts'
import type { Server, ServerOptions } from './server.ts'
import { createServerSubscriptions, type ServerSubscriptions } from './server-subscriptions.ts'
import type { ListMethod, Source } from './source.ts'
import { KeptBytes } from './subscriptions/kept-bytes.ts'
import type { SubscriptionEvent } from './subscriptions/subscriptions.ts'
import type { TaskChange } from './task-run.ts'

/** The key under which the modules of this package give a server its source. No option has it. */
export const SOURCE = Symbol('source')

/** The same for what stands inside all middleware. */
export const INNERMOST = Symbol('innermost')

export interface ServerSettings extends ServerOptions {
  readonly [SOURCE]?: (server: ServerCore) => Source
  /** Inside all other middleware, also of what is added later. */
  readonly [INNERMOST]?: DirectMiddleware
}

/** What closes with a server, such as an HTTP handler. Its `close` is idempotent. */
interface Dependent {
  close(options: { drainMs: number }): Promise<void>
}

export class ServerCore {
  /** The server as its author sees it. */
  readonly face: Server
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly supportedVersions: readonly ProtocolVersion[]
  readonly declaredCapabilities: ServerCapabilities
  /** What the author says of the server to one caller. */
  readonly describe: ServerOptions['describe']
  readonly cacheHints: CacheHints
  readonly resultTypes: ReadonlySet<string>
  /** `undefined` for a server without any. */
  readonly extensions: ExtensionSet | undefined
  readonly subscriptions: ServerSubscriptions | undefined
  /** Ends what would stay open: requests of all clients, or of one, that are answered when one side ends them. */
  openEnded: { close(peer?: object): void } | undefined
  /** What it shares with other nodes; open while the server runs. */
  readonly backend: Backend | undefined
  readonly faults: FaultReporter
  /** What patience, time limits of tools and tasks go by. A test replaces it before the server starts. */
  clock: Clock = systemClock
  /** Set before the start of a process that runs tasks and nothing else: how many at once, and of which tools. */
  onlyWorks: { readonly workers?: number; readonly only?: readonly string[] } | undefined
  /** Called with the changes of the tasks that this process created. They must not throw. */
  readonly taskObservers = new Set<(change: TaskChange) => void>()
  /** What telemetry reads of this process. */
  readonly figures = new Figures()
  /** Counts the bytes that the server keeps for its clients. */
  readonly kept = new KeptBytes()
  readonly background = new Background(
    () => this.#lifespan.leaseCount,
    // Other nodes can take the subscriptions of a server with a backend.
    () => (this.backend === undefined ? this.subscriptions?.close()?.then(running.loaded.nextTurn) : undefined),
  )
  /** What must be there before it runs. */
  readonly parts = new Loads(() => running.load(() => import('./running-parts.ts')))
  readonly #requests = new Map<string, RequestHandler>()
  readonly #notifications = new Map<string, NotificationHandler>()
  /** Whether a source or a transform of the author's stands in front, which may change results in place. */
  hasForeignLayers = false
  readonly #middleware: Middleware[]
  readonly #innermost: readonly Middleware[]
  readonly #lifespan: LateLifespan
  readonly #joining: Joining | undefined
  readonly #connections = new KeptConnections()
  readonly #dependents = new Set<Dependent>()
  /** What was registered with the server itself, whatever stands in front of it. */
  readonly ownSource: Source | undefined
  /** The servers mounted in this one that run along with it. */
  #nested: NestedLeases | undefined
  readonly #fromSource = new Map<string, RequestHandler>()
  #preparing: Promise<unknown> | undefined
  #source: Source | undefined
  #unwatch: (() => void) | undefined
  #chain: Chain | undefined
  #prepared: PreparedResults | undefined
  #stampText: string | undefined

  /** Expects a name and options that were checked. */
  constructor(face: Server, name: string, options: ServerSettings) {
    this.face = face
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
    this.supportedVersions = servedVersions(options.supportedVersions ?? PROTOCOL_VERSIONS)
    this.declaredCapabilities = options.capabilities ?? {}
    this.describe = options.describe
    this.cacheHints = checkCacheHints(options.cacheHints ?? {})
    const { extensions = [], resultTypes = [], middleware = [] } = options
    this.extensions =
      Array.isArray(extensions) && extensions.length === 0 ? undefined : new ExtensionSet(extensions, face)
    this.resultTypes = new Set([...resultTypes, ...(this.extensions?.resultTypes ?? [])])
    this.faults = new FaultReporter(options.onFault)
    this.#innermost = options[INNERMOST] === undefined ? [] : [options[INNERMOST] as unknown as Middleware]
    this.#middleware = [...middleware, ...(this.extensions?.middleware ?? [])]
    for (const one of this.#middleware) checkKind('Each middleware of a server', one, 'function')
    this.backend = options.backend
    this.#joining =
      options.backend &&
      new Joining(options.backend, name, this.faults, async (node) => this.subscriptions?.share(node))
    if (this.#joining !== undefined) this.figures.add('routed', () => this.cluster?.routed ?? 0)
    this.#lifespan = new LateLifespan(options.lifespan, this.extensions, this.#joining, () => this.#nested?.release())
    this.subscriptions = createServerSubscriptions(this, options.subscriptions ?? false, options.maxSubscriptions)
    this.#setRequestHandler('initialize', ownHandler('initialize'))
    this.setRequestHandler('ping', ownHandler('ping'))
    this.setRequestHandler('server/discover', ownHandler('discover'))
    if (options.logging === true) this.setRequestHandler('logging/setLevel', ownHandler('setLevel'))
    const handlers = { ...this.subscriptions?.handlers, ...this.extensions?.handlers, ...options.handlers }
    for (const [method, handler] of Object.entries(handlers)) {
      // As with every option, `undefined` is as if it were not there.
      if (handler !== undefined) this.setRequestHandler(method, handler as RequestHandler)
    }
    for (const [method, handler] of Object.entries(options.notifications ?? {})) {
      if (handler !== undefined) this.setNotificationHandler(method, handler as NotificationHandler)
    }
    this.ownSource = options[SOURCE]?.(this)
    if (this.ownSource !== undefined) this.changeSource(this.ownSource)
  }

  /** Where its components come from; `undefined` for a server that has nothing but handlers. */
  get source(): Source | undefined {
    return this.#source
  }

  /** From here on its components come from this source, which stands in front of the one before or in its place. */
  changeSource(source: Source): void {
    this.#unwatch?.()
    this.#source = source
    if (this.subscriptions !== undefined) {
      this.#unwatch = source.watch(
        (event, isFromElsewhere?: boolean) => void this.#announceFromSource(event, isFromElsewhere),
      )
    }
  }

  /** From here on the source answers this method. */
  serveFromSource(method: string): void {
    const { source } = this
    if (source === undefined) throw typeError('bad-extension', `The server has no source that could answer '${method}'`)
    const isList = requestFacts(method)?.paged === true
    const handler: RequestHandler = isList
      ? (ctx, { cursor }) =>
          (this.#source as Source).list(
            method as ListMethod,
            ctx,
            cursor as string | undefined,
          ) as MaybePromise<JSONObject>
      : (ctx, params) => (this.#source as Source).handle(ctx, method, params)
    if (source.interceptsToolCalls === true) this.#requests.set(method, handler)
    else this.#setRequestHandler(method, handler)
    const served = this.#requests.get(method)
    if (served !== undefined) this.#fromSource.set(method, served)
  }

  /** Whether the source answers this method, and not a handler of the author's. */
  isFromSource(method: string): boolean {
    const served = this.#fromSource.get(method)
    return served !== undefined && this.#requests.get(method) === served
  }

  /** Waits for this before the server starts the next time. */
  startsAfter(preparing: Promise<unknown>): void {
    this.#preparing = this.#preparing === undefined ? preparing : Promise.all([this.#preparing, preparing])
    // The start rejects with it, whenever that is.
    this.#preparing.catch(() => {})
  }

  /** Replaces the handler that was there; `initialize` is the server's own. */
  setRequestHandler(method: string, handler: unknown): void {
    assertOwn(this.extensions, method)
    checkKind(`The handler of '${method}'`, handler, 'function')
    this.#setRequestHandler(method, handler)
  }

  #setRequestHandler(method: string, handler: unknown): void {
    const { extensions } = this
    const run = handler as RequestHandler
    const isIntercepted = requestFacts(method)?.claimable === true && extensions?.interceptsToolCalls === true
    this.#requests.set(
      method,
      isIntercepted ? (ctx, params) => extensions.interceptToolCall(ctx, params, run, withParams) : run,
    )
  }

  setNotificationHandler(method: string, handler: unknown): void {
    assertOwn(this.extensions, method)
    checkKind(`The handler of '${method}'`, handler, 'function')
    this.#notifications.set(method, handler as NotificationHandler)
  }

  use(middleware: Middleware): void {
    checkKind('The middleware for use()', middleware, 'function')
    this.#middleware.push(middleware)
    this.#chain = undefined
  }

  requestHandler(method: string): RequestHandler | undefined {
    return this.#requests.get(method)
  }

  /** The handler of the author; else the source, where it takes notifications. */
  notificationHandler(method: string): NotificationHandler | undefined {
    const source = this.#source
    const handler = this.#notifications.get(method)
    if (handler !== undefined || source?.notify === undefined) return handler
    return (ctx, params) => source.notify?.(ctx, method, params)
  }

  /** This process among the nodes of the backend; `undefined` without one, and while the server does not run. */
  get cluster(): ClusterNode | undefined {
    return this.#joining?.node
  }

  /** Whether the source answers whatever has no handler here. */
  get answersElsewhere(): boolean {
    return this.#innermost.length > 0
  }

  get chain(): Chain {
    this.#chain ??= running.loaded.createChain([...this.#middleware, ...this.#innermost])
    return this.#chain
  }

  /** For results that are made once and handed out many times, such as listings. */
  get prepared(): PreparedResults {
    this.#prepared ??= new running.loaded.PreparedResults()
    return this.#prepared
  }

  /** Whether no code of the author's can change a result between its handler and the wire. */
  get passesResultsOn(): boolean {
    return this.chain.isOurs && this.extensions?.interceptsToolCalls !== true
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
    logFaultsOf(this.faults)
    const preparing = this.parts.load()?.then(() => this.#preparing) ?? this.#preparing
    return preparing?.then(() => this.#lifespan.acquire()) ?? this.#lifespan.acquire()
  }

  /**
   * Answers a request of a client of another server, in which this one is mounted: with the middleware and handlers of this
   * server, and the connection, caller and signal of that request. The result is as it is to be sent.
   */
  serveNested(request: ServerRequestContext, method: string, params: JSONObject | undefined): MaybePromise<JSONObject> {
    const nested = nestContext(request, this, method, params)
    const starting = serverOfRequest(request).startNested(this)
    return starting === undefined
      ? running.loaded.runNested(request, nested)
      : starting.then(() => running.loaded.runNested(request, nested))
  }

  /** Runs `child` along with this server. `undefined` where it does already. */
  startNested(child: ServerCore): Promise<void> | undefined {
    this.#nested ??= new running.loaded.NestedLeases()
    return this.#nested.hold(child)
  }

  async connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    checkTarget(target)
    return this.#connections.keep(async (onBegun) => {
      await this.parts.load()
      const channel = 'open' in target ? await target.open() : target
      return running.loaded.serveChannel(this, channel, onFault, onBegun)
    })
  }

  async connectInProcess(options: ConnectOptions = {}): Promise<Dispatcher> {
    checkKeys('connectInProcess()', options, CONNECT_KEYS)
    let caller: Dispatcher | undefined
    await this.#connections.keep(async () => {
      // Loaded here: most servers have their clients elsewhere.
      const [{ connectInProcess }] = await Promise.all([loading(import('./in-process.ts')), this.parts.load()])
      const connection = await connectInProcess(this, options)
      caller = connection.caller
      return connection.served
    })
    return caller as Dispatcher
  }

  async close({ drainMs: givenMs = 0 }: { drainMs?: number } = {}): Promise<void> {
    const ending = this.background.end(givenMs)
    const drainMs = ending === undefined ? givenMs : await ending
    const over = this.#connections.beginClosing()
    const lastWords = this.endOpen()?.then(running.loaded.nextTurn)
    const connections = this.#connections.close({ drainMs, lastWords })
    const dependents = [...this.#dependents].map((one) => one.close({ drainMs }))
    await Promise.all([connections, ...dependents]).finally(over)
    this.background.goOnIfHeld()
    await this.source?.close?.()
  }

  /**
   * Ends in good order what would stay open, such as subscriptions: that of all clients, or of one that leaves. Settles when its
   * last words are on their way; `undefined` where there are none.
   */
  endOpen(peer?: object): Promise<unknown> | undefined {
    if (peer !== undefined) this.#connections.leaves(peer)
    this.openEnded?.close(peer)
    return this.subscriptions?.close(peer)
  }

  /** Whether what this client opens ends at once: a request may be a while under way before it stays open. */
  isLeaving(peer: object): boolean {
    return this.#connections.isLeaving(peer)
  }

  /** Closes `dependent` with the server. The returned function removes it again. */
  closeAlong(dependent: Dependent): () => void {
    this.#dependents.add(dependent)
    return () => void this.#dependents.delete(dependent)
  }

  async announce(event: SubscriptionEvent): Promise<void> {
    await this.subscriptions?.bus.publish(event)
  }

  /** Where changes are shared, the node on which a mounted server changed tells the others, and they do not tell it once more. */
  async #announceFromSource(event: SubscriptionEvent, isFromElsewhere = false): Promise<void> {
    if (isFromElsewhere && this.subscriptions?.isShared === true) return
    try {
      await this.announce(event)
    } catch (error) {
      this.faults.report({ kind: 'notification-failed', message: 'A change could not be announced', error })
    }
  }
}
