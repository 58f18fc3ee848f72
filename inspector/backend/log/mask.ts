// Hides secrets in what the page gets.

export const MASK = '•••'

const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'allow',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'last-event-id',
  'location',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'retry-after',
  'server',
  'user-agent',
  'www-authenticate',
])

/** What is not known to be harmless is hidden: a header of the user is a secret more often than not. */
export function maskHeader(name: string, value: string): string {
  if (name === 'location') return maskUrl(value)
  if (SHOWN_HEADERS.has(name)) return value
  if (name === 'authorization') return maskAuthorization(value)
  return maskSecret(value)
}

export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskHeader(name, value)]))
}

function maskAuthorization(value: string): string {
  const [scheme = '', ...rest] = value.split(' ')
  return rest.length === 0 ? MASK : `${scheme} ${maskSecret(rest.join(' '))}`
}

/** `eyJ…(812 bytes)`: enough to tell two apart by their kind and length, and too little to use. */
export function maskSecret(value: string): string {
  const isLong = value.length >= 24
  return `${isLong ? `${value.slice(0, 3)}…` : MASK} (${value.length} bytes)`
}

/** Parameters of a URL that are shown, because without them an authorization can't be understood. */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'code_challenge_method',
  'error',
  'error_description',
  'grant_type',
  'iss',
  'redirect_uri',
  'resource',
  'response_type',
  'scope',
])

export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return MASK
  const url = new URL(text)
  if (url.username !== '') url.username = 'user'
  if (url.password !== '') url.password = 'hidden'
  for (const name of new Set(url.searchParams.keys())) {
    if (!SHOWN_PARAMETERS.has(name)) url.searchParams.set(name, 'hidden')
  }
  url.hash = ''
  return url.href
}
