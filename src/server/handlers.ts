// What handlers and middleware look like.

import type { MaybePromise } from '../primitives/async/promises.ts'
import type { InputRequiredResult } from '../types/features/input-required.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type {
  ClientNotificationParamsByMethod,
  ClientRequestParamsByMethod,
  ClientRequestResultByMethod,
} from '../types/protocol/methods.ts'
import type { InputRequiredMethod } from '../wire/methods.ts'
import type { ServerRequestContext } from './context.ts'

/** What a handler of this method may return. */
export type HandlerResult<M extends keyof ClientRequestResultByMethod> =
  | ClientRequestResultByMethod[M]
  | (M extends InputRequiredMethod ? InputRequiredResult : never)

/** Answers a request of the specification. Nothing is wrapped or converted; a thrown `MCPError` is the answer. */
export type SpecRequestHandler<M extends keyof ClientRequestParamsByMethod> = (
  ctx: ServerRequestContext,
  params: ClientRequestParamsByMethod[M],
) => MaybePromise<HandlerResult<M>>

/**
 * A name that the specification does not use, so that a handler or a call that does not fit one of its methods does not
 * pass for a vendor's.
 */
export type VendorMethod<M extends string, Known> = M extends Known ? never : M

/** Answers any request. */
export type RequestHandler = (ctx: ServerRequestContext, params: JSONObject) => MaybePromise<JSONObject>

export type SpecNotificationHandler<M extends keyof ClientNotificationParamsByMethod> = (
  ctx: ServerRequestContext,
  params: ClientNotificationParamsByMethod[M],
) => MaybePromise<void>

export type NotificationHandler = (ctx: ServerRequestContext, params: JSONObject) => MaybePromise<void>

export type RequestHandlers = {
  [M in keyof ClientRequestParamsByMethod]?: SpecRequestHandler<M>
}

export type NotificationHandlers = {
  [M in keyof ClientNotificationParamsByMethod]?: SpecNotificationHandler<M>
}

/** Goes on with the message, with other params where some are given. */
export type Next = (params?: JSONObject) => Promise<JSONObject | undefined>

/**
 * Stands around every request and notification, the first one outermost: observe (`await next()`), refuse (throw), rewrite
 * (`next(otherParams)`, or return another result), answer (return without `next`). A notification has no result.
 */
export type Middleware = (ctx: ServerRequestContext, next: Next) => MaybePromise<JSONObject | undefined>

/**
 * A middleware of ours whose `next` answers at once where the handler does, and throws where that throws. People's own get a
 * promise always, so that they have one case to think of.
 */
export interface DirectMiddleware {
  (
    ctx: ServerRequestContext,
    next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>,
  ): MaybePromise<JSONObject | undefined>
  readonly isDirect: true
}

export function isDirect(middleware: Middleware | DirectMiddleware): middleware is DirectMiddleware {
  return 'isDirect' in middleware
}
