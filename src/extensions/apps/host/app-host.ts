// The host's end of the connection to a view: its handshake, what it may ask for, and what it hears of its tool call.

import type { Channel } from '../../../dispatcher/channel.ts'
import type { DispatchContext } from '../../../dispatcher/dispatcher.ts'
import { FaultReporter } from '../../../dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../../dispatcher/jsonrpc-dispatcher.ts'
import { callBack } from '../../../primitives/async/call-back.ts'
import { createDeferred } from '../../../primitives/async/promises.ts'
import { rangeError } from '../../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import {
  type AppCapabilities,
  type DisplayMode,
  type HostContext,
  VIEW_PROTOCOL_VERSION,
} from '../../../types/extensions/apps.ts'
import type { LoggingMessageNotificationParams } from '../../../types/features/logging.ts'
import type { CallToolResult } from '../../../types/features/tools.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import type { Implementation } from '../../../types/protocol/metadata.ts'
import { PACKAGE_VERSION } from '../../../types/protocol/package-version.ts'
import { FloodGate } from './flood-gate.ts'
import { type AppHostOptions, capabilitiesOf, checkHostOptions } from './host-options.ts'
import { LatestSize } from './latest-size.ts'
import { ToolPhase } from './tool-phase.ts'
import { invalid, SERVER_METHODS, ViewCalls } from './view-calls.ts'
import { answerViewRequest, unknownMethod } from './view-requests.ts'

const DEFAULT_HOST_INFO: Implementation = Object.freeze({ name: 'mcpwire', version: PACKAGE_VERSION })
const MODES: readonly DisplayMode[] = ['inline', 'fullscreen', 'pip']
const TEARDOWN_MS = 1_000
/** A view is one person's window: what it asks for beyond this waits. */
const MAX_CONCURRENT = 16
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** How many log messages of a view the host takes in a second. */
const MAX_LOGS = 100
const MAX_CLOSE_REQUESTS = 10
/** The second is how older drafts called it. */
const PROXY_READY: ReadonlySet<string> = new Set([
  'ui/notifications/sandbox-proxy-ready',
  'ui/notifications/sandbox-ready',
])

/**
 * Serves one view over a channel, such as that of `windowChannel()`. Listens from its construction on: create it before the frame
 * gets its `src`. What is sent before the view is ready waits for it.
 */
export class AppHost implements AsyncDisposable {
  /** Resolves when the view is ready. Rejects if it is closed before. */
  readonly ready: Promise<void>
  readonly #options: AppHostOptions
  readonly #dispatcher: JSONRPCDispatcher
  readonly #calls: ViewCalls | undefined
  readonly #phase: ToolPhase
  readonly #faults: FaultReporter
  readonly #size: LatestSize | undefined
  readonly #logs: FloodGate
  readonly #closeRequests: FloodGate
  readonly #isReady = createDeferred<void>()
  #state: 'new' | 'initializing' | 'ready' | 'closed' = 'new'
  #context: HostContext
  /** Changes of the context that the view has not heard of. */
  #unsent: HostContext = {}
  #app: AppCapabilities = {}
  #appInfo: Implementation | undefined
  #closing: Promise<void> | undefined

  constructor(channel: Channel, options: AppHostOptions = {}) {
    checkHostOptions(options)
    const { client, context = {}, onFault, onSize } = options
    this.#options = options
    this.#context = { displayMode: 'inline', ...context }
    this.#calls = client === undefined ? undefined : new ViewCalls(client, options.onToolCall)
    this.#faults = new FaultReporter(onFault)
    this.#size = onSize === undefined ? undefined : new LatestSize((size) => this.#callBack('onSize', onSize, size))
    this.#logs = new FloodGate('notifications/message', MAX_LOGS, this.#faults)
    this.#closeRequests = new FloodGate('ui/notifications/request-teardown', MAX_CLOSE_REQUESTS, this.#faults)
    this.#dispatcher = new JSONRPCDispatcher(channel, {
      maxConcurrentRequests: MAX_CONCURRENT,
      maxWaitingBytes: MAX_WAITING_BYTES,
      inlineMethods: ['ui/initialize'],
      urgentMethods: ['ping'],
      ...(onFault !== undefined && { onFault }),
    })
    this.#phase = new ToolPhase((method, params) => this.#notify(method, params))
    this.ready = this.#isReady.promise
    // Whoever does not wait for it is not bothered by a view that never comes.
    this.ready.catch(() => {})
    void this.#dispatcher
      .run(
        (ctx, method, params = {}) => this.#answer(ctx, method, params),
        (_ctx, method, params = {}) => this.#hear(method, params),
      )
      .catch(() => {})
      .finally(() => this.#end())
  }

  /** Name and version of the view, as it says; `undefined` before it is there. */
  get appInfo(): Implementation | undefined {
    return this.#appInfo
  }

  /** What the view can do, as it says. Its own tools, which are a draft, are not offered to the model. */
  get appCapabilities(): AppCapabilities {
    return this.#app
  }

  /** What the view knows about where it is shown. */
  get context(): HostContext {
    return this.#context
  }

  /** Sends arguments that the model is still writing, any number of times before `sendInput()`. */
  sendPartialInput(args: JSONObject): void {
    this.#phase.partialInput(args)
  }

  /** Sends the arguments of the tool call, once. */
  sendInput(args: JSONObject = {}): void {
    this.#phase.input(args)
  }

  /** Sends the result of the tool call, once, after its input. After a cancellation it is dropped. */
  sendResult(result: CallToolResult): void {
    this.#phase.result(result as unknown as JSONObject)
  }

  /** Tells the view that its tool call was cancelled, whatever the reason. After the result it does nothing. */
  sendCancelled(reason?: string): void {
    this.#phase.cancelled(reason)
  }

  /** Changes members of the context. Throws `RangeError` for a display mode that the view did not declare. */
  sendContext(changes: HostContext): void {
    if (this.#state === 'closed') return
    const { displayMode } = changes
    const { availableDisplayModes } = this.#app
    if (displayMode !== undefined && availableDisplayModes?.includes(displayMode) === false) {
      throw rangeError(
        'wrong-argument',
        `The view can't be shown as ${JSON.stringify(displayMode)}. Use one of: ${availableDisplayModes.join(', ')}.`,
      )
    }
    this.#context = { ...this.#context, ...changes }
    if (this.#state === 'new') return
    this.#unsent = { ...this.#unsent, ...changes }
    this.#tellContext()
  }

  /** Tells the view that the tools of its server have changed, and reads them again when it calls one. */
  sendToolsChanged(): void {
    this.#calls?.forgetTools()
    if (this.#state === 'ready') this.#notify('notifications/tools/list_changed', {})
  }

  /** Lets the view save its state, for `teardownMs` at most, and closes the connection. Remove the frame afterwards. */
  close(reason?: string): Promise<void> {
    this.#closing ??= this.#tearDown(reason)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #tearDown(reason: string | undefined): Promise<void> {
    if (this.#state === 'ready') {
      const timeoutMs = this.#options.teardownMs ?? TEARDOWN_MS
      const params = reason === undefined ? {} : { reason }
      await this.#dispatcher
        .sendRawRequest('ui/resource-teardown', params, { timeoutMs, maxTotalMs: timeoutMs, cancelOnAbandon: false })
        .catch(() => {})
    }
    this.#end()
    await this.#dispatcher.close()
  }

  #end(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#phase.close()
    this.#size?.close()
    this.#isReady.reject(new Error('The view was closed before it was ready.'))
  }

  async #answer(ctx: DispatchContext, method: string, params: JSONObject): Promise<JSONObject> {
    if (method === 'ping') return {}
    if (method === 'ui/initialize') return this.#initialize(params)
    if (this.#state !== 'ready') {
      throw new MCPError(ErrorCode.InvalidRequest, `'${method.slice(0, 128)}' came before ui/notifications/initialized`)
    }
    if (method === 'ui/request-display-mode') return { mode: await this.#switchMode(params['mode']) }
    if (!SERVER_METHODS.has(method)) return answerViewRequest(this.#options, method, params)
    if (this.#calls === undefined) throw unknownMethod(method)
    return this.#calls.answer(ctx, method, params)
  }

  #initialize({ appInfo, appCapabilities }: JSONObject): JSONObject {
    if (this.#state !== 'new') throw new MCPError(ErrorCode.InvalidRequest, 'The view has sent ui/initialize before')
    if (!isPlainObject(appInfo) || typeof appInfo['name'] !== 'string') throw invalid('appInfo must have a name')
    this.#state = 'initializing'
    this.#appInfo = appInfo as unknown as Implementation
    this.#app = readCapabilities(appCapabilities)
    return {
      protocolVersion: VIEW_PROTOCOL_VERSION,
      hostInfo: this.#options.hostInfo ?? DEFAULT_HOST_INFO,
      hostCapabilities: capabilitiesOf(this.#options),
      hostContext: this.#context,
    }
  }

  #hear(method: string, params: JSONObject): void {
    if (PROXY_READY.has(method)) this.#showView()
    else if (method === 'ui/notifications/initialized') this.#becomeReady()
    else if (this.#state === 'ready') this.#hearReady(method, params)
  }

  #hearReady(method: string, params: JSONObject): void {
    if (method === 'ui/notifications/size-changed') this.#size?.report(params)
    else if (method === 'ui/notifications/request-teardown') {
      if (this.#closeRequests.admits()) this.#callBack('onCloseRequest', this.#options.onCloseRequest, undefined)
    } else if (method === 'notifications/message' && typeof params['level'] === 'string') {
      const message = params as unknown as LoggingMessageNotificationParams
      if (this.#logs.admits()) this.#callBack('onLog', this.#options.onLog, message)
    }
  }

  /** Calls back without waiting for an answer. A failure is reported as a fault, and the view goes on. */
  #callBack<T>(name: string, callback: ((value: T) => void) | undefined, value: T): void {
    if (callback === undefined) return
    callBack(callback, value, (error) =>
      this.#faults.reportCallback({
        kind: 'callback-failed',
        message: `${name} of the AppHost threw an error.`,
        error,
      }),
    )
  }

  /** The sandbox page may say more than once that it is ready, until it has what it should show. */
  #showView(): void {
    const { view, sandbox = [] } = this.#options
    if (view === undefined || this.#state !== 'new') return
    const { html, csp, permissions } = view
    const words = [...new Set(['allow-scripts', ...sandbox])].join(' ')
    this.#notify('ui/notifications/sandbox-resource-ready', { html, sandbox: words, csp, permissions })
  }

  #becomeReady(): void {
    if (this.#state !== 'initializing') return
    this.#state = 'ready'
    this.#tellContext()
    this.#phase.ready()
    this.#isReady.resolve()
  }

  #tellContext(): void {
    if (this.#state !== 'ready' || Object.keys(this.#unsent).length === 0) return
    this.#notify('ui/notifications/host-context-changed', this.#unsent)
    this.#unsent = {}
  }

  /** Switches to a mode that the view has declared and the host offers. The answer is the mode in force. */
  async #switchMode(mode: unknown): Promise<DisplayMode> {
    const current = this.#context.displayMode ?? 'inline'
    const { onDisplayMode } = this.#options
    const isPossible = (candidate: unknown): candidate is DisplayMode =>
      MODES.includes(candidate as DisplayMode) &&
      this.#app.availableDisplayModes?.includes(candidate as DisplayMode) === true &&
      this.#context.availableDisplayModes?.includes(candidate as DisplayMode) !== false
    if (onDisplayMode === undefined || mode === current || !isPossible(mode)) return current
    const given = await onDisplayMode(mode)
    if (given === current || !isPossible(given)) return this.#context.displayMode ?? current
    this.sendContext({ displayMode: given })
    return given
  }

  #notify(method: string, params: JSONObject): void {
    void this.#dispatcher.notify(method, params)
  }
}

function readCapabilities(given: unknown): AppCapabilities {
  const modes = ownMember(given, 'availableDisplayModes')
  const tools = ownMember(given, 'tools')
  return {
    ...(Array.isArray(modes) && { availableDisplayModes: MODES.filter((mode) => modes.includes(mode)) }),
    ...(isPlainObject(tools) && { tools }),
  }
}
