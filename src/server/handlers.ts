// The types of handlers and middleware.

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
 * A name that the specification does not use, so that the compiler does not take a handler with wrong types for that of a
 * vendor method.
 */
export type VendorMethod<M extends string, Known> = M extends Known ? never : M

/** Answers any request. */
export type RequestHandler = (ctx: ServerRequestContext, params: JSONObject) => MaybePromise<JSONObject>

/** Handles a notification of the specification. Its params are checked. */
export type SpecNotificationHandler<M extends keyof ClientNotificationParamsByMethod> = (
  ctx: ServerRequestContext,
  params: ClientNotificationParamsByMethod[M],
) => MaybePromise<void>

/** Handles a notification from a client. What it throws is reported as a fault. */
export type NotificationHandler = (ctx: ServerRequestContext, params: JSONObject) => MaybePromise<void>

/** By method: handlers of the requests of the specification. */
export type RequestHandlers = {
  [M in keyof ClientRequestParamsByMethod]?: SpecRequestHandler<M>
}

/** By method: handlers of the notifications of the specification. */
export type NotificationHandlers = {
  [M in keyof ClientNotificationParamsByMethod]?: SpecNotificationHandler<M>
}

/** Continues with the message, with other params where they are given. */
export type Next = (params?: JSONObject) => Promise<JSONObject | undefined>

/**
 * Runs around every request and notification, the first one outermost: observe (`await next()`), reject (throw), rewrite
 * (`next(otherParams)`, or return another result), answer (return without `next`). A notification has no result.
 *
 * What a middleware returns is sent as it is: an answer without `next`, or another result than that of `next`, gets no stamps and
 * is held against no revision. So a result of another server can be passed on unchanged.
 */
export type Middleware = (ctx: ServerRequestContext, next: Next) => MaybePromise<JSONObject | undefined>

/**
 * A middleware of this package whose `next` returns synchronously where the handler does, and throws where that throws. The
 * `next` of all others returns a promise.
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
