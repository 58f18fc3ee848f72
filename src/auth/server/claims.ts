// The claims of a token, from a JWT or from introspection, read alike.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { namesOneOf } from './audience.ts'
import { invalidToken, type VerifiedToken } from './verifier.ts'

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
