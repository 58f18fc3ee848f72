// What stands between a token and a caller: the interface of every verifier, ours and users' own.

import { isPlainObject } from '../../primitives/json/objects.ts'
import { OAuthError } from '../../types/errors/failures.ts'
import { namesOneOf } from '../resource-url.ts'

/** What a verifier found out about a token. Whether that is enough is decided by whoever asked. */
export interface VerifiedToken {
  /** The client that the token was issued to. */
  clientId: string
  scopes: readonly string[]
  /** For whom the token was issued: its audience. A token that names nobody is refused. */
  resource: string | readonly string[]
  /** Left out, the verifier vouches for the one issuer that was configured. */
  issuer?: string
  /** The user on whose behalf the client calls, where there is one. */
  subject?: string
  /** Seconds since 1970. */
  expiresAt?: number
  /** What the token must be proven with (RFC 7800), as in `{ jkt }` for a token bound by DPoP. */
  confirmation?: Readonly<Record<string, unknown>>
  /** Further claims, for handlers to read. */
  claims?: Readonly<Record<string, unknown>>
}

/** What a token is expected to be. It comes from the configuration, never from the token. */
export interface VerifyContext {
  /** The canonical URL of this server. */
  readonly resource: string
  /** Accepted audiences: the resource, unless the configuration names others. */
  readonly audiences: readonly string[]
  readonly issuers: readonly string[]
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

/**
 * Resolves to what the token says, or to `undefined` for one that is not valid; an `OAuthError` with the code
 * `invalid_token` does the same and gives a reason to the log. Any other error means that the token could not be checked.
 */
export type VerifyToken = (token: string, context: VerifyContext) => Promise<VerifiedToken | undefined>

export interface TokenVerifier {
  readonly verify: VerifyToken
}

/** The refusal of a token. The reason is for logs: no caller reads it. */
export function invalidToken(reason: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', reason, cause === undefined ? undefined : { cause })
}

/** Where authorization servers name the client: RFC 9068, OpenID Connect, Okta, Entra. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid', 'appid']

type Claims = Readonly<Record<string, unknown>>

export interface ExpectedClaims {
  /** Already checked, or the only one that could have answered. */
  readonly issuer: string
  readonly audiences: readonly string[]
}

/** Throws the refusal of a token when a claim that we rely on is missing or not what it must be. */
export function readClaims(claims: Claims, { issuer, audiences }: ExpectedClaims): VerifiedToken {
  const { sub, exp, cnf } = claims
  const resource = audienceOf(claims)
  if (!namesOneOf(resource, audiences)) throw invalidToken('the token is for another resource')
  if (sub !== undefined && typeof sub !== 'string') throw invalidToken('sub is not a string')
  if (exp !== undefined && typeof exp !== 'number') throw invalidToken('exp is not a number')
  if (cnf !== undefined && !isPlainObject(cnf)) throw invalidToken('cnf is not an object')
  return {
    clientId: clientOf(claims),
    scopes: scopesOf(claims),
    resource,
    issuer,
    ...(sub !== undefined && { subject: sub }),
    ...(exp !== undefined && { expiresAt: exp }),
    ...(cnf !== undefined && { confirmation: cnf }),
    claims,
  }
}

function clientOf(claims: Claims): string {
  for (const name of CLIENT_CLAIMS) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  throw invalidToken(`no claim names the client (${CLIENT_CLAIMS.join(', ')})`)
}

function audienceOf({ aud }: Claims): string | readonly string[] {
  if (typeof aud === 'string') return aud
  if (Array.isArray(aud) && aud.every((name) => typeof name === 'string')) return aud
  throw invalidToken('no aud claim says for whom the token is')
}

/** `scope` of RFC 9068 is a text; `scp`, of those who came before it, a text or a list. */
function scopesOf({ scope, scp }: Claims): readonly string[] {
  const value = scope ?? scp ?? ''
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '')
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value
  throw invalidToken('scope is neither text nor a list of texts')
}
