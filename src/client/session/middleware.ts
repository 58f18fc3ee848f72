// Middleware of a client: functions around every request it sends, and around notifications for those who want that.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { VendorRequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'

/** One request on its way out, before anything is stamped on it. */
export interface ClientMiddlewareContext {
  readonly session: ClientSession
  readonly method: string
  readonly params: JSONObject | undefined
  readonly options: VendorRequestOptions
}

/** Goes on with the request, with other params or options where some are given. Resolves to a checked result. */
export type ClientNext = (params?: JSONObject, options?: VendorRequestOptions) => Promise<JSONObject>

/** One notification on its way out. */
export type ClientNotificationContext = Pick<ClientMiddlewareContext, 'session' | 'method' | 'params'>

/** One question of the server, before it is checked. */
export interface ClientQuestionContext extends ClientNotificationContext {
  /** The id of the request, or the key of the question within a result. */
  readonly requestId: RequestId
  readonly signal: AbortSignal
  /** Whether it came as a request of the server, and not within a result. */
  readonly isRequest: boolean
}

/** Goes on with the question. Resolves to a checked answer. */
export type ClientQuestionNext = () => Promise<JSONObject>

/** Goes on with the notification, with other params where some are given. */
export type ClientNotificationNext = (params?: JSONObject) => Promise<void>

/**
 * Stands around every request, the first one outermost: observe (`await next()`), refuse (throw), rewrite
 * (`next(otherParams)`, or return another result), answer (return without `next`).
 */
export interface ClientMiddleware {
  (ctx: ClientMiddlewareContext, next: ClientNext): MaybePromise<JSONObject>
  /** The same for notifications, which are held back by returning without `next`. Those about cancelling pass by. */
  readonly onNotification?: ClientNotificationMiddleware
  /** The same for what the server asks and a callback answers: observe, refuse, or answer. */
  readonly onQuestion?: ClientQuestionMiddleware
}

export type ClientNotificationMiddleware = (
  ctx: ClientNotificationContext,
  next: ClientNotificationNext,
) => MaybePromise<void>

export type ClientQuestionMiddleware = (
  ctx: ClientQuestionContext,
  next: ClientQuestionNext,
) => MaybePromise<JSONObject>

/** The end of the chain: sends the request. */
export type Send = (ctx: ClientMiddlewareContext) => Promise<JSONObject>

/** A request through all middleware; put together once per session. */
export type Chain = (ctx: ClientMiddlewareContext, send: Send) => Promise<JSONObject>

export function createChain(middleware: readonly ClientMiddleware[]): Chain {
  return middleware.reduceRight<Chain>(
    (inner, layer) => async (ctx, send) =>
      layer(ctx, async (params = ctx.params, options = ctx.options) => inner({ ...ctx, params, options }, send)),
    (ctx, send) => send(ctx),
  )
}

/** A notification through all middleware that wants it. */
export type NotificationChain = (
  ctx: ClientNotificationContext,
  send: (ctx: ClientNotificationContext) => Promise<void>,
) => Promise<void>

/** `undefined` where no middleware wants notifications. */
export function createNotificationChain(middleware: readonly ClientMiddleware[]): NotificationChain | undefined {
  const layers = middleware.flatMap(({ onNotification }) => onNotification ?? [])
  if (layers.length === 0) return undefined
  return layers.reduceRight<NotificationChain>(
    (inner, layer) => async (ctx, send) =>
      layer(ctx, async (params = ctx.params) => inner({ session: ctx.session, method: ctx.method, params }, send)),
    (ctx, send) => send(ctx),
  )
}

/** A question through all middleware that wants it. */
export type QuestionChain = (ctx: ClientQuestionContext, answer: ClientQuestionNext) => Promise<JSONObject>

/** `undefined` where no middleware wants questions. */
export function createQuestionChain(middleware: readonly ClientMiddleware[] = []): QuestionChain | undefined {
  const layers = middleware.flatMap(({ onQuestion }) => onQuestion ?? [])
  if (layers.length === 0) return undefined
  return layers.reduceRight<QuestionChain>(
    (inner, layer) => async (ctx, answer) => layer(ctx, () => inner(ctx, answer)),
    (_ctx, answer) => answer(),
  )
}
