// The options that every transport over HTTP takes, and the checks of its address and headers. Apart from `open-poster`: a
// program loads this with every client.
import type { HttpAuth } from '../../http/bearer.ts'
import { type HeaderFields, lowerCaseHeaders } from '../../http/header-fields.ts'
import type { KnownKeys } from '../../primitives/json/known-keys.ts'

export interface HttpClientOptions {
  /** Used for every request instead of the runtime's own way, as `fetch` would be. */
  fetch?: typeof globalThis.fetch
  /** Go along with every request. */
  headers?: Readonly<Record<string, string>> | Headers
  /** A token, a function that returns the current one, or an OAuth provider. */
  auth?: HttpAuth
  /** Lets `auth` work over plain http to other machines, where everybody on the way can read the token. */
  allowInsecureAuth?: boolean
  /**
   * Connections at a time, each open stream being one of them; further requests wait for one. Unlimited unless given, and of
   * no effect on a `fetch`.
   */
  maxConnections?: number
}

export const HTTP_CLIENT_KEYS: KnownKeys<HttpClientOptions> = {
  fetch: true,
  headers: true,
  auth: true,
  allowInsecureAuth: true,
  maxConnections: true,
}

/** Throws `TypeError` for what a client cannot send requests to. */
export function parseServerUrl(url: string | URL): URL {
  const text = String(url)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new TypeError('The address of a server is a URL with http or https, as in http://localhost:3000/mcp')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError('The address of a server holds no credentials; pass them with `auth` or `headers`')
  }
  parsed.hash = ''
  return parsed
}

// These say what the message itself says; a second value could contradict it.
const OWN_HEADERS =
  /^(?:accept|content-type|content-length|last-event-id|mcp-(?:protocol-version|session-id|method|name|param-.*))$/

/** The user's headers by lower-case name. Throws `TypeError` for those that are the transport's own. */
export function checkHeaders(headers: HeaderFields | undefined): Record<string, string> {
  const checked = lowerCaseHeaders(headers)
  const own = Object.keys(checked).find((name) => OWN_HEADERS.test(name))
  if (own !== undefined) throw new TypeError(`The header ${own} is set by the transport itself; leave it out`)
  return checked
}
