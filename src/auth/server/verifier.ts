// The interface of token verifiers, ours and users' own, and how claims are read. check-token.ts calls them.

import { isPlainObject } from '../../primitives/json/objects.ts'
import { OAuthError } from '../../types/errors/failures.ts'
import { isAudienceAccepted } from '../resource-url.ts'

/** What a verifier knows about a token. `requireBearer` decides whether that is enough. */
export interface VerifiedToken {
  /** The client that the token was issued to. */
  clientId: string
  /** The scopes that the token grants. */
  scopes: readonly string[]
  /** The audience of the token. A token without one is rejected. */
  resource: string | readonly string[]
  /** Default: the configured issuer, if there is only one. */
  issuer?: string
  /** The user on whose behalf the client calls, if there is one. */
  subject?: string
  /** Seconds since 1970. */
  expiresAt?: number
  /** The key that the token is bound to (RFC 7800), as in `{ jkt }` for DPoP. */
  confirmation?: Readonly<Record<string, unknown>>
  /** All claims, for handlers. */
  claims?: Readonly<Record<string, unknown>>
}

/** What a token must be issued for. Comes from the configuration, never from the token. */
export interface VerifyContext {
  /** The canonical URL of this server. */
  readonly resource: string
  /** Accepted audiences (default: the resource). */
  readonly audiences: readonly string[]
  /** The issuers that the server accepts. */
  readonly issuers: readonly string[]
  /** Aborted when the verifier takes too long. */
  readonly signal: AbortSignal
}

/**
 * Resolves to what is known about the token, or to `undefined` if the token is not valid. An `OAuthError` with the code
 * `invalid_token` does the same, with a reason for `onRefused`. Any other error means that the token could not be checked.
 */
export type VerifyToken = (token: string, context: VerifyContext) => Promise<VerifiedToken | undefined>

/** What a verifier remembers of a token, at once; `undefined` where it has to look. Throws for a token that is not valid. */
export type RecallToken = (token: string, audiences: readonly string[]) => VerifiedToken | undefined

const RECALLS = new WeakMap<VerifyToken, RecallToken>()

/** By the function, so that no other one is asked in its place. */
export function keepRecall(verify: VerifyToken, recall: RecallToken): void {
  RECALLS.set(verify, recall)
}

export function recallOf(verify: VerifyToken): RecallToken | undefined {
  return RECALLS.get(verify)
}

/** Checks tokens. `jwtVerifier()` and `introspectionVerifier()` make one. */
export interface TokenVerifier {
  /** Returns what a token says. Throws for a token that is not valid. */
  readonly verify: VerifyToken
}

/** The error for a token that is not valid. The reason is for `onRefused`; no caller reads it. */
export function invalidToken(reason: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', reason, cause === undefined ? undefined : { cause })
}

/** The claims for the client id of RFC 9068, OpenID Connect, Okta and Entra. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid', 'appid']

type Claims = Readonly<Record<string, unknown>>

export interface ExpectedClaims {
  /** Already checked, or the only issuer that could have answered. */
  readonly issuer: string
  readonly audiences: readonly string[]
}

/** Throws `invalidToken` if a claim that we rely on is missing or wrong. */
export function readClaims(claims: Claims, { issuer, audiences }: ExpectedClaims): VerifiedToken {
  const { sub, exp, cnf } = claims
  const resource = audienceOf(claims)
  if (!isAudienceAccepted(resource, audiences)) throw invalidToken('the token is for another resource')
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
  throw invalidToken('the token has no aud claim')
}

/** `scope` of RFC 9068 is a string; `scp`, of older servers, a string or a list. */
function scopesOf({ scope, scp }: Claims): readonly string[] {
  const value = scope ?? scp ?? ''
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '')
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value
  throw invalidToken('scope is neither a string nor a list of strings')
}
