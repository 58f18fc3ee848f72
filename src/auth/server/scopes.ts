// Scopes of a server: their grammar, and which scope includes which.
import { rangeError } from '../../primitives/help.ts'

/** The scopes that each scope includes, as in `{ 'notes:write': ['notes:read'] }`. */
export type ImpliedScopes = Readonly<Record<string, readonly string[]>>

/** RFC 6749, section 3.3: visible ASCII except the quote and the backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Checks configured scopes. `offline_access` concerns only the authorization server, so a resource can't require it. */
export function checkScopes(scopes: readonly string[], what: string): readonly string[] {
  for (const scope of scopes) {
    if (typeof scope !== 'string' || !SCOPE.test(scope))
      throw rangeError('wrong-option', `${what} contains ${JSON.stringify(scope)}, which is not a scope`)
    if (scope === 'offline_access')
      throw rangeError('wrong-option', `${what} must not contain offline_access: clients decide whether they need it`)
  }
  return [...new Set(scopes)]
}

/** The scopes as one header value. Leaves out scopes that no header can contain. */
export function joinScopes(scopes: Iterable<string>): string {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).join(' ')
}

/** The scopes with everything they include, through any number of steps. */
export function addImpliedScopes(scopes: readonly string[], implied: ReadonlyMap<string, readonly string[]>): string[] {
  const granted = new Set(scopes)
  // A loop over a set visits what is added meanwhile, so this follows every step once.
  for (const scope of granted) for (const other of implied.get(scope) ?? []) granted.add(other)
  return [...granted]
}
