// Middleware of a client: functions around its requests, its notifications and its answers to the server; and the tap, for programs
// that pass messages on instead of handling them, such as proxies.
import type { decodeMessage } from '../../dispatcher/decode.ts'
import type { DispatchContext, UNANSWERED } from '../../dispatcher/dispatcher.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { VendorRequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'

/** A request before the envelope and headers are added. */
export interface ClientMiddlewareContext {
  /** The session that sends the request. */
  readonly session: ClientSession
  /** The method of the request, such as `tools/call`. */
  readonly method: string
  /** The params of the request, without the envelope. */
  readonly params: JSONObject | undefined
  /** The options of the call, such as `timeoutMs` and `signal`. */
  readonly options: VendorRequestOptions
}

/** Continues with the request, with other params or options if given. Resolves to a checked result. */
export type ClientNext = (params?: JSONObject, options?: VendorRequestOptions) => Promise<JSONObject>

/** A notification before the envelope and headers are added. */
export type ClientNotificationContext = Pick<ClientMiddlewareContext, 'session' | 'method' | 'params'>

/** A request of the server to the client, before it is checked. */
export interface ClientQuestionContext extends ClientNotificationContext {
  /** The id of the request, or its key in an `InputRequiredResult`. */
  readonly requestId: RequestId
  /** Aborts when the server cancels its request. */
  readonly signal: AbortSignal
  /** True for a request of the server, false for one within a result. */
  readonly isRequest: boolean
}

/** Continues with the callback. Resolves to its checked result. */
export type ClientQuestionNext = () => Promise<JSONObject>

/** Continues with the notification, with other params if given. */
export type ClientNotificationNext = (params?: JSONObject) => Promise<void>

/**
 * Runs around every request, the first one outermost: observe (`await next()`), reject (throw), rewrite
 * (`next(otherParams)`, or return another result), answer (return without `next`).
 */
export interface ClientMiddleware {
  (ctx: ClientMiddlewareContext, next: ClientNext): MaybePromise<JSONObject>
  /** The same for notifications: return without `next` to drop one. Cancellations do not pass here. */
  readonly onNotification?: ClientNotificationMiddleware
  /** The same for requests of the server that a callback answers: observe, reject, or answer. */
  readonly onQuestion?: ClientQuestionMiddleware
}

/** Runs around every notification that the client sends. Return without `next()` to drop it. */
export type ClientNotificationMiddleware = (
  ctx: ClientNotificationContext,
  next: ClientNotificationNext,
) => MaybePromise<void>

/** Runs around every request of the server that a callback answers. Return a result without `next()` to answer it. */
export type ClientQuestionMiddleware = (
  ctx: ClientQuestionContext,
  next: ClientQuestionNext,
) => MaybePromise<JSONObject>

/** The end of the chain: sends the request. */
type SendRequest = (ctx: ClientMiddlewareContext) => Promise<JSONObject>

/** A request through all middleware, composed once per session. */
export type RequestChain = (ctx: ClientMiddlewareContext, send: SendRequest) => Promise<JSONObject>

/** `undefined` where there is no middleware. */
export function createRequestChain(middleware: readonly ClientMiddleware[]): RequestChain | undefined {
  if (middleware.length === 0) return undefined
  return middleware.reduceRight<RequestChain>(
    (inner, layer) => async (ctx, send) =>
      layer(ctx, async (params = ctx.params, options = ctx.options) => inner({ ...ctx, params, options }, send)),
    (ctx, send) => send(ctx),
  )
}

/** A notification through all middleware with `onNotification`. */
export type NotificationChain = (
  ctx: ClientNotificationContext,
  send: (ctx: ClientNotificationContext) => Promise<void>,
) => Promise<void>

/** `undefined` where no middleware has `onNotification`. */
export function createNotificationChain(middleware: readonly ClientMiddleware[]): NotificationChain | undefined {
  const layers = middleware.flatMap(({ onNotification }) => onNotification ?? [])
  if (layers.length === 0) return undefined
  return layers.reduceRight<NotificationChain>(
    (inner, layer) => async (ctx, send) =>
      layer(ctx, async (params = ctx.params) => inner({ session: ctx.session, method: ctx.method, params }, send)),
    (ctx, send) => send(ctx),
  )
}

/** A request of the server through all middleware with `onQuestion`. */
export type QuestionChain = (ctx: ClientQuestionContext, answer: ClientQuestionNext) => Promise<JSONObject>

/** `undefined` where no middleware has `onQuestion`. */
export function createQuestionChain(middleware: readonly ClientMiddleware[] = []): QuestionChain | undefined {
  const layers = middleware.flatMap(({ onQuestion }) => onQuestion ?? [])
  if (layers.length === 0) return undefined
  return layers.reduceRight<QuestionChain>(
    (inner, layer) => async (ctx, answer) => layer(ctx, () => inner(ctx, answer)),
    (_ctx, answer) => answer(),
  )
}

/** Returned by a tap for a message that the session is to handle as usual. */
export const NOT_MINE: unique symbol = Symbol('mcpwire.not-mine')

/**
 * Gets every message of the server before the session, of any method, checked for nothing but JSON-RPC. `context.relatedRequestId` is
 * the request of this session that the message belongs to, where the transport knows.
 */
export interface SessionTap {
  /** Parses the messages of the server (default: `decodeMessage`). */
  decode?: typeof decodeMessage
  /** Answers a request of the server. What it returns is sent as it is. */
  onRequest?(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): MaybePromise<JSONObject | typeof UNANSWERED | typeof NOT_MINE>
  /** Takes a notification, progress of calls included. */
  onNotify?(
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): MaybePromise<undefined | typeof NOT_MINE>
}

export const TAP_KEYS: KnownKeys<SessionTap> = { decode: 'function', onRequest: 'function', onNotify: 'function' }
