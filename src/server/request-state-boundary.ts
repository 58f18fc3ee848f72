// The middleware that keeps sealed states outside and plain ones inside: handlers never see a token, clients never a state.
import type { AuthInfo } from '../types/auth.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import { INPUT_REQUIRED_METHODS } from '../wire/methods.ts'
import { ownMember } from '../wire/own.ts'
import type { RequestStateContext, RequestStateSeal } from './request-state.ts'

/** What the boundary reads of a message. */
export interface RequestStateBoundaryContext {
  readonly method: string
  readonly params: JSONObject | undefined
  readonly auth?: AuthInfo | undefined
}

/** A middleware of `Server`. */
export type RequestStateBoundary = (
  ctx: RequestStateBoundaryContext,
  next: (params?: JSONObject) => Promise<JSONObject | undefined>,
) => Promise<JSONObject | undefined>

const ASKING: ReadonlySet<string> = new Set(INPUT_REQUIRED_METHODS)

/**
 * Opens the `requestState` of every call that may ask for input, and seals that of every result that does. Put it
 * outermost, and let no handler change the arguments in place: the state is bound to them.
 */
export function requestStateBoundary(seal: RequestStateSeal): RequestStateBoundary {
  return async ({ method, params, auth }, next) => {
    if (!ASKING.has(method)) return next()
    const context: RequestStateContext = { method, params, principal: auth }
    const opened = await openInbound(seal, context)
    return sealOutbound(seal, context, await next(opened))
  }
}

/** Other params, where there is a state in them. */
async function openInbound(seal: RequestStateSeal, context: RequestStateContext): Promise<JSONObject | undefined> {
  const { params } = context
  const token = ownMember(params, 'requestState')
  if (params === undefined || token === undefined) return undefined
  const { requestState: _sealed, ...others } = params
  // Some clients send every member they know; null says that there is no state.
  return token === null ? others : { ...others, requestState: await seal.unseal(context, token) }
}

async function sealOutbound(
  seal: RequestStateSeal,
  context: RequestStateContext,
  result: JSONObject | undefined,
): Promise<JSONObject | undefined> {
  if (result?.['resultType'] !== 'input_required' || result['requestState'] === undefined) return result
  return { ...result, requestState: await sealState(seal, context, result['requestState']) }
}

async function sealState(seal: RequestStateSeal, context: RequestStateContext, state: unknown): Promise<string> {
  try {
    return await seal.seal(context, state as string)
  } catch (error) {
    throw new MCPError(ErrorCode.InternalError, 'Cannot seal the requestState', undefined, {
      cause: error,
      local: true,
    })
  }
}
