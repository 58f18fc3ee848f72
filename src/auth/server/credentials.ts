// The token of a request, which comes in the Authorization header or not at all.
import type { HttpExchange } from '../../http/exchange.ts'

export interface TokenCredentials {
  readonly kind: 'token'
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** What a request brings: a token under a scheme, nothing, or something that is neither. */
export type Credentials =
  | TokenCredentials
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Longer tokens are refused unread; servers of HTTP cut headers off near this length anyway. */
export const MAX_TOKEN_LENGTH = 16_384

/** RFC 6750, section 2.1: the characters of a token. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
const SCHEME = /^(bearer|dpop)(?: +|$)/i

const NONE: Credentials = { kind: 'none' }

export function readCredentials(exchange: HttpExchange): Credentials {
  const header = exchange.header('authorization')
  if (header === undefined) return NONE
  if (typeof header !== 'string') return malformed('more than one Authorization header')
  const scheme = SCHEME.exec(header)
  if (scheme === null) return NONE
  const token = header.slice(scheme[0].length)
  // Checked by length first: the pattern is for texts of a length that we chose.
  if (token.length <= MAX_TOKEN_LENGTH && !TOKEN.test(token)) return malformed('the Authorization header has no token')
  // RFC 6750, section 2: one way of sending a token per request.
  if (exchange.query !== '' && new URLSearchParams(exchange.query).has('access_token')) {
    return malformed('a second token in the query')
  }
  return { kind: 'token', scheme: scheme[1]?.toLowerCase() === 'dpop' ? 'dpop' : 'bearer', token }
}

function malformed(reason: string): Credentials {
  return { kind: 'malformed', reason }
}
