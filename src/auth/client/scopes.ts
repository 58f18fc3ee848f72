// Which scopes to ask for: those of the challenge, else those the resource lists, and never fewer than before.

/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
/** A server that asks for ever more must not make us ask for ever more. */
const MAX_SCOPES = 100

/** The scopes of a space-separated list, each once, in order; what is no scope is left out. */
export function parseScopes(text: string | undefined): string[] {
  if (text === undefined) return []
  return uniteScopes(text.split(' '))
}

export function uniteScopes(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES)
}

export interface ScopeSources {
  /** Asked for by the user of this SDK. */
  configured: readonly string[] | undefined
  /** Of the challenge, where it had any. */
  challenged: readonly string[]
  /** `scopes_supported` of the protected resource. */
  listed: readonly string[] | undefined
  /** Asked for or granted before. */
  previous: readonly string[]
  /** `scopes_supported` of the authorization server. */
  offered: readonly string[] | undefined
  /** Whether a refresh token is wanted, which some servers give only for `offline_access`. */
  wantsOffline: boolean
}

/** Spec, Authorization, Scope Selection: an empty answer means to leave the parameter out. */
export function selectScopes(sources: ScopeSources): string[] {
  const { configured, challenged, listed, previous, offered, wantsOffline } = sources
  const base = challenged.length > 0 ? challenged : (configured ?? listed ?? [])
  const wanted = uniteScopes(previous, configured ?? [], base)
  const isOffered = offered?.includes('offline_access') === true
  // Servers that do not know the scope refuse the whole request.
  const kept = wanted.filter((scope) => scope !== 'offline_access' || isOffered || configured?.includes(scope))
  return isOffered && wantsOffline ? uniteScopes(kept, ['offline_access']) : kept
}
