// Whose session it is. A token may be renewed; who stands behind it may not change.
import type { AuthInfo } from '../../../types/protocol/auth.ts'

/** What of a verified caller makes it the same caller tomorrow. `undefined` where nobody verified anything. */
export type Principal = Pick<AuthInfo, 'issuer' | 'clientId' | 'subject'> | undefined

/** Who a caller is, without the claims and scopes of the token that happened to prove it. */
export function principalOf(auth: AuthInfo | undefined): Principal {
  if (auth === undefined) return undefined
  const { clientId, issuer, subject } = auth
  return { clientId, ...(issuer !== undefined && { issuer }), ...(subject !== undefined && { subject }) }
}

/** The same text for the same principal; empty for those whom nobody verified, who are not told apart. */
export function principalKey(principal: Principal): string {
  if (principal === undefined) return ''
  return JSON.stringify([principal.issuer, principal.clientId, principal.subject])
}

export function isSamePrincipal(one: Principal, other: Principal): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.clientId === other.clientId && one.issuer === other.issuer && one.subject === other.subject
}
