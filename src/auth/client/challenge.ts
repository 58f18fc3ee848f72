// Reads what a resource server asks for in `WWW-Authenticate`: in linear time, without ever throwing.

/** Longer headers are read as if there were none. */
const MAX_HEADER_LENGTH = 16 * 1024

/** A scheme with its parameters, both in lower case. Of a parameter that comes twice the first counts. */
export interface AuthChallenge {
  readonly scheme: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The challenge that concerns an OAuth client. */
export interface AccessChallenge {
  readonly resourceMetadata: string | undefined
  readonly scope: string | undefined
  readonly error: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

const KNOWN = ['resource_metadata', 'scope', 'error'] as const

/**
 * The challenge to act on: of those for `Bearer` and `DPoP` the first that says something we understand, else the first.
 */
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

/** Every challenge of the header, several schemes and commas in quotes included. What cannot be read ends the list. */
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
