// Who may see and use what: hidden things do not exist, and things that need more than a caller has say so.
import type { ServerRequestContext } from '../server/context.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { Context } from './context.ts'
import type { Host } from './host.ts'

/** What a registration can say about its users. */
export interface Access<Life = unknown> {
  /** Whether a caller sees this at all. What is hidden is in no list, and using it fails as if it did not exist. */
  visible?: (ctx: Context<Life>) => boolean
  /**
   * What the caller's token must grant. Without it this is in no list, and using it is refused with what is missing, so that
   * a client which knows of it can ask its user. Without a verified caller nothing is granted.
   */
  scopes?: readonly string[]
}

/** Asks `visible`; one that throws hides, because a guard that fails must not open. */
export function isVisible({ visible }: Access, ctx: Context, host: Host): boolean {
  if (visible === undefined) return true
  try {
    return visible(ctx) === true
  } catch (error) {
    const { method } = ctx.request
    host.server.faults.report({ kind: 'handler-failed', message: 'A `visible` function threw', method, error })
    return false
  }
}

/** What was found under a name, if the caller may see and use it; `undefined` as if there were nothing. */
export function admit<Item extends { readonly access: Access }>(
  item: Item | undefined,
  request: ServerRequestContext,
  host: Host,
): Item | undefined {
  if (item === undefined) return undefined
  const { access } = item
  if (access.visible !== undefined && !isVisible(access, new Context(host, request), host)) return undefined
  if (!hasScopes(access, request)) throw insufficientScope(access.scopes ?? [])
  return item
}

export function hasScopes({ scopes }: Access, { auth }: ServerRequestContext): boolean {
  return scopes === undefined || scopes.every((scope) => auth?.scopes.includes(scope) === true)
}

/** Names the scopes, so that a client can ask its user for them. */
function insufficientScope(scopes: readonly string[]): MCPError {
  return new MCPError(ErrorCode.InvalidRequest, 'The caller is not authorized for this', {
    reason: 'insufficient_scope',
    requiredScopes: scopes,
  })
}
