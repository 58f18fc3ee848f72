// The kernel: one inbound message, through the middleware, to its handler and back.

import type { DispatchContext } from '../dispatcher/dispatcher.ts'
import type { MaybePromise } from '../primitives/async/promises.ts'
import { isThenable } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Implementation } from '../types/protocol/metadata.ts'
import { checkKnownRequest, checkNotification } from '../wire/check.ts'
import { isSpecMethod, requestFacts } from '../wire/method-rows.ts'
import type { ConnectionCore } from './connection.ts'
import {
  connectionOfRequest,
  createContext,
  entryOf,
  extrasOf,
  findExtras,
  outerRequestOf,
  plainResultOf,
  type ServerRequestContext,
  serverOfRequest,
  withParams,
} from './context.ts'
import type { ServerCore } from './core.ts'
import { isDirect, type Middleware, type RequestHandler } from './handlers.ts'
import { adaptError } from './results/older-revisions.ts'
import { respond } from './results/respond.ts'

const NO_PARAMS: JSONObject = Object.freeze({})
const MAX_ECHO_LENGTH = 128

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
  const fail = (error: unknown): never => {
    throw adaptError(error, ctx.protocolVersion)
  }
  try {
    const outcome = serverOfRequest(ctx).chain.request(ctx)
    if (!isThenable(outcome)) return commit(ctx, outcome)
    return Promise.resolve(outcome).then((result) => commit(ctx, result), fail)
  } catch (error) {
    return fail(error)
  }
}

function commit(ctx: ServerRequestContext, result: JSONObject | undefined): JSONObject {
  if (result === undefined) throw typeError('wrong-result', `Middleware answered '${ctx.method}' with nothing`)
  findExtras(ctx)?.onSuccess?.(result)
  return result
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
  const server = serverOfRequest(ctx)
  const connection = connectionOfRequest(ctx)
  const { protocolVersion } = connection
  const extension = server.extensions?.requestHandler(method, protocolVersion)
  // A request that the server that this one is mounted in has checked, or that a transform made.
  const isOurs = outerRequestOf(ctx) !== undefined || entryOf(ctx) !== undefined
  const isChecked = extension !== undefined || isOurs
  if (!isChecked) checkKnownRequest(method, protocolVersion, params, 'client')
  const handler = extension ?? server.requestHandler(method) ?? vendorHandler(server, method)
  if (handler === undefined) throw methodNotFound(method)
  // Only now: a client that probes before the handshake should still learn that a method does not exist.
  if (!connection.isInitialized && requestFacts(method)?.beforeHandshake !== true) {
    if (!connection.isReady) throw notInitialized(method)
    // Some clients send requests without ever sending `notifications/initialized`.
    connection.markReady()
  }
  const outcome = handler(ctx, params ?? NO_PARAMS)
  if (!isThenable(outcome)) return finish(server, ctx, outcome)
  return Promise.resolve(outcome).then((result) => finish(server, ctx, result))
}

/** Methods that neither the specification nor the author has, where the source takes them. */
function vendorHandler({ source }: ServerCore, method: string): RequestHandler | undefined {
  if (source?.takesVendorMethods !== true || isSpecMethod(method)) return undefined
  return (ctx, params) => source.handle(ctx, method, params)
}

function finish(server: ServerCore, ctx: ServerRequestContext, result: JSONObject): JSONObject {
  const isFinished = result !== undefined && findExtras(ctx)?.finished === result
  return isFinished ? result : respond(server, ctx, result, plainResultOf(ctx), outerIdentity(ctx))
}

/** What the client knows as the server, where the server of this request is mounted in it: the outermost one. */
function outerIdentity(ctx: ServerRequestContext): Implementation | undefined {
  let info: Implementation | undefined
  for (let at = outerRequestOf(ctx); at !== undefined; at = outerRequestOf(at)) info = at.server.info
  return info
}

/** Runs `nested` through the middleware and the handler of its server. `request` is the one that it is answered for. */
export function runNested(request: ServerRequestContext, nested: ServerRequestContext): MaybePromise<JSONObject> {
  const outcome = serverOfRequest(nested).chain.request(nested)
  if (!isThenable(outcome)) return keepFinished(request, nested, outcome)
  return Promise.resolve(outcome).then((result) => keepFinished(request, nested, result))
}

function keepFinished(
  request: ServerRequestContext,
  { method }: ServerRequestContext,
  result: JSONObject | undefined,
): JSONObject {
  if (result === undefined) throw typeError('wrong-result', `Middleware answered '${method}' with nothing`)
  extrasOf(request).finished = result
  return result
}

async function deliverNotification(ctx: ServerRequestContext): Promise<undefined> {
  const { method, params } = ctx
  const server = serverOfRequest(ctx)
  const connection = connectionOfRequest(ctx)
  const { protocolVersion } = connection
  const extension = server.extensions?.notificationHandler(method, protocolVersion)
  if (extension === undefined && isSpecMethod(method)) checkNotification(method, protocolVersion, params, 'client')
  if (method === 'notifications/initialized') connection.markReady()
  const handler = extension ?? server.notificationHandler(method)
  if (handler === undefined || !connection.isReady) return undefined
  await handler(ctx, params ?? NO_PARAMS)
  return undefined
}

export function methodNotFound(method: string): MCPError {
  const echo = method.length > MAX_ECHO_LENGTH ? `${method.slice(0, MAX_ECHO_LENGTH)}…` : method
  return new MCPError(ErrorCode.MethodNotFound, `Method not found: ${echo}`)
}

function notInitialized(method: string): MCPError {
  return new MCPError(
    ErrorCode.InvalidRequest,
    `'${method}' before 'initialize': the connection is not initialized yet`,
  )
}
