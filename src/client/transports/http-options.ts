// The options of every HTTP transport, and the checks of its URL and headers. Apart from open-poster.ts: every client loads this file,
// and only HTTP transports load that one.

import type { HttpAuth } from '../../http/bearer.ts'
import { type HeaderFields, lowerCaseHeaders } from '../../http/header-fields.ts'
import { typeError } from '../../primitives/help.ts'
import type { KnownKeys } from '../../primitives/options.ts'

export interface HttpClientOptions {
  /** Used for every request instead of the runtime's own HTTP client. */
  fetch?: typeof globalThis.fetch | undefined
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** A token, a function that returns the current token, or an OAuth provider. */
  auth?: HttpAuth | undefined
  /** Allows `auth` over plain http to other machines, where anybody on the network can read the token (default: `false`). */
  allowInsecureAuth?: boolean | undefined
  /**
   * Connections at a time, one for each open stream; further requests wait for a free one (default: no limit). Has no effect
   * with `fetch`.
   */
  maxConnections?: number | undefined
}

export const HTTP_CLIENT_KEYS: KnownKeys<HttpClientOptions> = {
  fetch: true,
  headers: true,
  auth: true,
  allowInsecureAuth: true,
  maxConnections: true,
}

/** Throws `TypeError` for a URL that a client cannot send requests to. */
export function parseServerUrl(url: string | URL): URL {
  const text = String(url)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw typeError('bad-target', 'A server URL must start with http:// or https://, as in http://localhost:3000/mcp')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw typeError('bad-target', 'A server URL must not contain credentials. Pass them with `auth` or `headers`.')
  }
  parsed.hash = ''
  return parsed
}

/** Headers that repeat what the message says; a second value would contradict it. */
const TRANSPORT_HEADERS =
  /^(?:accept|content-type|content-length|last-event-id|mcp-(?:protocol-version|session-id|method|name|param-.*))$/

/** The user's headers by lower-case name. Throws `TypeError` for headers that the transport sets. */
export function checkUserHeaders(headers: HeaderFields | undefined): Record<string, string> {
  const checked = lowerCaseHeaders(headers)
  const own = Object.keys(checked).find((name) => TRANSPORT_HEADERS.test(name))
  if (own !== undefined)
    throw typeError('bad-header', `The transport sets the header ${own}. Remove it from \`headers\`.`)
  return checked
}
