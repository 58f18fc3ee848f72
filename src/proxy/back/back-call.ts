// A call at a source: whose it is, what its caller hears, and who answers what the source asks.

import type { CallerEnvelope } from '../../client/session/era.ts'
import { PROGRESS, readProgressToken } from '../../dispatcher/context.ts'
import type { CallOptions } from '../../dispatcher/dispatcher.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ConnectionCore } from '../../server/connection.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProgressToken, RequestId } from '../../types/protocol/jsonrpc.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { principalKeyOf } from '../base/caller.ts'
import { Outbox } from './outbox.ts'

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
  /** What the caller sent of the headers that are repeated. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined
  readonly nameParam?: string | undefined
  readonly timeoutMs: number
  /** One of the two. */
  readonly signal?: AbortSignal | undefined
  readonly until?: CallOptions['until']
  readonly onRequestId?: ((id: RequestId) => void) | undefined
}

/** A verified caller is one, whatever it calls by. */
export function callerKeyOf(request: ServerRequestContext): unknown {
  return request.auth === undefined ? connectionOfRequest(request).peer : principalKeyOf(request)
}

/** What belongs to no call goes to a legacy client by its standalone stream; a modern one has none. */
export function frontLinkOf(
  { backChannel }: ConnectionCore,
  wants: (method: string, params: JSONObject | undefined) => boolean = () => true,
): FrontLink {
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
export function passProgress({ request, token, outbox }: BackCall, params: JSONObject): Promise<void> | undefined {
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
