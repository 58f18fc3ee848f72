// Scopes: their grammar, and which one includes which.

/** Which scopes come with a scope, as in `{ 'notes:write': ['notes:read'] }`. */
export type ImpliedScopes = Readonly<Record<string, readonly string[]>>

/** RFC 6749, section 3.3: visible ASCII but for the quote and the backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Scopes of a configuration. `offline_access` concerns the authorization server alone, so a resource cannot ask for it. */
export function checkScopes(scopes: readonly string[], what: string): readonly string[] {
  for (const scope of scopes) {
    if (typeof scope !== 'string' || !SCOPE.test(scope)) throw new RangeError(`${what} holds what is not a scope`)
    if (scope === 'offline_access') throw new RangeError(`${what} must not hold offline_access: clients decide on that`)
  }
  return [...new Set(scopes)]
}

/** Leaves out what no header could carry. */
export function joinScopes(scopes: Iterable<string>): string {
  return [...new Set(scopes)].filter((scope) => SCOPE.test(scope)).join(' ')
}

/** The scopes that are granted along with these, through any number of steps. */
export function withImplied(scopes: readonly string[], implied: ReadonlyMap<string, readonly string[]>): string[] {
  const granted = new Set(scopes)
  // A set hands out what is added while it is walked, so this follows every step once.
  for (const scope of granted) for (const other of implied.get(scope) ?? []) granted.add(other)
  return [...granted]
}
