// The parts of a session, connected in one direction: each part calls only those that are made before it.
import type { Channel } from '../../dispatcher/channel.ts'
import type { Dispatcher, Progress } from '../../dispatcher/dispatcher.ts'
import { connectionClosedError } from '../../dispatcher/error-policy.ts'
import { FaultReporter } from '../../dispatcher/fault.ts'
import { tellsFit } from '../../schema/fits.ts'
import { createLateEngine } from '../../schema/late-engine.ts'
import type { CallToolResult, ListToolsResult, ToolExecution } from '../../types/features/tools.ts'
import type { ServerCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { OwnedFilters } from '../extensions/owned-filters.ts'
import { SubscriptionRoutes } from '../subscriptions/routes.ts'
import { AgreedRequests } from './agreed-requests.ts'
import { Agreement } from './agreement.ts'
import type { ClientRequestContext } from './callbacks.ts'
import type { Question } from './era.ts'
import { Inbound } from './inbound.ts'
import type { SessionInternals } from './internals.ts'
import { createQuestionChain } from './middleware.ts'
import { OutboundRequests } from './outbound.ts'
import { assertFinishedCall } from './outbound-rules.ts'
import { connectPeer } from './peer.ts'
import { Questions } from './questions.ts'
import type { CallToolOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'
import type { DrivenSessionOptions } from './session-options.ts'
import { ToolCalls } from './tool-calls.ts'
import { ToolCatalog } from './tool-catalog.ts'
import type { CallLimits } from './tool-lookup.ts'

export class SessionCore implements SessionInternals {
  readonly faults: FaultReporter
  readonly routes = new SubscriptionRoutes()
  readonly filters: OwnedFilters
  readonly timeoutMs: number | undefined
  readonly agreement: Agreement
  readonly requests: AgreedRequests
  readonly tools: ToolCalls
  readonly #questions: Questions
  readonly #inbound: Inbound
  readonly #dispatcher: Dispatcher
  /** Resolves when the channel has started, and at once where there is none. */
  readonly #channelStarted: Promise<void>
  readonly #endReason: () => Error | undefined
  readonly #ending = new AbortController()

  /** `session` is what middleware and callbacks get as `ctx.session`. No part calls it. */
  constructor(session: ClientSession, peer: Dispatcher | Channel, options: DrivenSessionOptions) {
    const { onFault, onMessage, onHold, tap } = options
    const ignoresProgress = tap?.onNotify === undefined && (options.ignoresProgress ?? onMessage === undefined)
    const { timeoutMs, repeatSafeTools, middleware, schemaEngine: engine = createLateEngine({}, tellsFit) } = options
    const faults = new FaultReporter(onFault)
    const { dispatcher, started, endReason } = connectPeer(peer, {
      onFault,
      hearsProgress: !ignoresProgress,
      decode: tap?.decode,
      onHold,
      questionsAtOnce: options.questionsAtOnce,
      // A process may need seconds to end. Nothing can be sent to it meanwhile.
      onEnd: () => this.#end(),
    })
    const catalog = new ToolCatalog(engine, faults)
    const outbound = new OutboundRequests(session, dispatcher, options)
    const annotationsOf = (toolName: unknown) => catalog.annotationsOf(toolName)
    const agreement = new Agreement({ options, annotationsOf }, outbound, dispatcher)
    const requests = new AgreedRequests(agreement, outbound, catalog)
    const questions = new Questions(options, engine, faults, createQuestionChain(middleware))
    this.faults = faults
    this.timeoutMs = timeoutMs
    this.filters = new OwnedFilters(options.extensionFilters)
    this.agreement = agreement
    this.requests = requests
    this.tools = new ToolCalls({ agreement, requests, catalog, faults, timeoutMs, repeatSafeTools })
    this.#questions = questions
    this.#inbound = new Inbound({ session, options, faults, routes: this.routes, questions, agreement })
    this.#dispatcher = dispatcher
    this.#channelStarted = started
    this.#endReason = endReason
  }

  async start(): Promise<void> {
    this.requests.start()
    const running = this.#dispatcher.run(
      (context, method, params) => this.#inbound.onRequest(context, method, params),
      (context, method, params) => this.#inbound.onNotify(context, method, params),
    )
    const end = () => this.#end()
    running.then(end, end)
    await Promise.race([running, this.#channelStarted])
  }

  async close(): Promise<void> {
    this.routes.end()
    this.#end()
    await this.#dispatcher.close()
  }

  get endSignal(): AbortSignal {
    return this.#ending.signal
  }

  get protocolVersion(): ProtocolVersion | undefined {
    const { era } = this.agreement
    return era.isNegotiated ? era.version : undefined
  }

  get isModern(): boolean {
    return this.agreement.discoverResult !== undefined
  }

  get serverCapabilities(): ServerCapabilities | undefined {
    return this.agreement.serverCapabilities
  }

  request(method: string, params: JSONObject | undefined, options?: CallToolOptions): Promise<unknown> {
    return this.requests.request(method, params, options)
  }

  async checkToolResult(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    assertFinishedCall(this.agreement.era, result)
    await this.tools.checkOwn(name, result, limits)
  }

  taskSupport(name: string, limits: CallLimits): Promise<ToolExecution['taskSupport']> {
    return this.tools.taskSupport(name, limits)
  }

  followProgress(token: RequestId, listener: (progress: Progress) => void): () => void {
    return this.#inbound.followProgress(token, listener)
  }

  learnTools(listing: ListToolsResult, isComplete: boolean): ListToolsResult {
    return this.requests.learnTools(listing, isComplete)
  }

  answer(question: Question, ctx: ClientRequestContext): Promise<JSONObject> {
    return this.#questions.answer(this.agreement.era, question, ctx)
  }

  #end(): void {
    this.routes.close()
    this.#inbound.close()
    this.#ending.abort(connectionClosedError(this.#endReason()))
  }
}
