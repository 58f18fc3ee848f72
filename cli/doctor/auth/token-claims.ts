// What a token says of itself, where it is a JWT. Nothing is verified here: that is the server's part.
import { isPlainObject } from '../../terminal/primitives.ts'

export interface TokenClaims {
  readonly audiences: readonly string[]
  readonly issuer: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined
}

const MAX_TOKEN_LENGTH = 65_536

/** `undefined` for a token that only its issuer can read. */
export function readClaims(token: string): TokenClaims | undefined {
  const [, payload, signature] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  let claims: unknown
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (!isPlainObject(claims)) return undefined
  const { aud, iss, exp } = claims
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((name) => typeof name === 'string')
  return {
    audiences,
    issuer: typeof iss === 'string' ? iss : undefined,
    expiresAt: typeof exp === 'number' && Number.isFinite(exp) && Math.abs(exp) < MAX_SECONDS ? exp * 1000 : undefined,
  }
}

/** The last second that a date can name. */
const MAX_SECONDS = 8_640_000_000_000

/** One line about a token. The token itself is never in it. */
export function describeToken(claims: TokenClaims | undefined): string {
  if (claims === undefined) return 'Token: opaque, only its issuer can read it'
  const { audiences, issuer, expiresAt } = claims
  const parts = [
    audiences.length === 0 ? 'without aud' : `for ${audiences.join(', ')}`,
    issuer === undefined ? 'without iss' : `issued by ${issuer}`,
    ...(expiresAt === undefined
      ? []
      : [`${expiresAt < Date.now() ? 'expired' : 'expires'} ${new Date(expiresAt).toISOString()}`]),
  ]
  return `Token: a JWT ${parts.join(', ')}`
}

export interface ExpectedToken {
  /** The identifier of the resource in its metadata, else its URL. */
  readonly resource: string
  readonly issuers: readonly string[]
}

/** The most likely reason why a server refuses a token; `undefined` where the token looks right. */
export function findTokenProblem(
  claims: TokenClaims | undefined,
  { resource, issuers }: ExpectedToken,
): string | undefined {
  if (claims === undefined) return undefined
  const { audiences, issuer, expiresAt } = claims
  if (expiresAt !== undefined && expiresAt < Date.now())
    return `The token expired ${new Date(expiresAt).toISOString()}.`
  if (issuer !== undefined && issuers.length > 0 && !issuers.includes(issuer)) {
    return `The token was issued by ${issuer}, and the server trusts ${issuers.join(', ')}.`
  }
  if (audiences.length === 0) return 'The token has no aud claim, so that the server can not see that it is for it.'
  if (!audiences.includes(resource)) {
    return `The token is for ${audiences.join(', ')}, and the resource is ${resource}. The server accepts it only if its audience is set to that.`
  }
  return undefined
}
