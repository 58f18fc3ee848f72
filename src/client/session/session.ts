// The typed MCP view of a connection on the client: negotiates a revision, calls the server and answers it.
import type { Channel } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { AnyArguments, StringMembers } from '../../primitives/json/objects.ts'
import type { CompleteRequestParams, CompleteResult, CompletionArgument } from '../../types/features/completion.ts'
import type { InputRequest, InputRequiredResult, InputResponse } from '../../types/features/input-required.ts'
import type { LoggingLevel } from '../../types/features/logging.ts'
import type { GetPromptResult, ListPromptsResult } from '../../types/features/prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../../types/features/resources.ts'
import type { CallToolResult, ListToolsResult } from '../../types/features/tools.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProgressToken, RequestId } from '../../types/protocol/jsonrpc.ts'
import type { DiscoverResult, InitializeResult } from '../../types/protocol/lifecycle.ts'
import type { MetaObject } from '../../types/protocol/meta.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type {
  ClientNotificationParamsByMethod,
  ClientRequestParamsByMethod,
  ClientRequestResultByMethod,
} from '../../types/protocol/methods.ts'
import type { ModernVersion, ProtocolVersion } from '../../types/protocol/versions.ts'
import type { InputRequiredMethod } from '../../wire/methods.ts'
import type { ClaimedResult } from '../extensions/extension.ts'
import { metaOf } from './callbacks.ts'
import { keepInternals } from './internals.ts'
import type {
  AllowClaimed,
  AllowInputRequired,
  CallToolOptions,
  FinishedOnly,
  InitializeOptions,
  InteractiveOptions,
  ListOptions,
  RawRequestOptions,
  RequestOptions,
  SpecNotificationMethod,
  SpecRequestArguments,
  SpecRequestMethod,
  VendorMethod,
  VendorRequestOptions,
} from './request-options.ts'
import { SessionCore } from './session-core.ts'
import { type ClientSessionOptions, checkSessionKeys, checkSessionOptions } from './session-options.ts'

/** The context of a question within a result. */
export interface InputRequestContext {
  /** The key of the question. */
  readonly requestId: RequestId
  /** Aborts when the answer is no longer needed. */
  readonly signal?: AbortSignal
  /** The `_meta` of the call that the question belongs to. */
  readonly meta?: MetaObject
}

/**
 * A connection to one server, without cache and without answering questions by itself; `Client` has a session and adds both.
 * Call `start()`, then negotiate a revision with `initialize()`, `discover()` or `adopt()`, and `close()` at the end.
 *
 * @example
 * ```ts
 * import { ClientSession, streamableHttp } from 'mcpwire/client'
 * const channel = await streamableHttp('https://example.com/mcp').open()
 * const session = new ClientSession(channel)
 * await session.start()
 * await session.discover()
 * ```
 */
export class ClientSession implements AsyncDisposable {
  readonly #core: SessionCore

  /** Over a dispatcher, or over a channel that carries JSON-RPC. Options that cannot work throw here. */
  constructor(peer: Dispatcher | Channel, options: ClientSessionOptions = {}) {
    checkSessionKeys(options)
    checkSessionOptions(options)
    this.#core = new SessionCore(this, peer, options)
    keepInternals(this, this.#core)
  }

  /** Starts to receive. Works once; rejects when the channel cannot be started. */
  async start(): Promise<void> {
    return this.#core.start()
  }

  /** Ends the session: calls fail, subscriptions are lost, the signals of callbacks abort. Waits for none of them. */
  async close(): Promise<void> {
    return this.#core.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The result of `initialize`; `undefined` on a modern connection. */
  get initializeResult(): InitializeResult | undefined {
    return this.#core.agreement.initializeResult
  }

  /** The result of `server/discover`; `undefined` on a legacy connection. */
  get discoverResult(): DiscoverResult | undefined {
    return this.#core.agreement.discoverResult
  }

  /** `undefined` until a revision is negotiated. */
  get protocolVersion(): ProtocolVersion | undefined {
    return this.#core.protocolVersion
  }

  /** For display and logs. A modern server may leave it out. */
  get serverInfo(): Implementation | undefined {
    return this.#core.agreement.serverInfo
  }

  /** What the server declares. `undefined` before `initialize()` or `discover()`. */
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#core.agreement.serverCapabilities
  }

  /** How to use the server, written by its author for the model. `undefined` if there are none. */
  get instructions(): string | undefined {
    return this.#core.agreement.instructions
  }

  /** Performs the handshake, once. Throws and adopts nothing when the server answers with a revision that this session does not accept. */
  async initialize(options: InitializeOptions = {}): Promise<InitializeResult> {
    this.#core.requests.assertStarted('initialize')
    return this.#core.agreement.initialize(options)
  }

  /** Discovers a modern server, once, and adopts its newest revision that this client supports. */
  async discover(options: RequestOptions = {}): Promise<DiscoverResult> {
    this.#core.requests.assertStarted('server/discover')
    return this.#core.agreement.discover(options)
  }

  /** Sends one `server/discover` in this revision, and adopts nothing. */
  async sendDiscover(version: ModernVersion, options: RequestOptions = {}): Promise<DiscoverResult> {
    this.#core.requests.assertStarted('server/discover')
    return this.#core.agreement.sendDiscover(version, options)
  }

  /** Continues from an earlier result, without any message. `version` picks one of the revisions in the result. */
  adopt(result: InitializeResult | DiscoverResult, version?: ModernVersion): void {
    this.#core.agreement.adopt(result, version)
  }

  /**
   * Sends any request. Params and results of the specification's methods are checked against the negotiated revision; those
   * of other methods are not.
   */
  async sendRequest<M extends InputRequiredMethod>(
    method: M,
    params: ClientRequestParamsByMethod[M],
    options: RequestOptions & AllowInputRequired,
  ): Promise<ClientRequestResultByMethod[M] | InputRequiredResult>
  async sendRequest<M extends string>(
    method: VendorMethod<M>,
    params?: JSONObject,
    options?: VendorRequestOptions,
  ): Promise<JSONObject>
  // Last, because the compiler's message for a mistake shows the last overload.
  async sendRequest<M extends SpecRequestMethod>(
    method: M,
    ...rest: SpecRequestArguments<M>
  ): Promise<ClientRequestResultByMethod[M]>
  async sendRequest(method: string, params?: JSONObject, options?: CallToolOptions): Promise<unknown> {
    return this.#core.requests.request(method, params, options)
  }

  /**
   * Sends a request as it is, and resolves to what comes back: for programs that pass messages on. Nothing is checked, left out or
   * finished. The modern envelope and the headers of HTTP are made from this message. There is no middleware, and no time limit
   * other than those of the options, by default that of the dispatcher (60 s).
   */
  async sendRaw(method: string, params?: JSONObject, options: RawRequestOptions = {}): Promise<JSONObject> {
    return this.#core.requests.sendRaw(method, params, options)
  }

  /** As `sendRaw`, for a notification: its params are sent as they are. */
  async sendRawNotification(method: string, params?: JSONObject): Promise<void> {
    return this.#core.requests.notifyRaw(method, params)
  }

  /** Best effort. Sent even before `start()`, dropped after `close()`. */
  async sendNotification<M extends string>(method: VendorMethod<M>, params?: JSONObject): Promise<void>
  async sendNotification<M extends SpecNotificationMethod>(
    method: M,
    params?: ClientNotificationParamsByMethod[M],
  ): Promise<void>
  async sendNotification(method: string, params?: JSONObject): Promise<void> {
    return this.#core.requests.notify(method, params)
  }

  /**
   * Calls a tool and checks `structuredContent` against the output schema in the listing. A tool that was never listed is
   * looked up once, where the server declares tools; that counts toward the limits of the call. Arguments that the listing
   * annotates are mirrored in headers; when the server rejects those as stale, the tools are listed again and the call is
   * repeated once.
   */
  callTool(
    name: string,
    args: AnyArguments | undefined,
    options: CallToolOptions & AllowInputRequired & AllowClaimed,
  ): Promise<CallToolResult | InputRequiredResult | ClaimedResult>
  callTool(
    name: string,
    args: AnyArguments | undefined,
    options: CallToolOptions & AllowInputRequired,
  ): Promise<CallToolResult | InputRequiredResult>
  callTool(
    name: string,
    args: AnyArguments | undefined,
    options: CallToolOptions & AllowClaimed,
  ): Promise<CallToolResult | ClaimedResult>
  callTool(name: string, args?: AnyArguments, options?: CallToolOptions & FinishedOnly): Promise<CallToolResult>
  callTool(name: string, args?: AnyArguments, options: CallToolOptions = {}): Promise<unknown> {
    // Not async: each promise on the path of a call costs time.
    return this.#core.tools.call(name, roundParams({ name }, args as JSONObject | undefined, options), options)
  }

  /** Reads a resource. With `allowInputRequired` a question of the server is returned in place of the contents. */
  async readResource(
    uri: string,
    options: InteractiveOptions & AllowInputRequired,
  ): Promise<ReadResourceResult | InputRequiredResult>
  async readResource(uri: string, options?: InteractiveOptions & FinishedOnly): Promise<ReadResourceResult>
  async readResource(uri: string, options: InteractiveOptions = {}): Promise<unknown> {
    return this.#core.requests.request('resources/read', roundParams({ uri }, undefined, options), options)
  }

  /** Renders a prompt. With `allowInputRequired` a question of the server is returned in place of the messages. */
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args: Arguments | undefined,
    options: InteractiveOptions & AllowInputRequired,
  ): Promise<GetPromptResult | InputRequiredResult>
  async getPrompt<Arguments extends StringMembers<Arguments>>(
    name: string,
    args?: Arguments,
    options?: InteractiveOptions & FinishedOnly,
  ): Promise<GetPromptResult>
  async getPrompt(name: string, args?: object, options: InteractiveOptions = {}): Promise<unknown> {
    return this.#core.requests.request(
      'prompts/get',
      roundParams({ name }, args as JSONObject | undefined, options),
      options,
    )
  }

  /** One page. On a modern connection tools with invalid header annotations are left out and reported as faults. */
  async listTools(options?: ListOptions): Promise<ListToolsResult> {
    return this.#core.requests.list<ListToolsResult>('tools/list', options)
  }

  /** Requests one page of resources. Pass `nextCursor` of the result as `cursor` to get the next page. */
  async listResources(options?: ListOptions): Promise<ListResourcesResult> {
    return this.#core.requests.list<ListResourcesResult>('resources/list', options)
  }

  /** Requests one page of resource templates. Pass `nextCursor` of the result as `cursor` to get the next page. */
  async listResourceTemplates(options?: ListOptions): Promise<ListResourceTemplatesResult> {
    return this.#core.requests.list<ListResourceTemplatesResult>('resources/templates/list', options)
  }

  /** Requests one page of prompts. Pass `nextCursor` of the result as `cursor` to get the next page. */
  async listPrompts(options?: ListOptions): Promise<ListPromptsResult> {
    return this.#core.requests.list<ListPromptsResult>('prompts/list', options)
  }

  /** `contextArguments` are the arguments that already have a value. */
  async complete<Arguments extends StringMembers<Arguments>>(
    ref: CompleteRequestParams['ref'],
    argument: CompletionArgument,
    contextArguments?: Arguments,
    options?: RequestOptions,
  ): Promise<CompleteResult> {
    const context =
      contextArguments === undefined ? {} : { context: { arguments: contextArguments as Record<string, string> } }
    return this.sendRequest('completion/complete', { ref, argument, ...context }, options)
  }

  /**
   * Sends a ping and resolves when the server answers.
   * @deprecated Use any other request. Modern servers have no ping.
   */
  async sendPing(options?: RequestOptions): Promise<EmptyResult> {
    return this.sendRequest('ping', {}, options)
  }

  /**
   * Sets the lowest level of log messages that the server sends.
   * @deprecated Use the option `logLevel`. Legacy only.
   */
  async setLoggingLevel(level: LoggingLevel, options?: RequestOptions): Promise<EmptyResult> {
    return this.sendRequest('logging/setLevel', { level }, options)
  }

  /**
   * Starts updates of a resource, which arrive at `onMessage`.
   * @deprecated Use `client.listen()`. Legacy only.
   */
  async subscribeResource(uri: string, options?: RequestOptions): Promise<EmptyResult> {
    return this.sendRequest('resources/subscribe', { uri }, options)
  }

  /**
   * Stops the updates of a resource.
   * @deprecated Use `subscription.close()`. Legacy only.
   */
  async unsubscribeResource(uri: string, options?: RequestOptions): Promise<EmptyResult> {
    return this.sendRequest('resources/unsubscribe', { uri }, options)
  }

  /**
   * Reports the progress of a request of the server. The token is in the `_meta` of that request.
   * @deprecated No replacement: a modern server sends no requests that could report progress.
   */
  async sendProgressNotification(
    progressToken: ProgressToken,
    progress: number,
    total?: number,
    message?: string,
  ): Promise<void> {
    const details = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
    return this.sendNotification('notifications/progress', { progressToken, progress, ...details })
  }

  /**
   * Announces that the roots have changed. The server then requests them again.
   * @deprecated Use tool arguments or resource URIs. Legacy only.
   */
  async sendRootsListChanged(): Promise<void> {
    return this.sendNotification('notifications/roots/list_changed')
  }

  /**
   * Throws `InvalidResultError` when a result does not fit the output schema of its tool. A tool that no listing has named yet
   * is looked up within these limits. `callTool` does this by itself.
   */
  async validateToolResult(
    name: string,
    result: CallToolResult,
    limits: Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'> = {},
  ): Promise<void> {
    return this.#core.tools.validate(name, result, limits)
  }

  /** Answers a question within a result with the callbacks, and checks the question and the answer. */
  async dispatchInputRequest(context: InputRequestContext, request: InputRequest): Promise<InputResponse> {
    const { requestId, signal = this.#core.endSignal, meta = metaOf(request.params) } = context
    const answer = await this.#core.answer(request, { session: this, requestId, signal, meta })
    return answer as InputResponse
  }
}

/** The params of one round of a call. An empty state is sent too, an undefined one is not. */
function roundParams(target: JSONObject, args: JSONObject | undefined, options: InteractiveOptions): JSONObject {
  const { inputResponses, requestState } = options
  if (args !== undefined) target['arguments'] = args
  if (inputResponses !== undefined) target['inputResponses'] = inputResponses
  if (requestState !== undefined) target['requestState'] = requestState
  return target
}
