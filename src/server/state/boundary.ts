// The middleware that seals and opens `requestState`: handlers see plain states only, clients sealed ones only.

import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import { extrasOf, ServerRequestContext } from '../context.ts'
import type { RequestStateContext, RequestStateSeal } from './request-state.ts'
import { stateFromElsewhere, withMarkedState } from './sealed-elsewhere.ts'

/** What the boundary reads of a message. */
export interface RequestStateBoundaryContext {
  /** The method of the request. */
  readonly method: string
  /** The params of the request, which may hold a `requestState`. */
  readonly params: JSONObject | undefined
  /** The caller. A state is valid for this caller only. */
  readonly auth?: AuthInfo | undefined
}

/** A middleware of `Server`. It returns synchronously where `next` does. */
export interface RequestStateBoundary<Ctx extends RequestStateBoundaryContext = RequestStateBoundaryContext> {
  (ctx: Ctx, next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>): MaybePromise<JSONObject | undefined>
  /** Tells the server that the function returns at once where `next` does. */
  readonly isDirect: true
}

/**
 * Opens the `requestState` of every call that may ask for input, and seals that of every result that does. Put it
 * outermost, and do not change the arguments in a handler: the state is bound to them. `onSeal` is called before each state is
 * sealed.
 *
 * @example
 * ```ts
 * import { createRequestStateSeal, requestStateBoundary, Server } from 'mcpwire/server'
 * const seal = createRequestStateSeal({ audience: 'orders' })
 * const server = new Server('orders', { middleware: [requestStateBoundary(seal)] })
 * ```
 */
export function requestStateBoundary<Ctx extends RequestStateBoundaryContext = RequestStateBoundaryContext>(
  seal: RequestStateSeal,
  onSeal?: (ctx: Ctx) => void,
): RequestStateBoundary<Ctx> {
  const boundary = (
    ctx: Ctx,
    next: (params?: JSONObject) => MaybePromise<JSONObject | undefined>,
  ): MaybePromise<JSONObject | undefined> => {
    const { method, params, auth } = ctx
    if (requestFacts(method)?.mayAskForInput !== true || isRun(ctx)) return next()
    const token = ownMember(params, 'requestState')
    const sealed = (result: JSONObject | undefined) => {
      if (!hasState(result)) return result
      const marked = withMarkedState(result)
      if (marked !== undefined) return marked
      onSeal?.(ctx)
      return sealOutbound(seal, { method, params, principal: auth }, result)
    }
    const foreign = ctx instanceof ServerRequestContext ? stateFromElsewhere(token) : undefined
    if (foreign !== undefined) {
      extrasOf(ctx as unknown as ServerRequestContext).foreignState = foreign
      const outcome = next(withoutState(params))
      return isThenable(outcome) ? outcome.then(sealed) : sealed(outcome)
    }
    // Most calls have no state on either side, and then there is nothing to wait for.
    if (token !== undefined && token !== null) return resume(seal, ctx, token, next, sealed)
    const outcome = token === undefined ? next() : next(withoutState(params))
    return isThenable(outcome) ? outcome.then(sealed) : sealed(outcome)
  }
  return Object.assign(boundary, { isDirect: true } as const)
}

/** The state of a run stays on the server. */
function isRun(ctx: RequestStateBoundaryContext): boolean {
  return ctx instanceof ServerRequestContext && ctx.task !== undefined
}

/** Continues the call with the state in the token. */
async function resume(
  seal: RequestStateSeal,
  ctx: RequestStateBoundaryContext,
  token: unknown,
  next: (params: JSONObject) => MaybePromise<JSONObject | undefined>,
  sealed: (result: JSONObject | undefined) => MaybePromise<JSONObject | undefined>,
): Promise<JSONObject | undefined> {
  const { method, params, auth } = ctx
  const requestState = await seal.unseal({ method, params, principal: auth }, token)
  // For the limits inside, which count calls and not their rounds.
  if (ctx instanceof ServerRequestContext) {
    const extras = extrasOf(ctx)
    extras.resumedFrom = String(token)
    extras.isResumedOnce = seal.isSingleUse === true
  }
  const result = await next({ ...params, requestState })
  // The same state keeps its token: with a new one, a repeated round would look like progress.
  return hasState(result) && result['requestState'] === requestState
    ? { ...result, requestState: token }
    : sealed(result)
}

/** Some clients send every member they know. `null` means that there is no state. */
function withoutState(params: JSONObject | undefined): JSONObject {
  const { requestState: _state, ...others } = params ?? {}
  return others
}

function hasState(result: JSONObject | undefined): result is JSONObject {
  return result?.['resultType'] === 'input_required' && result['requestState'] !== undefined
}

async function sealOutbound(
  seal: RequestStateSeal,
  context: RequestStateContext,
  result: JSONObject,
): Promise<JSONObject> {
  try {
    return { ...result, requestState: await seal.seal(context, result['requestState'] as string) }
  } catch (error) {
    throw new MCPError(ErrorCode.InternalError, 'Cannot seal the requestState', undefined, {
      cause: error,
      local: true,
    })
  }
}
