// The typed view of a client that a handler gets with each message: two ways back, and the verbs of the protocol on them.
import type { CallOptions, DispatchContext, Outbound } from '../dispatcher/dispatcher.ts'
import { throwAnswer } from '../types/errors/errors.ts'
import type { ElicitRequestedSchema, ElicitResult } from '../types/features/elicitation.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../types/features/logging.ts'
import type { ListRootsResult } from '../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../types/features/sampling.ts'
import type { EmptyResult } from '../types/protocol/base.ts'
import type { ClientCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ProgressToken } from '../types/protocol/jsonrpc.ts'
import type { InitializeRequestParams } from '../types/protocol/lifecycle.ts'
import type { ServerRequestParamsByMethod, ServerRequestResultByMethod } from '../types/protocol/methods.ts'
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { checkNotification, checkRequest, checkResult, sieveParams } from '../wire/check.ts'
import { isSpecMethod, notificationFacts } from '../wire/method-rows.ts'
import { hasClientCapability, requireAnswerable } from './asking/client-capabilities.ts'
import {
  checkElicitAnswer,
  checkElicitUrl,
  checkElicitUrlAnswer,
  checkRequestedSchema,
  settleForm,
} from './asking/elicitation-rules.ts'
import { checkSamplingRequest, checkSamplingResult } from './asking/question-rules.ts'
import type { ConnectionCore } from './connection.ts'
import type { VendorMethod } from './handlers.ts'
import type { SharedValues } from './shared-values.ts'

const SEVERITY: ReadonlyMap<unknown, number> = new Map(LOGGING_LEVELS.map((level, severity) => [level, severity]))

/** Whether `level` is `minimum` or more severe. Without a minimum every level is; an unknown word never is. */
export function isLevelEnabled(level: LoggingLevel, minimum: LoggingLevel | undefined): boolean {
  const severity = SEVERITY.get(level)
  const least = minimum === undefined ? 0 : SEVERITY.get(minimum)
  return severity !== undefined && least !== undefined && severity >= least
}

/** Which log messages a client asked for. A `ConnectionCore` knows it. */
export interface LogPreference {
  /** Set by `logging/setLevel` or, since 2026-07-28, by the request being handled. */
  readonly logLevel: LoggingLevel | undefined
  /** Whether a client that named no level wants nothing, rather than everything. */
  readonly isLogSilentByDefault: boolean
}

/**
 * Whether a message of this level may be sent. Before `logging/setLevel` was called everything is; since 2026-07-28
 * nothing is unless the request asks for it.
 */
export function wantsLogMessage(level: LoggingLevel, { logLevel, isLogSilentByDefault }: LogPreference): boolean {
  if (logLevel === undefined && isLogSilentByDefault) return false
  return isLevelEnabled(level, logLevel)
}

/** Options of requests that a server sends to its client. */
export interface SessionCallOptions
  extends Pick<CallOptions, 'requestId' | 'timeoutMs' | 'maxTotalMs' | 'onProgress' | 'signal'> {
  /** `false` sends outside of the request that is being handled (default: `true`). */
  related?: boolean | undefined
}

/** Sends a request, and reports the id that it is sent with. */
export type SendLayered = (
  params: JSONObject | undefined,
  onRequestId?: CallOptions['onRequestId'],
) => Promise<JSONObject>

/** Runs around each request that the server sends, with its params as they will be sent. */
export type SendingLayer = (method: string, params: JSONObject | undefined, send: SendLayered) => Promise<JSONObject>

/** Where a session finds the layer around its requests, if there is one. */
export interface SendingLayerSource {
  readonly sending: SendingLayer | undefined
}

/** Options of notifications that a server sends to its client. */
export type SessionNotifyOptions = Pick<SessionCallOptions, 'related'>

/** An invalid message of the server is not an error of its client. */
const OURS = Object.freeze({ local: true })

const LOG_MESSAGE = 'notifications/message'

/**
 * Requests, log messages and progress go by the way of the request that is being handled, unless `related: false` says
 * otherwise; changes of lists and resources always go by the standalone way of the connection. Where there is no way back,
 * a request fails at once with `NoBackChannelError`.
 *
 * @example
 * ```ts
 * server.tool('summarize', async (_args, ctx) => {
 *   const content = { type: 'text' as const, text: 'Summarize the news.' }
 *   const message = await ctx.session.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 })
 *   return message.model
 * })
 * ```
 */
export class ServerSession {
  readonly #connection: ConnectionCore
  readonly #dispatch: DispatchContext
  readonly #layers: SendingLayerSource

  /** For `createSession`. Not a static block: a bundler keeps a class that has one, even in programs that use no server. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: the line above says who uses it.
  private static create(
    connection: ConnectionCore,
    dispatch: DispatchContext,
    layers: SendingLayerSource,
  ): ServerSession {
    return new this(connection, dispatch, layers)
  }

  private constructor(connection: ConnectionCore, dispatch: DispatchContext, layers: SendingLayerSource) {
    this.#connection = connection
    this.#dispatch = dispatch
    this.#layers = layers
  }

  /** The revision that the client speaks. */
  get protocolVersion(): ProtocolVersion {
    return this.#connection.protocolVersion
  }

  /** What the client sent with `initialize`; `undefined` in the modern era. */
  get clientParams(): InitializeRequestParams | undefined {
    return this.#connection.clientParams
  }

  /** What the client declares. */
  get clientCapabilities(): ClientCapabilities {
    return this.#connection.clientCapabilities
  }

  /** Whether a request can be sent while this message is being handled. */
  get canSendRequest(): boolean {
    return this.#dispatch.canSendRequest
  }

  /**
   * JSON values that live as long as the session, on every node that serves it: 64 KiB in all. Without a backend they are kept
   * in memory. In the modern era there is no session, and they live as long as the request.
   */
  get shared(): SharedValues {
    return this.#connection.shared
  }

  /** Whether the client declared all of this and its revision has it; `elicitation: {}` means forms. */
  checkClientCapability(capability: ClientCapabilities): boolean {
    return hasClientCapability(this.clientCapabilities, capability, this.protocolVersion)
  }

  /** Sends a request of the specification, checked both ways, or one of a vendor, as it is. */
  sendRequest<M extends keyof ServerRequestParamsByMethod>(
    method: M,
    params?: ServerRequestParamsByMethod[M],
    options?: SessionCallOptions,
  ): Promise<ServerRequestResultByMethod[M]>
  sendRequest<M extends string>(
    method: VendorMethod<M, keyof ServerRequestParamsByMethod>,
    params?: JSONObject,
    options?: SessionCallOptions,
  ): Promise<JSONObject>
  // Repeated: the compiler explains a mistake with the last overload.
  sendRequest<M extends keyof ServerRequestParamsByMethod>(
    method: M,
    params?: ServerRequestParamsByMethod[M],
    options?: SessionCallOptions,
  ): Promise<ServerRequestResultByMethod[M]>
  async sendRequest(method: string, params?: JSONObject, options: SessionCallOptions = {}): Promise<JSONObject> {
    // Where nothing can be sent, that is the answer; that this revision has no such request is only the reason.
    if (!isSpecMethod(method) || !this.#canSend(options.related)) return this.#send(method, params, options)
    const version = this.protocolVersion
    // Optional by the schema, but some clients cannot read the request without.
    const given = method === 'roots/list' ? (params ?? {}) : params
    const sieved = sieveParams(method, version, given)
    checkRequest(method, version, sieved, 'server', OURS)
    const result = await this.#send(method, sieved, options)
    checkResult(method, version, result, { asTask: true })
    return result
  }

  /**
   * Never rejects for want of a peer; a notification that the revision does not have is a mistake and does. Log messages
   * and changes are treated as by their own verbs.
   */
  async sendNotification(method: string, params?: JSONObject, options: SessionNotifyOptions = {}): Promise<void> {
    if (method === LOG_MESSAGE && !wantsLogMessage(params?.['level'] as LoggingLevel, this.#connection)) return
    if (isSpecMethod(method)) checkNotification(method, this.protocolVersion, params, 'server', OURS)
    const outbound =
      notificationFacts(method)?.change !== undefined ? this.#connection.backChannel : this.#way(options.related)
    await outbound.notify(method, params)
  }

  /**
   * Asks the client's model for a message. The messages must follow the rules for tool use; the content of the result is a
   * list only where `tools` were given.
   * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
   */
  async createMessage(params: CreateMessageRequestParams, options?: SessionCallOptions): Promise<CreateMessageResult> {
    if (this.#canSend(options?.related)) {
      checkSamplingRequest(params, this.clientCapabilities, this.protocolVersion)
    }
    const result = await this.sendRequest('sampling/createMessage', params, options)
    checkSamplingResult(params, result)
    return result
  }

  /** Asks the user to fill in a form. The schema is flat; accepted content has been checked against it. */
  async elicitForm(
    message: string,
    requestedSchema: ElicitRequestedSchema,
    options?: SessionCallOptions,
  ): Promise<ElicitResult> {
    checkRequestedSchema(requestedSchema)
    const settling = settleForm(requestedSchema)
    if (settling !== undefined) await settling
    if (this.#canSend(options?.related)) requireAnswerable(this, { elicitation: { form: {} } })
    const params = { mode: 'form' as const, message, requestedSchema }
    return checkElicitAnswer(requestedSchema, await this.sendRequest('elicitation/create', params, options))
  }

  /** Asks the user to visit a URL. `accept` means that they agreed to, not that they are done. */
  async elicitUrl(
    message: string,
    url: string,
    elicitationId: string = crypto.randomUUID(),
    options?: SessionCallOptions,
  ): Promise<ElicitResult> {
    checkElicitUrl(url)
    if (this.#canSend(options?.related)) requireAnswerable(this, { elicitation: { url: {} } })
    const params = { mode: 'url' as const, message, url, elicitationId }
    return checkElicitUrlAnswer(await this.sendRequest('elicitation/create', params, options))
  }

  /**
   * The old name of `elicitForm`.
   * @deprecated Use `elicitForm`.
   */
  elicit(message: string, requestedSchema: ElicitRequestedSchema, options?: SessionCallOptions): Promise<ElicitResult> {
    return this.elicitForm(message, requestedSchema, options)
  }

  /**
   * Requests the folders that the server may work in.
   * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
   */
  async listRoots(options?: SessionCallOptions): Promise<ListRootsResult> {
    if (this.#canSend(options?.related)) requireAnswerable(this, { roots: {} })
    return this.sendRequest('roots/list', {}, options)
  }

  /**
   * Sends a ping and resolves when the client answers.
   * @deprecated No replacement: 2026-07-28 has no `ping`.
   */
  sendPing(options?: SessionCallOptions): Promise<EmptyResult> {
    return this.sendRequest('ping', undefined, options)
  }

  /**
   * Sends a log message if the client wants to see this level: what it set with `logging/setLevel`, or, since 2026-07-28,
   * what this very request asked for.
   * @deprecated Use OpenTelemetry or stderr. Logging is deprecated since 2026-07-28.
   */
  async sendLogMessage(
    level: LoggingLevel,
    data: unknown,
    logger?: string,
    options: SessionNotifyOptions = {},
  ): Promise<void> {
    await this.sendNotification(LOG_MESSAGE, { level, data, ...(logger !== undefined && { logger }) }, options)
  }

  /** Reports progress for a progress token. `ctx.reportProgress` does it for the request that is being handled. */
  async sendProgressNotification(
    progressToken: ProgressToken,
    progress: number,
    total?: number,
    message?: string,
    options: SessionNotifyOptions = {},
  ): Promise<void> {
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    }
    await this.sendNotification('notifications/progress', params, options)
  }

  /** Notifies this client that a resource has changed. `Server.announce` notifies all clients that watch it. */
  async sendResourceUpdated(uri: string): Promise<void> {
    await this.sendNotification('notifications/resources/updated', { uri })
  }

  /** Announces that the list of resources has changed. `MCPServer` does this itself. */
  async sendResourceListChanged(): Promise<void> {
    await this.sendNotification('notifications/resources/list_changed')
  }

  /** Announces that the list of tools has changed. `MCPServer` does this itself. */
  async sendToolListChanged(): Promise<void> {
    await this.sendNotification('notifications/tools/list_changed')
  }

  /** Announces that the list of prompts has changed. `MCPServer` does this itself. */
  async sendPromptListChanged(): Promise<void> {
    await this.sendNotification('notifications/prompts/list_changed')
  }

  /** Notifies the client that the interaction of an `elicitUrl` is over (2025-11-25). */
  async sendElicitComplete(elicitationId: string, options: SessionNotifyOptions = {}): Promise<void> {
    await this.sendNotification('notifications/elicitation/complete', { elicitationId }, options)
  }

  #send(method: string, params: JSONObject | undefined, options: SessionCallOptions): Promise<JSONObject> {
    const { related, ...callOptions } = options
    const outbound = this.#way(related)
    const layer = this.#canSend(related) ? this.#layers.sending : undefined
    if (layer === undefined) return outbound.sendRawRequest(method, params, callOptions).catch(throwAnswer)
    return layer(method, params, (given, onRequestId) =>
      outbound.sendRawRequest(method, given, onRequestId === undefined ? callOptions : { ...callOptions, onRequestId }),
    ).catch(throwAnswer)
  }

  #way(related = true): Outbound {
    return related ? this.#dispatch : this.#connection.backChannel
  }

  #canSend(related = true): boolean {
    return related ? this.#dispatch.canSendRequest : this.#connection.canSendRequest
  }
}

/** The session of one message. */
export function createSession(
  connection: ConnectionCore,
  dispatch: DispatchContext,
  layers: SendingLayerSource,
): ServerSession {
  return ServerSession['create'](connection, dispatch, layers)
}
