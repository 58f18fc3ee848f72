// The names that a request gives for where it is going and where it comes from, parsed as strictly as guards need.

/** A host and its port, as a `Host` header or an origin has them. IPv6 addresses keep their brackets. */
export interface Authority {
  /** In lower case. */
  readonly name: string
  /** Empty where none was given. */
  readonly port: string
}

export interface Origin extends Authority {
  readonly scheme: string
}

const MAX_LENGTH = 300
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i
const SCHEME_END = '://'

/** `undefined` for anything but a name or address with at most a port: no user info, no path, no second host. */
export function parseAuthority(text: string): Authority | undefined {
  if (text.length > MAX_LENGTH) return undefined
  // Before it is put in lower case, which makes plain letters of some that are not.
  const match = AUTHORITY.exec(text)
  const name = match?.[1]?.toLowerCase()
  return name === undefined ? undefined : { name, port: match?.[2] ?? '' }
}

/** `undefined` for what is no origin of a web page: `null`, `file://`, a list, a URL with a path. */
export function parseOrigin(text: string): Origin | undefined {
  const schemeEnd = text.indexOf(SCHEME_END)
  const scheme = text.slice(0, Math.max(0, schemeEnd)).toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return undefined
  const authority = parseAuthority(text.slice(schemeEnd + SCHEME_END.length))
  return authority === undefined ? undefined : { scheme, name: authority.name, port: authority.port }
}

/** Names that only a machine itself answers to. Not `localhost.`, which a resolver may send elsewhere. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}
