// Parses `WWW-Authenticate` challenges, in linear time and without throwing, and selects the scopes to request.

/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
/** Bounds what a server that requires ever more scopes can make us request. */
const MAX_SCOPES = 100

/** The scopes of a space-separated list, each once, in order. Leaves out what is not a scope. */
export function parseScopes(text: string | undefined): string[] {
  if (text === undefined) return []
  return uniteScopes(text.split(' '))
}

export function uniteScopes(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES)
}

export interface ScopeSources {
  /** The option `scopes`. */
  configured: readonly string[] | undefined
  /** The scopes of the challenge. */
  challenged: readonly string[]
  /** `scopes_supported` of the protected resource. */
  listed: readonly string[] | undefined
  /** Requested or granted before. */
  previous: readonly string[]
  /** `scopes_supported` of the authorization server. */
  offered: readonly string[] | undefined
  /** Whether a refresh token is wanted, which some servers issue only for `offline_access`. */
  wantsOffline: boolean
}

/** Specification, Authorization, Scope Selection. An empty list means that the parameter is left out. */
export function selectScopes(sources: ScopeSources): string[] {
  const { configured, challenged, listed, previous, offered, wantsOffline } = sources
  const base = challenged.length > 0 ? challenged : (configured ?? listed ?? [])
  const wanted = uniteScopes(previous, configured ?? [], base)
  const isOffered = offered?.includes('offline_access') === true
  // Servers that do not know the scope reject the whole request.
  const kept = wanted.filter((scope) => scope !== 'offline_access' || isOffered || configured?.includes(scope))
  return isOffered && wantsOffline ? uniteScopes(kept, ['offline_access']) : kept
}

/** Longer headers are ignored. */
const MAX_HEADER_LENGTH = 16 * 1024

/** A scheme and its parameters, with names in lower case. Of a repeated parameter, the first counts. */
export interface AuthChallenge {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The challenge for an OAuth client. */
export interface AccessChallenge {
  readonly resourceMetadata: string | undefined
  readonly scope: string | undefined
  readonly error: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

const KNOWN = ['resource_metadata', 'scope', 'error'] as const

/** The challenge to use: the first for `Bearer` or `DPoP` with a parameter that we know, else the first for either. */
export function readAccessChallenge(header: string | undefined): AccessChallenge | undefined {
  const ours = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const chosen = ours.find(({ parameters }) => KNOWN.some((name) => parameters.has(name))) ?? ours[0]
  if (chosen === undefined) return undefined
  return {
    resourceMetadata: chosen.parameters.get('resource_metadata'),
    scope: chosen.parameters.get('scope'),
    error: chosen.parameters.get('error'),
    parameters: Object.fromEntries(chosen.parameters),
  }
}

/** Every challenge of the header, with several schemes and quoted commas. The list ends where the header is malformed. */
export function parseChallenges(header: string | undefined): AuthChallenge[] {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return []
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  for (;;) {
    at = skip(header, at, isSeparator)
    const nameEnd = skip(header, at, isTokenCharacter)
    if (nameEnd === at) return challenges
    const name = header.slice(at, nameEnd).toLowerCase()
    const equals = skip(header, nameEnd, isBlank)
    if (header[equals] !== '=') {
      challenges.push({ scheme: name, parameters: new Map() })
      at = nameEnd
      continue
    }
    const value = readValue(header, skip(header, equals + 1, isBlank))
    if (value === undefined) return challenges
    const parameters = challenges.at(-1)?.parameters
    if (parameters?.has(name) === false) parameters.set(name, value.text)
    at = value.end
  }
}

function readValue(header: string, start: number): { text: string; end: number } | undefined {
  if (header[start] === '"') return readQuoted(header, start + 1)
  const end = skip(header, start, (character) => !isSeparator(character))
  return { text: header.slice(start, end), end }
}

/** RFC 9110, section 5.6.4: a backslash makes the next character literal. */
function readQuoted(header: string, start: number): { text: string; end: number } | undefined {
  const pieces: string[] = []
  let pieceStart = start
  for (let at = start; at < header.length; at++) {
    if (header[at] === '"') {
      pieces.push(header.slice(pieceStart, at))
      return { text: pieces.join(''), end: at + 1 }
    }
    if (header[at] !== '\\') continue
    pieces.push(header.slice(pieceStart, at))
    at += 1
    pieceStart = at
  }
  return undefined
}

function skip(text: string, start: number, test: (character: string) => boolean): number {
  let at = start
  while (at < text.length && test(text[at] as string)) at += 1
  return at
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}

function isSeparator(character: string): boolean {
  return character === ',' || isBlank(character)
}

function isTokenCharacter(character: string): boolean {
  return /[\w!#$%&'*+.^`|~/-]/.test(character)
}
