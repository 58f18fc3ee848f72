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
import { CHANGE_NOTIFICATIONS, isSpecMethod, requestFacts, requestRow } from '../../wire/method-rows.ts'
import { type Era, frontClientOf, principalKeyOf } from '../base/caller.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import type { Forwarding } from '../base/options.ts'
import { Outbox } from './outbox.ts'
import { Wishes } from './wishes.ts'

/** The front client that hears what belongs to no call. */
export interface FrontLink {
  notify(method: string, params: JSONObject | undefined): Promise<void> | undefined
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
  /** What it is told. */
  readonly outbox: Outbox
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
  /** Callers of the other era don't get this. Reported once. */
  lost(what: string): void
  /** Whether this caller asked for the log message, where it is known what callers asked for. */
  hears(request: ServerRequestContext, params: JSONObject | undefined): boolean
  /** Whether several clients may use the connection. */
  readonly isShared: boolean
}

const MAX_TASK_TOKENS = 1_024
const WISH_MS = 10_000
const ELICITATION_COMPLETE = 'notifications/elicitation/complete'
const LOG_MESSAGE = 'notifications/message'

export class BackConnection {
  readonly tap: SessionTap
  readonly fronts = new Set<FrontLink>()
  /** What callers want to hear of a legacy source. */
  readonly wishes: Wishes
  readonly #host: BackHost
  readonly #calls = new Map<RequestId, BackCall>()
  /** Progress of tasks goes on when their call has been answered. */
  readonly #taskTokens = new Map<
    RequestId,
    { readonly call: BackCall; readonly token: ProgressToken; readonly front: FrontLink }
  >()
  /** Calls whose callers wait while the source runs them as tasks. */
  readonly #followed = new Set<BackCall>()
  #client: OpenClient | undefined
  #era: Era = 'legacy'

  constructor(host: BackHost) {
    this.#host = host
    this.wishes = new Wishes((method, params) => this.client.session.sendRaw(method, params, { timeoutMs: WISH_MS }))
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

  get isShared(): boolean {
    return this.#host.isShared
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
      call.outbox.flush()
      this.#countDropped(call.outbox)
    }
  }

  notify(method: string, params: JSONObject | undefined): Promise<void> {
    return this.client.session.sendRawNotification(method, params)
  }

  /** The source has closed the stream of this call, and resumes it later: so does the front, where it can. */
  streamClosed(id: RequestId): void {
    this.#calls.get(correlationKey(id))?.request.dispatch.transport.closeStream?.()
  }

  #countDropped({ dropped }: Outbox): void {
    if (dropped > 0) this.#host.dropped(`${dropped} messages of a call were dropped: the caller reads slowly`, PROGRESS)
  }

  /** Progress of the task of this call goes to its caller, until the function in return is called. */
  follow(call: BackCall): () => void {
    this.#followed.add(call)
    return () => {
      this.#followed.delete(call)
      for (const [key, kept] of this.#taskTokens) if (kept.call === call) this.#taskTokens.delete(key)
    }
  }

  #keepToken(key: RequestId, call: BackCall): void {
    const { token, request } = call
    if (token === undefined || this.#taskTokens.size >= MAX_TASK_TOKENS) return
    this.#taskTokens.set(key, { call, token, front: frontLinkOf(request) })
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
      if (call !== undefined) {
        if (this.#isQuestion(method) || frontClientOf(call.request).era === 'legacy')
          return await call.ask(method, params, context.signal)
        this.#host.dropped(`The source asks '${method.slice(0, 128)}', which modern clients do not have`, method)
        return NOT_MINE
      }
      const [front] = this.fronts
      if (front !== undefined && this.fronts.size === 1) return await front.ask(method, params, context.signal)
    } catch (error) {
      if (isPeerError(error)) throw passOn(error)
      if (!(error instanceof NoBackChannelError)) throw error
    }
    throw new MCPError(ErrorCode.ConnectionClosed, `Nobody is there to answer '${method}'.`)
  }

  #heard(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<undefined> | undefined | typeof NOT_MINE {
    // Where each call has a stream of its own, it is read no faster than the front reads.
    const isOwnStream = context.relatedRequestId !== undefined
    if (method === PROGRESS) return pace(this.#progress(params), isOwnStream)
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
        if (CHANGES.has(method)) for (const front of this.fronts) void front.notify(method, withoutSubscription(params))
        return NOT_MINE
      }
      return pace(call.outbox.put(method, this.#withFrontId(call, key, params as JSONObject)), isOwnStream)
    }
    if (CHANGES.has(method)) {
      for (const front of this.fronts) void front.notify(method, params)
      // List changes concern our own subscriptions too.
      return NOT_MINE
    }
    if (method === ELICITATION_COMPLETE && this.#era === 'legacy' && this.fronts.size === 0) {
      // A modern client learns it from the next round of its call.
      if (this.#calls.size === 0) this.#host.lost('the news that a page was visited, where no call waits for it,')
      return undefined
    }
    const call = this.#callOf(context.relatedRequestId) ?? this.#onlyCall()
    if (call !== undefined) {
      if (method === LOG_MESSAGE && !this.#host.hears(call.request, params)) return undefined
      return pace(call.outbox.put(method, params), isOwnStream)
    }
    const [front] = this.fronts
    if (front !== undefined && this.fronts.size === 1) return pace(front.notify(method, params), false)
    if (this.#calls.size > 0 || this.fronts.size > 0) {
      this.#host.dropped('A message of the source names no request, and several callers share its connection', method)
    }
    return undefined
  }

  #progress(params: JSONObject | undefined): Promise<void> | undefined {
    const given = params?.['progressToken']
    if (!isRequestId(given) || !this.#host.forward.progress) return undefined
    const key = correlationKey(given)
    const call = this.#calls.get(key)
    if (call !== undefined) return passProgress(call, params as JSONObject)
    const task = this.#taskTokens.get(key)
    if (task === undefined) return undefined
    if (this.#followed.has(task.call)) return passProgress(task.call, params as JSONObject)
    return task.front.notify(PROGRESS, { ...params, progressToken: task.token })
  }

  #cancelled(params: JSONObject | undefined): undefined | typeof NOT_MINE {
    const id = params?.['requestId']
    const call = isRequestId(id) ? this.#calls.get(correlationKey(id)) : undefined
    if (call === undefined) return NOT_MINE
    void call.request.dispatch.notify(CANCELLED, { ...params, requestId: call.request.requestId as RequestId })
    return undefined
  }

  /** Whether clients of either era can be asked it. */
  #isQuestion(method: string): boolean {
    return requestRow(method, this.client.protocolVersion, 'server')?.callback !== undefined
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
    const caller = callerKeyOf(last.request)
    return calls.every(({ request }) => callerKeyOf(request) === caller) ? last : undefined
  }
}

/** A verified caller is one, whatever it calls by. */
function callerKeyOf(request: ServerRequestContext): unknown {
  return request.auth === undefined ? connectionOfRequest(request).peer : principalKeyOf(request)
}

function pace(reading: Promise<void> | undefined, isOwnStream: boolean): Promise<undefined> | undefined {
  return isOwnStream ? reading?.then(() => undefined) : undefined
}

export const CHANGES: ReadonlySet<string> = new Set(Object.values(CHANGE_NOTIFICATIONS).map(({ method }) => method))

/** What belongs to no call goes to a legacy client by its standalone stream; a modern one has none. */
export function frontLinkOf(
  request: ServerRequestContext,
  wants: (method: string, params: JSONObject | undefined) => boolean = () => true,
): FrontLink {
  const { backChannel } = connectionOfRequest(request)
  const outbox = new Outbox((method, params) => backChannel.notify(method, params))
  return {
    notify: (method, params) => (wants(method, params) ? outbox.put(method, params) : undefined),
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

/** To the caller that asked for it, or to the task that the call has become at the front. */
function passProgress({ request, token, outbox }: BackCall, params: JSONObject): Promise<void> | undefined {
  if (request.task === undefined) {
    return token === undefined ? undefined : outbox.put(PROGRESS, { ...params, progressToken: token })
  }
  const { progress, total, message } = params
  if (typeof progress !== 'number') return undefined
  const whole = typeof total === 'number' ? total : undefined
  return request.dispatch.reportProgress(progress, whole, typeof message === 'string' ? message : undefined)
}

/** Progress that the proxy itself knows of. */
export function tellProgress(call: BackCall, progress: number, total: number | undefined, message: string): void {
  void passProgress(call, { progress, ...(total !== undefined && { total }), message })
}

/** A person may take any time. */
function askOptions(signal: AbortSignal) {
  return { timeoutMs: Infinity, asGiven: true, signal }
}

export function backCallOf(request: ServerRequestContext, params: JSONObject, ask = askDirectly(request)): BackCall {
  const call: BackCall = {
    request,
    token: readProgressToken(params),
    ask,
    outbox: new Outbox((method, given) => call.request.dispatch.notify(method, given)),
  }
  return call
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
