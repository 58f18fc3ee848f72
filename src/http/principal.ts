// The owner of a session. A token may be renewed; its issuer, client and subject must stay the same.
import type { AuthInfo } from '../types/protocol/auth.ts'

/** What identifies a verified caller across tokens. `undefined` for a caller without a verified token. */
export type Principal = Pick<AuthInfo, 'issuer' | 'clientId' | 'subject'> | undefined

/**
 * The identity of a caller, without the claims and scopes of its current token.
 *
 * @example
 * ```ts
 * import { principalOf } from 'mcpwire/server'
 * const principal = principalOf({ clientId: 'editor', subject: 'ada', scopes: ['notes:read'] })
 * console.log(principal) // { clientId: 'editor', subject: 'ada' }
 * ```
 */
export function principalOf(auth: AuthInfo | undefined): Principal {
  if (auth === undefined) return undefined
  const { clientId, issuer, subject } = auth
  return { clientId, ...(issuer !== undefined && { issuer }), ...(subject !== undefined && { subject }) }
}

/**
 * The same text for the same principal; empty for all callers without a verified token.
 *
 * @example
 * ```ts
 * import { principalKey } from 'mcpwire/server'
 * console.log(principalKey({ clientId: 'editor', subject: 'ada' }) === principalKey(undefined)) // false
 * ```
 */
export function principalKey(principal: Principal): string {
  if (principal === undefined) return ''
  return JSON.stringify([principal.issuer, principal.clientId, principal.subject])
}

export function isSamePrincipal(one: Principal, other: Principal): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.clientId === other.clientId && one.issuer === other.issuer && one.subject === other.subject
}
