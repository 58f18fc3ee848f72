// What a source sends by itself: each message finds its way to the caller that it belongs to, or to the proxy.
import { NOT_MINE } from '../../client/session/middleware.ts'
import { CANCELLED, PROGRESS } from '../../dispatcher/context.ts'
import type { DispatchContext } from '../../dispatcher/dispatcher.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, NoBackChannelError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import { SUBSCRIPTION_ID_META_KEY } from '../../types/protocol/meta.ts'
import { CHANGE_NOTIFICATIONS, isSpecMethod, requestRow } from '../../wire/method-rows.ts'
import { frontClientOf } from '../base/caller.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import { canBeAsked, declaredCapabilities } from '../base/questions.ts'
import { type BackCall, metaOf } from './back-call.ts'
import type { BackConnection, BackHost } from './back-connection.ts'
import type { OpenCalls } from './open-calls.ts'

const ELICITATION_COMPLETE = 'notifications/elicitation/complete'
const LOG_MESSAGE = 'notifications/message'

export const CHANGES: ReadonlySet<string> = new Set(Object.values(CHANGE_NOTIFICATIONS).map(({ method }) => method))

export class FromSource {
  readonly #connection: BackConnection
  readonly #host: BackHost
  readonly #calls: OpenCalls

  constructor(connection: BackConnection, host: BackHost, calls: OpenCalls) {
    this.#connection = connection
    this.#host = host
    this.#calls = calls
  }

  async asked(context: DispatchContext, method: string, params: JSONObject | undefined) {
    if (this.#connection.era === 'modern' || method === 'ping') return NOT_MINE
    if (!isSpecMethod(method) && !this.#host.forward.vendor) return NOT_MINE
    const call = this.#calls.of(context, () => this.#calls.newest(this.#connection.fronts.size > 1))
    if (!canBeAsked(this.#capabilitiesFor(call), method)) {
      const message = `Method not found: the client did not declare what '${method}' needs.`
      throw new MCPError(ErrorCode.MethodNotFound, message)
    }
    try {
      if (call !== undefined) {
        if (this.#isQuestion(method) || frontClientOf(call.request).era === 'legacy')
          return await call.ask(method, params, context.signal)
        this.#host.dropped(`The source asks '${method.slice(0, 128)}', which modern clients do not have`, method)
        return NOT_MINE
      }
      const [front] = this.#connection.fronts
      if (front !== undefined && this.#connection.fronts.size === 1)
        return await front.ask(method, params, context.signal)
    } catch (error) {
      if (isPeerError(error)) throw passOn(error)
      if (!(error instanceof NoBackChannelError)) throw error
    }
    throw new MCPError(ErrorCode.ConnectionClosed, `Nobody is there to answer '${method}'.`)
  }

  heard(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): Promise<undefined> | undefined | typeof NOT_MINE {
    if (method === PROGRESS) return pace(this.#progress(params), context)
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
        if (CHANGES.has(method))
          for (const front of this.#connection.fronts) void front.notify(method, withoutSubscription(params))
        return NOT_MINE
      }
      return pace(call.outbox.put(method, withFrontId(call, key, params as JSONObject)), context)
    }
    if (CHANGES.has(method)) {
      for (const front of this.#connection.fronts) void front.notify(method, params)
      // List changes concern our own subscriptions too.
      return NOT_MINE
    }
    if (method === ELICITATION_COMPLETE && this.#connection.era === 'legacy' && this.#connection.fronts.size === 0) {
      // A modern client learns it from the next round of its call.
      if (this.#calls.size === 0) this.#host.lost('the news that a page was visited, where no call waits for it,')
      return undefined
    }
    const call = this.#calls.of(context, () => this.#calls.only())
    if (call !== undefined) {
      if (method === LOG_MESSAGE && !this.#host.hears(call.request, params)) return undefined
      return pace(call.outbox.put(method, params), context)
    }
    const [front] = this.#connection.fronts
    if (front !== undefined && this.#connection.fronts.size === 1) {
      void front.notify(method, params)
      return undefined
    }
    if (this.#calls.size > 0 || this.#connection.fronts.size > 0) {
      this.#host.dropped('A message of the source names no request, and several callers share its connection', method)
    }
    return undefined
  }

  #progress(params: JSONObject | undefined): Promise<void> | undefined {
    const given = params?.['progressToken']
    if (!isRequestId(given) || !this.#host.forward.progress) return undefined
    return this.#calls.progress(correlationKey(given), params as JSONObject)
  }

  #cancelled(params: JSONObject | undefined): undefined | typeof NOT_MINE {
    const id = params?.['requestId']
    const call = isRequestId(id) ? this.#calls.get(correlationKey(id)) : undefined
    if (call === undefined) return NOT_MINE
    void call.request.dispatch.notify(CANCELLED, { ...params, requestId: call.request.requestId as RequestId })
    return undefined
  }

  /** A modern caller says with each request what it can be asked. */
  #capabilitiesFor(call: BackCall | undefined): ClientCapabilities {
    if (call === undefined || this.#connection.asksNobody) return this.#connection.declared
    return declaredCapabilities(this.#host.forward, frontClientOf(call.request).capabilities)
  }

  /** Whether clients of either era can be asked it. */
  #isQuestion(method: string): boolean {
    return requestRow(method, this.#connection.client.protocolVersion, 'server')?.callback !== undefined
  }
}

/** Where each call has a stream of its own, it is read no faster than the front reads. */
function pace(reading: Promise<void> | undefined, context: DispatchContext): undefined {
  if (reading !== undefined && context.relatedRequestId !== undefined) context.slow?.(reading)
}

function withoutSubscription(params: JSONObject = {}): JSONObject | undefined {
  const { [SUBSCRIPTION_ID_META_KEY]: _id, ...meta } = metaOf(params)
  const { _meta: _left, ...rest } = params
  if (Object.keys(meta).length > 0) return { ...rest, _meta: meta }
  return Object.keys(rest).length > 0 ? rest : undefined
}

/** The id of a subscription is that of its request, which is another one at the front. */
export function withFrontId(call: BackCall, key: RequestId | undefined, message: JSONObject): JSONObject {
  const meta = message['_meta']
  const id = ownMember(meta, SUBSCRIPTION_ID_META_KEY)
  if (id === undefined || !isRequestId(id) || correlationKey(id) !== key) return message
  return { ...message, _meta: { ...(meta as JSONObject), [SUBSCRIPTION_ID_META_KEY]: call.request.requestId } }
}
