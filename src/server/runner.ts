// The kernel: one inbound message, through the middleware, to its handler and back.

import type { DispatchContext } from '../dispatcher/dispatcher.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { isThenable } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import { withoutReceived } from '../primitives/json/prepared-json.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import { checkKnownRequest, checkNotification } from '../wire/check.ts'
import { isSpecMethod, requestFacts } from '../wire/method-rows.ts'
import type { ConnectionCore } from './connection.ts'
import {
  createContext,
  extrasOf,
  insideOf,
  outermostOf,
  type RequestInside,
  type ServerRequestContext,
  serverOfRequest,
  withParams,
} from './context.ts'
import type { ServerCore } from './core.ts'
import { isDirect, type Middleware, type RequestHandler } from './handlers.ts'
import { methodNotFound } from './results/method-not-found.ts'
import { adaptError } from './results/older-revisions.ts'
import { respond } from './results/respond.ts'

const NO_PARAMS: JSONObject = Object.freeze({})

type Step = (ctx: ServerRequestContext) => MaybePromise<JSONObject | undefined>

/** A middleware chain, composed once. */
export interface Chain {
  readonly request: Step
  readonly notification: Step
  /** Whether all middleware in it is that of this package. */
  readonly isOurs: boolean
}

export function createChain(middleware: readonly Middleware[]): Chain {
  return {
    request: wrap(middleware, answerRequest),
    notification: wrap(middleware, deliverNotification),
    isOurs: middleware.every(isDirect),
  }
}

function wrap(middleware: readonly Middleware[], innermost: Step): Step {
  return middleware.reduceRight<Step>((next, layer) => {
    if (isDirect(layer)) {
      return (ctx) => layer(ctx, (params) => next(params === undefined ? ctx : withParams(ctx, params)))
    }
    return (ctx) => layer(ctx, async (params) => next(params === undefined ? ctx : withParams(ctx, params)))
  }, innermost)
}

/**
 * Handles one request. Throws what the client gets or, if it must not be disclosed, what the fault listener gets. Returns
 * synchronously where the handler does: a promise would cost as much as all the rest.
 */
export function handleRequest(
  server: ServerCore,
  connection: ConnectionCore,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
): MaybePromise<JSONObject> {
  return runRequest(createContext(server, connection, dispatch, method, params))
}

/** As `handleRequest`, for a context that was made before. */
export function runRequest(ctx: ServerRequestContext): MaybePromise<JSONObject> {
  try {
    const inside = insideOf(ctx)
    const outcome = inside.server.chain.request(ctx)
    return isThenable(outcome) ? commitLater(ctx, inside, outcome) : commit(ctx, inside, outcome)
  } catch (error) {
    throw adaptError(error, ctx.protocolVersion)
  }
}

/** Apart, as all functions that only slow handlers need: made within another one, they take memory from every call. */
function commitLater(
  ctx: ServerRequestContext,
  inside: RequestInside,
  outcome: PromiseLike<JSONObject | undefined>,
): Promise<JSONObject> {
  return Promise.resolve(outcome).then(
    (result) => commit(ctx, inside, result),
    (error) => {
      throw adaptError(error, ctx.protocolVersion)
    },
  )
}

function commit(ctx: ServerRequestContext, inside: RequestInside, result: JSONObject | undefined): JSONObject {
  if (result === undefined) throw typeError('wrong-result', `Middleware answered '${ctx.method}' with nothing`)
  inside.extras?.onSuccess?.(result)
  return asChanged(inside.server, result)
}

/** The middleware and the transforms of others may have changed something within it, so that the text that it came as no longer fits. */
function asChanged({ chain, hasForeignLayers }: ServerCore, result: JSONObject): JSONObject {
  return chain.isOurs && !hasForeignLayers ? result : withoutReceived(result)
}

/** Handles one notification. An error affects nothing else. */
export async function handleNotification(
  server: ServerCore,
  connection: ConnectionCore,
  dispatch: DispatchContext,
  method: string,
  params: JSONObject | undefined,
): Promise<void> {
  await server.chain.notification(createContext(server, connection, dispatch, method, params))
}

/** The innermost step, inside all middleware: check, find, call, shape. */
function answerRequest(ctx: ServerRequestContext): MaybePromise<JSONObject> {
  const { method, params } = ctx
  const inside = insideOf(ctx)
  const { server, connection } = inside
  const { protocolVersion } = connection
  const extension = server.extensions?.requestHandler(method, protocolVersion)
  // A request that the server that this one is mounted in has checked, or that a transform made.
  const isOurs = inside.outer !== undefined || inside.through !== undefined
  const isChecked = extension !== undefined || isOurs
  if (!isChecked) checkKnownRequest(method, protocolVersion, params)
  const handler = extension ?? server.requestHandler(method) ?? vendorHandler(server, method)
  if (handler === undefined) throw methodNotFound(method)
  // Only now: a client that probes before the handshake should still learn that a method does not exist.
  if (!connection.isInitialized && requestFacts(method)?.beforeHandshake !== true) {
    if (!connection.isReady) throw notInitialized(method)
    // Some clients send requests without ever sending `notifications/initialized`.
    connection.markReady()
  }
  const outcome = handler(ctx, params ?? NO_PARAMS)
  return isThenable(outcome) ? finishLater(ctx, inside, outcome) : finish(ctx, inside, outcome)
}

function finishLater(
  ctx: ServerRequestContext,
  inside: RequestInside,
  outcome: PromiseLike<JSONObject>,
): Promise<JSONObject> {
  return Promise.resolve(outcome).then((result) => finish(ctx, inside, result))
}

/** Methods that neither the specification nor the author has, where the source takes them. */
function vendorHandler({ source }: ServerCore, method: string): RequestHandler | undefined {
  if (source?.takesVendorMethods !== true || isSpecMethod(method)) return undefined
  return (ctx, params) => source.handle(ctx, method, params)
}

function finish(ctx: ServerRequestContext, inside: RequestInside, result: JSONObject): JSONObject {
  const { server, extras, plain, outer } = inside
  if (result !== undefined && extras?.finished === result) return result
  return respond(server, ctx, result, plain, outer === undefined ? undefined : outerIdentity(outer))
}

/** What the client knows as the server, where the server of this request is mounted in it: the outermost one. */
function outerIdentity(outer: ServerRequestContext): Implementation {
  return outermostOf(outer).server.info
}

/** Runs `nested` through the middleware and the handler of its server. `request` is the one that it is answered for. */
export function runNested(request: ServerRequestContext, nested: ServerRequestContext): MaybePromise<JSONObject> {
  const outcome = serverOfRequest(nested).chain.request(nested)
  if (!isThenable(outcome)) return keepFinished(request, nested, outcome)
  return Promise.resolve(outcome).then((result) => keepFinished(request, nested, result))
}

function keepFinished(
  request: ServerRequestContext,
  context: ServerRequestContext,
  result: JSONObject | undefined,
): JSONObject {
  if (result === undefined) throw typeError('wrong-result', `Middleware answered '${context.method}' with nothing`)
  const finished = asChanged(serverOfRequest(context), result)
  extrasOf(request).finished = finished
  return finished
}

async function deliverNotification(ctx: ServerRequestContext): Promise<undefined> {
  const { method, params } = ctx
  const { server, connection } = insideOf(ctx)
  const { protocolVersion } = connection
  const extension = server.extensions?.notificationHandler(method, protocolVersion)
  if (extension === undefined && isSpecMethod(method)) checkNotification(method, protocolVersion, params, 'client')
  if (method === 'notifications/initialized') connection.markReady()
  const handler = extension ?? server.notificationHandler(method)
  if (handler === undefined || !connection.isReady) return undefined
  await handler(ctx, params ?? NO_PARAMS)
  return undefined
}

function notInitialized(method: string): MCPError {
  return new MCPError(
    ErrorCode.InvalidRequest,
    `'${method}' before 'initialize': the connection is not initialized yet`,
  )
}
