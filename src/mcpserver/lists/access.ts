// Access per caller: whether a caller can see a registration, and whether its token has the required scopes.
import { typeError } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Context } from '../handlers/context.ts'
import type { Host } from '../handlers/host.ts'
import { calling } from '../values/calling.ts'

/** Access options of tools, resources and prompts. */
export interface Access<Life = unknown> {
  /** Whether the caller can see it. If not, it is not listed, and using it fails as if it did not exist. */
  visible?: ((ctx: Context<Life>) => boolean) | undefined
  /**
   * Scopes that the caller's token must have. Without them it is not listed, and using it fails with an error that names them, so
   * that the client can ask its user for them. A caller without a verified token has no scopes.
   */
  scopes?: readonly string[] | undefined
}

/** The access options of one registration, checked. */
export interface CompiledAccess extends Access {
  /** `tool "add"`, for messages. */
  readonly owner: string
  /** Whether lists show it to this client (default: to all who can see it). */
  readonly isListedTo?: ((request: ServerRequestContext) => boolean) | undefined
}

/** Throws `TypeError` for options of the wrong kind. */
export function compileAccess(owner: string, { visible, scopes }: Access): CompiledAccess {
  if (visible !== undefined && typeof visible !== 'function') {
    throw typeError(
      'wrong-option',
      `The option visible of ${owner} must be a function that returns a boolean, not ${describeKind(visible)}.`,
    )
  }
  if (scopes !== undefined && !isListOfStrings(scopes)) {
    throw typeError('wrong-option', `The option scopes of ${owner} must be a list of strings.`)
  }
  return { owner, ...(visible !== undefined && { visible }), ...(scopes !== undefined && { scopes }) }
}

/** Whether one caller may see what another doesn't. */
export function isGuarded({ visible, scopes = [], isListedTo }: CompiledAccess): boolean {
  return visible !== undefined || isListedTo !== undefined || scopes.length > 0
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Calls `visible`. If it throws or returns no boolean, the registration is hidden: a check that fails must not grant access. */
export function isVisible(access: CompiledAccess, ctx: Context, host: Host): boolean {
  const { visible, owner } = access
  if (visible === undefined) return true
  try {
    const answer: unknown = host.ambient === undefined ? visible(ctx) : host.ambient.run(ctx, () => visible(ctx))
    if (typeof answer !== 'boolean') reportNotBoolean(access, answer, host)
    return answer === true
  } catch (error) {
    const { method } = ctx.request
    const message = `The visible function of ${owner} threw`
    host.server.faults.report({ kind: 'handler-failed', message, method, error })
    return false
  }
}

/** Reported once each: the function is called with every list and every call. */
const reported = new WeakSet<CompiledAccess>()

function reportNotBoolean(access: CompiledAccess, answer: unknown, host: Host): void {
  const isPromise = answer instanceof Promise
  // Otherwise its rejection would be unhandled.
  if (isPromise) answer.catch(() => {})
  if (reported.has(access)) return
  reported.add(access)
  const given = isPromise ? 'a promise' : `${describeKind(answer)} instead of a boolean`
  const message = `The visible function of ${access.owner} returns ${given}, so it stays hidden. Return true or false.`
  host.server.faults.report({ kind: 'configuration-warning', message })
}

/** The item if the caller can use it, `undefined` if the caller can't see it. Throws if the caller lacks its scopes. */
export function checkAccess<Item extends { readonly access: CompiledAccess }>(
  item: Item | undefined,
  request: ServerRequestContext,
  host: Host,
): Item | undefined {
  if (item === undefined) return undefined
  const { access } = item
  if (access.visible !== undefined && !isVisible(access, calling.loaded.createHandlerContext(host, request), host))
    return undefined
  if (!hasScopes(access, request)) throw insufficientScope(access.scopes ?? [])
  return item
}

export function hasScopes({ scopes }: Access, { auth }: ServerRequestContext): boolean {
  return scopes === undefined || scopes.every((scope) => auth?.scopes.includes(scope) === true)
}

/** Names the scopes, so that the client can ask its user for them. */
export function insufficientScope(scopes: readonly string[]): MCPError {
  return new MCPError(ErrorCode.InvalidRequest, 'The caller does not have the required scopes', {
    reason: 'insufficient_scope',
    requiredScopes: scopes,
  })
}
