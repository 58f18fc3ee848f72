// The client for most programs: connects to any target, negotiates the revision, caches, and answers questions within calls.

import type { Connectable } from '../dispatcher/channel.ts'
import { orderError, withHelp } from '../primitives/help.ts'
import type { StringMembers } from '../primitives/json/objects.ts'
import { loading } from '../primitives/loading.ts'
import { pickKeys } from '../primitives/options.ts'
import { type ClientSkills, SKILLS_EXTENSION } from '../types/extensions/skills.ts'
import { TASKS_EXTENSION } from '../types/extensions/tasks.ts'
import type { CompleteRequestParams, CompleteResult, CompletionArgument } from '../types/features/completion.ts'
import type { LoggingLevel } from '../types/features/logging.ts'
import type { GetPromptResult, ListPromptsResult, Prompt } from '../types/features/prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../types/features/resources.ts'
import type { ListToolsResult, Tool } from '../types/features/tools.ts'
import type { EmptyResult } from '../types/protocol/base.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ProgressToken } from '../types/protocol/jsonrpc.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { checkCacheConfig } from './cache/cache-config.ts'
import {
  type ClientCallOptions,
  type ClientListOptions,
  type ClientOptions,
  type ClientPagesOptions,
  type ClientReadOptions,
  type ClientToolCallOptions,
  checkClientOptions,
} from './client-options.ts'
import type { ClientTasks } from './extensions/client-tasks.ts'
import { foldExtensions } from './extensions/fold-extensions.ts'
import { ConnectionReports } from './opening/connection-reports.ts'
import type { OpenClient } from './opening/create-open-client.ts'
import type { ClientPlan } from './opening/open-client.ts'
import { ConnectClock, openPeer, setConnectTimeLeft } from './opening/open-peer.ts'
import { type ClientTarget, parseTarget, type TypedTarget } from './opening/targets.ts'
import type { ClientCallbackContext, ServerMessage } from './session/callbacks.ts'
import { eachItem, pagesWithin } from './session/pages.ts'
import type { RequestOptions } from './session/request-options.ts'
import { firstArgumentError } from './session/request-options.ts'
import type { ClientSession } from './session/session.ts'
import {
  checkSessionOptions,
  type DrivenSessionOptions,
  SHARED_SESSION_KEYS,
  type SharedSessionOptions,
} from './session/session-options.ts'
import type { CallParameters, KnownServer, KnownTool, ToolName, ToolResult } from './session/tool-types.ts'
import type { HonoredFilter, ListenFilter } from './subscriptions/filters.ts'
import type { ListenOptions } from './subscriptions/listen.ts'
import { toServerEvent } from './subscriptions/server-events.ts'
import type { Subscription } from './subscriptions/subscription.ts'

/**
 * A client of one server, for one connection. `Server` is the type of the server, which types the calls of its tools; without
 * it, tools are called by any name with any arguments.
 *
 * @example
 * ```ts
 * import { Client } from 'mcpwire'
 * const client = await Client.connect('https://example.com/mcp')
 * const { content } = await client.callTool('add', { a: 1, b: 2 })
 * await client.close()
 * ```
 */
export class Client<Server = unknown> implements AsyncDisposable {
  readonly #plan: ClientPlan
  readonly #abort = new AbortController()
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #opened: OpenClient | undefined

  /** Opens nothing. Throws for targets and options that cannot work. */
  constructor(target: ClientTarget, options: ClientOptions = {}) {
    checkClientOptions(options)
    const opener = parseTarget(target, options)
    const { cache = {}, backend } = options
    const { url, isHttpTransport } = opener
    if (cache !== false) checkCacheConfig(cache, { url, isHttpTransport, hasBackend: backend !== undefined })
    const { folded, ...extensions } = foldExtensions(options.extensions ?? [], this as Client)
    const sessionOptions: DrivenSessionOptions = {
      ...pickKeys<SharedSessionOptions>(options, SHARED_SESSION_KEYS),
      ...folded,
      onMessage: (message, ctx) => this.#receive(message, ctx),
      ignoresProgress: options.onMessage === undefined,
    }
    checkSessionOptions(sessionOptions)
    const connection = new ConnectionReports(options.onConnection, options.onFault)
    targets.set(this, opener.target)
    this.#plan = { opener, options, sessionOptions, folded, ...extensions, connection }
  }

  /** Creates a client and opens it. Infers the type of a server in this process; pass it for other targets. */
  static async connect<Server extends Connectable = Connectable>(
    target: TypedTarget<Server>,
    options?: ClientOptions,
  ): Promise<Client<KnownServer<Server>>> {
    const client = createClient<KnownServer<Server>>(target as ClientTarget, options)
    await client.open()
    return client
  }

  /** Works once. Rejects with `ConnectError` when it cannot connect. */
  async open(): Promise<void> {
    if (this.#closing !== undefined) throw orderError('The client is closed. Create a new client to connect again.')
    if (this.#opening !== undefined)
      throw orderError('The client was opened before. Create a new client to connect again.')
    this.#opening = this.#connect()
    await this.#opening
  }

  /** Ends the connection, also while it opens. Can be called from anywhere, any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The session of this client, for requests that have no method here. */
  get session(): ClientSession {
    return this.#open.session
  }

  /** The revision that client and server agreed on, such as `2026-07-28`. Throws before `open()`. */
  get protocolVersion(): ProtocolVersion {
    return this.#open.protocolVersion
  }

  /** For display and logs. A modern server may leave it out. */
  get serverInfo(): Implementation | undefined {
    return this.#open.session.serverInfo
  }

  /** What the server declares: tools, resources, prompts, extensions. Empty if it declares nothing. */
  get serverCapabilities(): ServerCapabilities {
    return this.#open.session.serverCapabilities ?? {}
  }

  /** How to use the server, written by its author for the model. `undefined` if the server sends none. */
  get instructions(): string | undefined {
    return this.#open.session.instructions
  }

  /** Calls that take long, as tasks. Needs `tasks()` among the extensions. */
  get tasks(): ClientTasks<Server> {
    return this.#extension('tasks', TASKS_EXTENSION) as ClientTasks<Server>
  }

  /** The skills of the server. Needs `skills()` among the extensions. */
  get skills(): ClientSkills {
    return this.#extension('skills', SKILLS_EXTENSION) as ClientSkills
  }

  /** One page; see `tools()` for all of them. */
  async listTools(options: ClientListOptions = {}): Promise<ListToolsResult> {
    return this.#open.cached.listTools(options)
  }

  /** One page; see `resources()` for all of them. */
  async listResources(options: ClientListOptions = {}): Promise<ListResourcesResult> {
    return this.#open.cached.listResources(options)
  }

  /** One page; see `resourceTemplates()` for all of them. */
  async listResourceTemplates(options: ClientListOptions = {}): Promise<ListResourceTemplatesResult> {
    return this.#open.cached.listResourceTemplates(options)
  }

  /** One page; see `prompts()` for all of them. */
  async listPrompts(options: ClientListOptions = {}): Promise<ListPromptsResult> {
    return this.#open.cached.listPrompts(options)
  }

  /** All tools, page by page. Throws `LimitError` when the pages do not end. */
  tools(options: ClientPagesOptions = {}): AsyncGenerator<Tool, void> {
    const { cached } = this.#open
    return eachItem(
      pagesWithin(options, (page) => cached.listTools(page)),
      ({ tools }) => tools,
    )
  }

  /** As `tools()`. */
  resources(options: ClientPagesOptions = {}): AsyncGenerator<Resource, void> {
    const { cached } = this.#open
    return eachItem(
      pagesWithin(options, (page) => cached.listResources(page)),
      ({ resources }) => resources,
    )
  }

  /** As `tools()`. */
  resourceTemplates(options: ClientPagesOptions = {}): AsyncGenerator<ResourceTemplate, void> {
    const { cached } = this.#open
    return eachItem(
      pagesWithin(options, (page) => cached.listResourceTemplates(page)),
      ({ resourceTemplates }) => resourceTemplates,
    )
  }

  /** As `tools()`. */
  prompts(options: ClientPagesOptions = {}): AsyncGenerator<Prompt, void> {
    const { cached } = this.#open
    return eachItem(
      pagesWithin(options, (page) => cached.listPrompts(page)),
      ({ prompts }) => prompts,
    )
  }

  /**
   * Answers questions of the server with the callbacks, finishes results of extensions, and checks `structuredContent`
   * against the tool's output schema. A result with `isError` is returned, not thrown. Tools that are not in the type of the
   * server are called untyped.
   */
  // `Tool` is a parameter so that `Server` is named once: each mention costs the compiler work for all tools.
  callTool<const Name extends ToolName<Server>, Tool = KnownTool<Server, Name>>(
    name: Name,
    ...rest: CallParameters<Tool, ClientToolCallOptions>
  ): Promise<ToolResult<Tool>>
  callTool(name: string, args?: object, options: ClientToolCallOptions = {}): Promise<unknown> {
    // Not async: each promise on the path of a call costs time.
    if (this.#opened === undefined) return Promise.reject(this.#notOpen())
    return this.#opened.calls.callTool(name, args as JSONObject | undefined, options)
  }

  /** Answers questions of the server, as `callTool` does. */
  async readResource(uri: string, options: ClientReadOptions = {}): Promise<ReadResourceResult> {
    if (typeof uri !== 'string') throw firstArgumentError('readResource', uri)
    return this.#open.cached.readResource(uri, options)
  }

  /** Answers questions of the server, as `callTool` does. */
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options: ClientCallOptions = {},
  ): Promise<GetPromptResult> {
    if (typeof name !== 'string') throw firstArgumentError('getPrompt', name)
    return this.#open.calls.getPrompt(name, args as Record<string, string> | undefined, options)
  }

  /** `contextArguments` are the arguments that already have a value. */
  async complete<Arguments extends StringMembers<Arguments>>(
    ref: CompleteRequestParams['ref'],
    argument: CompletionArgument,
    contextArguments?: Arguments,
    options?: RequestOptions,
  ): Promise<CompleteResult> {
    return this.#open.session.complete(ref, argument, contextArguments, options)
  }

  /**
   * Subscribes to changes. Resolves when the server has confirmed which of them it reports. Cached results that a change makes
   * stale are removed before the subscription delivers the change.
   */
  async listen<Filter extends object>(
    filter: Filter & ListenFilter<Filter>,
    options: ListenOptions = {},
  ): Promise<Subscription<HonoredFilter<Filter>>> {
    return this.#open.listen(filter, options) as Promise<Subscription<HonoredFilter<Filter>>>
  }

  /** Subscribes to changes of a resource, which `onMessage` gets. On a modern connection this opens a subscription, as `listen` does. */
  async subscribeResource(uri: string, options?: RequestOptions): Promise<EmptyResult> {
    return this.#open.resources.subscribe(uri, options)
  }

  /** Stops the updates of a resource that `subscribeResource` started. */
  async unsubscribeResource(uri: string, options?: RequestOptions): Promise<EmptyResult> {
    return this.#open.resources.unsubscribe(uri, options)
  }

  /**
   * Sends a ping and resolves when the server answers. Legacy servers only.
   * @deprecated Use any other request. Modern servers have no ping.
   */
  async sendPing(options?: RequestOptions): Promise<EmptyResult> {
    return this.#open.session.sendPing(options)
  }

  /**
   * Sets the lowest level of log messages that the server sends to `onLog`.
   * @deprecated Use the option `logLevel`. Legacy only.
   */
  async setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<EmptyResult> {
    return this.#open.logLevel.set(level, options)
  }

  /**
   * Reports the progress of a request of the server, such as sampling. The token is in the `_meta` of that request.
   * @deprecated No replacement: a modern server sends no requests that could report progress.
   */
  async sendProgressNotification(
    progressToken: ProgressToken,
    progress: number,
    total?: number,
    message?: string,
  ): Promise<void> {
    return this.#open.session.sendProgressNotification(progressToken, progress, total, message)
  }

  /**
   * Announces that the roots have changed. The server then requests them from `onListRoots` again.
   * @deprecated Use tool arguments or resource URIs. Legacy only.
   */
  async sendRootsListChanged(): Promise<void> {
    return this.#open.session.sendRootsListChanged()
  }

  #extension(name: 'tasks' | 'skills', identifier: string): object {
    if (!this.#plan.openers.has(identifier)) {
      const add = `${name}() from 'mcpwire/extensions/${name}'`
      throw withHelp(
        'extension-missing',
        new TypeError(`client.${name} needs an extension. Add ${add} to the option extensions of the client.`),
      )
    }
    return this.#open.extensions?.find(identifier) as object
  }

  get #open(): OpenClient {
    if (this.#opened === undefined) throw this.#notOpen()
    return this.#opened
  }

  #notOpen(): Error {
    return orderError(
      this.#closing === undefined
        ? 'The client is not open. Call open() first, or use Client.connect().'
        : 'The client is not open because it was closed. Create a new client to connect again.',
    )
  }

  async #connect(): Promise<void> {
    const { opener, options, connection } = this.#plan
    const { mode = 'auto', connectTimeoutMs = opener.connectTimeoutMs } = options
    const clock = new ConnectClock(connectTimeoutMs, this.#abort.signal)
    try {
      const opening = openPeer(mode, this.#plan, clock)
      // openClient() handles a failure once it is loaded. Until then the rejection must not count as unhandled.
      opening.catch(() => {})
      // Loaded when needed: a program that only runs a server imports this class too.
      const { openClient } = await loading(import('./opening/open-client.ts'))
      const opened = await openClient(mode, this.#plan, opening, clock)
      if (this.#closing === undefined) this.#opened = opened
      else await opened.close()
      this.#abort.signal.throwIfAborted()
      setConnectTimeLeft(opened.session, clock.leftMs)
      connection.opened(opened.endSignal)
    } finally {
      clock.stop()
    }
  }

  async #close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    this.#abort.abort(new Error('The client was closed while it was opening.'))
    await opened?.close()
    await this.#opening?.catch(() => {})
  }

  /** The cache is cleared of what changed before `onMessage` is called: a request from there must not get the old result. */
  #receive(message: ServerMessage, ctx: ClientCallbackContext): void | Promise<void> {
    const { onMessage } = this.#plan.options
    const cache = this.#opened?.cache
    const event = cache && toServerEvent(message.method, message.params)
    if (event === undefined) return onMessage?.(message, ctx)
    return cache?.invalidate(event).then(() => onMessage?.(message, ctx))
  }
}

// Outside the class: a class that names itself in its own body is renamed by the bundler.
function createClient<Server>(target: ClientTarget, options: ClientOptions | undefined): Client<Server> {
  return new Client<Server>(target, options)
}

/** The target of a client as messages show it, without secrets. */
export function targetOf(client: Client): string {
  return targets.get(client) ?? ''
}

const targets = new WeakMap<object, string>()
