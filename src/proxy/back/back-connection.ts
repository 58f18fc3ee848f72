// One connection to a source: calls go out as they are, and what the source sends finds its way to the caller that it belongs to.
import type { OpenClient } from '../../client/opening/create-open-client.ts'
import type { CallerEnvelope } from '../../client/session/era.ts'
import { NOT_MINE, type SessionTap } from '../../client/session/middleware.ts'
import { CANCELLED, PROGRESS, readProgressToken } from '../../dispatcher/context.ts'
import type { DispatchContext } from '../../dispatcher/dispatcher.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProgressToken, RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { CHANGE_NOTIFICATIONS, isSpecMethod, requestFacts } from '../../wire/method-rows.ts'
import type { Era } from '../base/caller.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import type { Forwarding } from '../base/options.ts'

/** The front client that hears what belongs to no call. */
export interface FrontLink {
  notify(method: string, params: JSONObject | undefined): void
  ask(method: string, params: JSONObject | undefined, signal: AbortSignal): Promise<JSONObject>
}

/** Answers a question of the source that belongs to a call. */
export type Ask = (method: string, params: JSONObject | undefined, signal: AbortSignal) => Promise<JSONObject>

/** A call under way, and where its messages go. */
export interface BackCall {
  /** The request of the front that is open now. */
  request: ServerRequestContext
  token: ProgressToken | undefined
  ask: Ask
}

export interface BackCallOptions {
  readonly envelope?: CallerEnvelope | undefined
  readonly annotations?: readonly HeaderAnnotation[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly nameParam?: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface BackHost {
  readonly forward: Forwarding
  /** A list of the source has changed, or one of its resources. */
  changed(method: string, params: JSONObject | undefined): void
  /** Something could not be passed on. Reported once for each text. */
  dropped(message: string, method: string): void
}

const MAX_TASK_TOKENS = 1_024
const LOG_MESSAGE = 'notifications/message'

export class BackConnection {
  readonly tap: SessionTap
  readonly fronts = new Set<FrontLink>()
  readonly #host: BackHost
  readonly #calls = new Map<RequestId, BackCall>()
  /** Progress of tasks goes on when their call has been answered. */
  readonly #taskTokens = new Map<RequestId, { readonly token: ProgressToken; readonly front: FrontLink }>()
  #client: OpenClient | undefined
  #era: Era = 'legacy'

  constructor(host: BackHost) {
    this.#host = host
    this.tap = {
      onRequest: (context, method, params) => this.#asked(context, method, params),
      onNotify: (context, method, params) => this.#heard(context, method, params),
    }
  }

  opened(client: OpenClient, era: Era): void {
    this.#client = client
    this.#era = era
  }

  get client(): OpenClient {
    return this.#client as OpenClient
  }

  get era(): Era {
    return this.#era
  }

  get openCalls(): number {
    return this.#calls.size
  }

  /** Resolves to what the source answers, whatever it is. Rejects with its error, or with what became of the connection. */
  async call(call: BackCall, method: string, params: JSONObject, options: BackCallOptions): Promise<JSONObject> {
    const isLong = requestFacts(method)?.longRunning === true
    const { headers, ...rest } = options
    let key: RequestId | undefined
    try {
      const result = await this.client.session.sendRaw(method, params, {
        ...rest,
        // A token of our own: several callers may share the connection, and each knows only its own tokens.
        wantsProgress: call.token !== undefined || isLong,
        onRequestId: (id) => {
          key = correlationKey(id)
          this.#calls.set(key, call)
        },
        ...(headers !== undefined && { hints: { headers } }),
      })
      if (key !== undefined && result['task'] !== undefined) this.#keepToken(key, call)
      return this.#withFrontId(call, key, result)
    } finally {
      if (key !== undefined) this.#calls.delete(key)
    }
  }

  notify(method: string, params: JSONObject | undefined): Promise<void> {
    return this.client.session.sendRawNotification(method, params)
  }

  /** The source has closed the stream of this call, and resumes it later: so does the front, where it can. */
  streamClosed(id: RequestId): void {
    this.#calls.get(correlationKey(id))?.request.dispatch.transport.closeStream?.()
  }

  #keepToken(key: RequestId, { token, request }: BackCall): void {
    if (token === undefined || this.#taskTokens.size >= MAX_TASK_TOKENS) return
    this.#taskTokens.set(key, { token, front: frontLinkOf(request) })
  }

  /** The id of a subscription is that of its request, which is another one at the front. */
  #withFrontId(call: BackCall, key: RequestId | undefined, message: JSONObject): JSONObject {
    const meta = message['_meta']
    const id = ownMember(meta, SUBSCRIPTION_ID_META_KEY)
    if (id === undefined || !isRequestId(id) || correlationKey(id) !== key) return message
    return { ...message, _meta: { ...(meta as JSONObject), [SUBSCRIPTION_ID_META_KEY]: call.request.requestId } }
  }

  async #asked(context: DispatchContext, method: string, params: JSONObject | undefined) {
    if (this.#era === 'modern' || method === 'ping') return NOT_MINE
    if (!isSpecMethod(method) && !this.#host.forward.vendor) return NOT_MINE
    try {
      const call = this.#callOf(context.relatedRequestId) ?? this.#newestCall()
      if (call !== undefined) return await call.ask(method, params, context.signal)
      const [front] = this.fronts
      if (front !== undefined && this.fronts.size === 1) return await front.ask(method, params, context.signal)
    } catch (error) {
      if (isPeerError(error)) throw passOn(error)
      if (!(error instanceof NoBackChannelError)) throw error
    }
    throw new MCPError(ErrorCode.ConnectionClosed, `Nobody is there to answer '${method}'.`)
  }

  #heard(context: DispatchContext, method: string, params: JSONObject | undefined): undefined | typeof NOT_MINE {
    if (method === PROGRESS) {
      this.#progress(params)
      return undefined
    }
    if (method === CANCELLED) return this.#cancelled(params)
    if (method === LOG_MESSAGE && !this.#host.forward.logging) return undefined
    if (!isSpecMethod(method) && !this.#host.forward.vendor) return undefined
    if (CHANGES.has(method)) this.#host.changed(method, params)
    const subscription = ownMember(params?.['_meta'], SUBSCRIPTION_ID_META_KEY)
    if (isRequestId(subscription)) {
      const key = correlationKey(subscription)
      const call = this.#calls.get(key)
      if (call === undefined) {
        // A subscription of our own, for legacy clients: they hear of changes outside of any request.
        if (CHANGES.has(method)) for (const front of this.fronts) front.notify(method, withoutSubscription(params))
        return NOT_MINE
      }
      void call.request.dispatch.notify(method, this.#withFrontId(call, key, params as JSONObject))
      return undefined
    }
    const call = this.#callOf(context.relatedRequestId) ?? (CHANGES.has(method) ? undefined : this.#onlyCall())
    if (call !== undefined) void call.request.dispatch.notify(method, params)
    else if (this.#era === 'legacy') for (const front of this.fronts) front.notify(method, params)
    else
      this.#host.dropped('A message of the source names no request, and several callers share its connection', method)
    // List changes concern our own subscriptions too.
    return CHANGES.has(method) ? NOT_MINE : undefined
  }

  #progress(params: JSONObject | undefined): void {
    const given = params?.['progressToken']
    if (!isRequestId(given) || !this.#host.forward.progress) return
    const key = correlationKey(given)
    const call = this.#calls.get(key)
    if (call?.token !== undefined) {
      void call.request.dispatch.notify(PROGRESS, { ...params, progressToken: call.token })
      return
    }
    const task = this.#taskTokens.get(key)
    task?.front.notify(PROGRESS, { ...params, progressToken: task.token })
  }

  #cancelled(params: JSONObject | undefined): undefined | typeof NOT_MINE {
    const id = params?.['requestId']
    const call = isRequestId(id) ? this.#calls.get(correlationKey(id)) : undefined
    if (call === undefined) return NOT_MINE
    void call.request.dispatch.notify(CANCELLED, { ...params, requestId: call.request.requestId as RequestId })
    return undefined
  }

  #callOf(id: RequestId | undefined): BackCall | undefined {
    return id === undefined ? undefined : this.#calls.get(correlationKey(id))
  }

  #newestCall(): BackCall | undefined {
    return this.fronts.size > 1 ? this.#onlyCall() : [...this.#calls.values()].at(-1)
  }

  /** What names no request belongs to the newest call, where all calls are those of one caller. */
  #onlyCall(): BackCall | undefined {
    const calls = [...this.#calls.values()].filter(({ request }) => requestFacts(request.method)?.staysOpen !== true)
    const last = calls.at(-1)
    if (last === undefined) return undefined
    const { peer } = connectionOfRequest(last.request)
    return calls.every(({ request }) => connectionOfRequest(request).peer === peer) ? last : undefined
  }
}

const CHANGES: ReadonlySet<string> = new Set(Object.values(CHANGE_NOTIFICATIONS).map(({ method }) => method))

/** What belongs to no call goes to a legacy client by its standalone stream; a modern one has none. */
export function frontLinkOf(request: ServerRequestContext, hearsChanges = true): FrontLink {
  const { backChannel } = connectionOfRequest(request)
  return {
    notify: (method, params) => {
      if (hearsChanges || !CHANGES.has(method)) void backChannel.notify(method, params)
    },
    ask: (method, params, signal) => backChannel.sendRawRequest(method, params, askOptions(signal)),
  }
}

/** Asks on the stream of the request that the question belongs to. */
export function askDirectly(request: ServerRequestContext): Ask {
  return (method, params, signal) => {
    const { dispatch } = request
    const { backChannel } = connectionOfRequest(request)
    return (dispatch.canSendRequest ? dispatch : backChannel).sendRawRequest(method, params, askOptions(signal))
  }
}

/** A person may take any time. */
function askOptions(signal: AbortSignal) {
  return { timeoutMs: Infinity, asGiven: true, signal }
}

export function backCallOf(request: ServerRequestContext, params: JSONObject, ask = askDirectly(request)): BackCall {
  return { request, token: readProgressToken(params), ask }
}

export function metaOf(params: JSONObject): JSONObject {
  const meta = params['_meta']
  return isPlainObject(meta) ? meta : {}
}

function withoutSubscription(params: JSONObject = {}): JSONObject | undefined {
  const { [SUBSCRIPTION_ID_META_KEY]: _id, ...meta } = metaOf(params)
  const { _meta: _left, ...rest } = params
  if (Object.keys(meta).length > 0) return { ...rest, _meta: meta }
  return Object.keys(rest).length > 0 ? rest : undefined
}
