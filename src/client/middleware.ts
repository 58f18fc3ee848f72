// Middleware of a client: functions around every request it sends.
import type { JSONObject } from '../types/json.ts'
import type { VendorRequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'

type MaybePromise<T> = T | Promise<T>

/** One request on its way out, before anything is stamped on it. */
export interface ClientMiddlewareContext {
  readonly session: ClientSession
  readonly method: string
  readonly params: JSONObject | undefined
  readonly options: VendorRequestOptions
}

/** Goes on with the request, with other params or options where some are given. Resolves to a checked result. */
export type ClientNext = (params?: JSONObject, options?: VendorRequestOptions) => Promise<JSONObject>

/**
 * Stands around every request, the first one outermost: observe (`await next()`), refuse (throw), rewrite
 * (`next(otherParams)`, or return another result), answer (return without `next`).
 */
export type ClientMiddleware = (ctx: ClientMiddlewareContext, next: ClientNext) => MaybePromise<JSONObject>

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
