// Who may see and use what: hidden things do not exist, and things that need more than a caller has say so.
import type { ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { Context } from '../handlers/context.ts'
import type { Host } from '../handlers/host.ts'

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

/** The same, ready to be asked. */
export interface CompiledAccess extends Access {
  /** `tool "add"`, for messages. */
  readonly owner: string
}

/** Throws a `TypeError` for what could never be asked, or would be answered wrongly. */
export function compileAccess(owner: string, { visible, scopes }: Access): CompiledAccess {
  if (visible !== undefined && typeof visible !== 'function') {
    throw new TypeError(`\`visible\` of ${owner} must be a function that returns a boolean`)
  }
  if (scopes !== undefined && !isListOfStrings(scopes)) {
    throw new TypeError(`\`scopes\` of ${owner} must be a list of strings`)
  }
  return { owner, ...(visible !== undefined && { visible }), ...(scopes !== undefined && { scopes }) }
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Asks `visible`; one that throws or gives no boolean hides, because a guard that fails must not open. */
export function isVisible(access: CompiledAccess, ctx: Context, host: Host): boolean {
  const { visible, owner } = access
  if (visible === undefined) return true
  try {
    const answer: unknown = host.ambient === undefined ? visible(ctx) : host.ambient.run(ctx, () => visible(ctx))
    if (typeof answer !== 'boolean') reportUndecided(access, answer, host)
    return answer === true
  } catch (error) {
    const { method } = ctx.request
    const message = `The \`visible\` function of ${owner} threw`
    host.server.faults.report({ kind: 'handler-failed', message, method, error })
    return false
  }
}

/** Those whose author has been told: the answer is asked for with every list and every call. */
const reported = new WeakSet<CompiledAccess>()

function reportUndecided(access: CompiledAccess, answer: unknown, host: Host): void {
  const isPromise = answer instanceof Promise
  // Nobody waits for it, and nobody else would catch what it throws.
  if (isPromise) answer.catch(() => {})
  if (reported.has(access)) return
  reported.add(access)
  const given = isPromise ? 'a promise' : `no boolean but ${answer === null ? 'null' : typeof answer}`
  const message = `The \`visible\` function of ${access.owner} returns ${given}, so it stays hidden: return true or false`
  host.server.faults.report({ kind: 'configuration-warning', message })
}

/** What was found under a name, if the caller may see and use it; `undefined` as if there were nothing. */
export function admit<Item extends { readonly access: CompiledAccess }>(
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
