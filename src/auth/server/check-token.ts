// Checks the token of a request and finds its caller: reads the token, verifies it (verify-jwt.ts, verify-introspection.ts), and
// checks audience, issuer, expiry, proof and scopes.
import type { HttpExchange } from '../../http/exchange.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { isAudienceAccepted } from '../resource-url.ts'
import type { BearerSettings } from './bearer-options.ts'
import { RefusedRequest } from './refusal.ts'
import { addImpliedScopes } from './scopes.ts'
import { keepSubjectToken } from './subject-token.ts'
import type { VerifiedToken, VerifyContext } from './verifier.ts'

interface TokenCredentials {
  readonly kind: 'token'
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** What the Authorization header holds: a token with its scheme, nothing for us, or something malformed. */
type Credentials =
  | TokenCredentials
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Longer tokens are rejected unread; most HTTP servers limit headers to about this length anyway. */
const MAX_TOKEN_LENGTH = 16_384

/** RFC 6750, section 2.1: the characters of a token. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
const SCHEME = /^(bearer|dpop)(?: +|$)/i

const NONE: Credentials = { kind: 'none' }

function readCredentials(exchange: HttpExchange): Credentials {
  const header = exchange.header('authorization')
  if (header === undefined) return NONE
  if (typeof header !== 'string') return malformed('more than one Authorization header')
  const scheme = SCHEME.exec(header)
  if (scheme === null) return NONE
  const token = header.slice(scheme[0].length)
  // Length first, so that the pattern only runs on bounded input.
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

/** Rejects with `RefusedRequest`, or with the error of the verifier. */
export async function identifyCaller(exchange: HttpExchange, settings: BearerSettings): Promise<AuthInfo> {
  const credentials = requireCredentials(exchange, settings)
  const { token } = credentials
  const verified = settings.recall(token, settings.audiences) ?? (await verifyInTime(token, settings))
  checkToken(verified, settings)
  const proving = checkPossession(exchange, credentials, verified, settings)
  if (proving !== undefined) await proving
  const caller = toAuthInfo(verified, settings)
  if (settings.keepsToken) keepSubjectToken(caller, credentials.token)
  if (!settings.scopes.every((scope) => caller.scopes.includes(scope))) {
    throw new RefusedRequest('scope', `the token lacks a scope that every request needs: ${settings.scopes.join(' ')}`)
  }
  return caller
}

function requireCredentials(exchange: HttpExchange, { proofs }: BearerSettings): TokenCredentials {
  const credentials = readCredentials(exchange)
  if (credentials.kind === 'malformed') throw new RefusedRequest('malformed', credentials.reason)
  if (credentials.kind === 'none') throw new RefusedRequest('missing', 'no token')
  if (credentials.scheme === 'dpop' && proofs === undefined)
    throw new RefusedRequest('missing', 'DPoP is not turned on')
  if (credentials.token.length > MAX_TOKEN_LENGTH) throw new RefusedRequest('token', 'the token is too long')
  return credentials
}

/** Every wait is bounded: a verifier that hangs must not block requests forever. */
async function verifyInTime(token: string, settings: BearerSettings): Promise<VerifiedToken> {
  const { verify, verifyTimeoutMs } = settings
  const context = new LazyContext(settings)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new RefusedRequest('unavailable', `the verifier did not answer within ${verifyTimeoutMs} ms`)
      context.abort(error)
      reject(error)
    }, verifyTimeoutMs)
  })
  try {
    const verified = await Promise.race([verify(token, context), timeout])
    if (!isPlainObject(verified)) throw new RefusedRequest('token', 'the verifier does not know the token')
    return verified
  } finally {
    clearTimeout(timer)
  }
}

/** A verifier may be a user's own, so everything required is checked here again. */
function checkToken(verified: VerifiedToken, { issuers, audiences }: BearerSettings): void {
  const { clientId, scopes, resource, issuer, expiresAt } = verified
  if (typeof clientId !== 'string' || !Array.isArray(scopes)) {
    throw new RefusedRequest('unavailable', 'the verifier gave no clientId or no scopes')
  }
  if (!isAudience(resource)) throw new RefusedRequest('token', 'the verifier gave no resource for the token')
  if (!isAudienceAccepted(resource, audiences)) throw new RefusedRequest('token', 'the token is for another resource')
  // With several, a token must say which one it is from.
  const isOurs = issuer === undefined ? issuers.length <= 1 : issuers.includes(issuer)
  if (!isOurs) throw new RefusedRequest('token', 'the token is from an issuer that is not accepted here')
  if (expiresAt !== undefined && !(expiresAt > Date.now() / 1000))
    throw new RefusedRequest('token', 'the token has expired')
}

function isAudience(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((name) => typeof name === 'string'))
}

/** RFC 9449, section 7.2: a bound token without its proof counts as stolen, under either scheme. */
function checkPossession(
  exchange: HttpExchange,
  { scheme, token }: TokenCredentials,
  { confirmation }: VerifiedToken,
  { proofs }: BearerSettings,
): Promise<void> | undefined {
  if (confirmation === undefined) {
    if (scheme === 'dpop') throw new RefusedRequest('token', 'the token came with a proof but is bound to no key')
    if (proofs?.isRequired === true)
      throw new RefusedRequest('token', 'only tokens that are bound to a key are accepted')
    return undefined
  }
  const { jkt, ...others } = confirmation
  if (typeof jkt !== 'string' || Object.keys(others).length > 0) {
    throw new RefusedRequest('token', 'the token is bound by a method that cannot be checked here')
  }
  if (proofs === undefined) throw new RefusedRequest('token', 'the token is bound to a key, and DPoP is not turned on')
  if (scheme !== 'dpop') throw new RefusedRequest('token', 'the token is bound to a key and was sent as a bearer token')
  return proofs.check(exchange, token, jkt)
}

function toAuthInfo(verified: VerifiedToken, { issuers, resourceName, impliedScopes }: BearerSettings): AuthInfo {
  const { clientId, scopes, issuer = issuers[0], subject, expiresAt, claims } = verified
  return {
    clientId,
    scopes: impliedScopes.size === 0 ? scopes : addImpliedScopes(scopes, impliedScopes),
    ...(issuer !== undefined && { issuer }),
    ...(subject !== undefined && { subject }),
    ...(expiresAt !== undefined && { expiresAt }),
    resource: resourceName,
    ...(claims !== undefined && { claims }),
  }
}

/** Most verifiers never read the signal, so it is created on first use. */
class LazyContext implements VerifyContext {
  readonly resource: string
  readonly audiences: readonly string[]
  readonly issuers: readonly string[]
  #controller: AbortController | undefined

  constructor({ resourceName, audiences, issuers }: BearerSettings) {
    this.resource = resourceName
    this.audiences = audiences
    this.issuers = issuers
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.#controller?.abort(reason)
  }
}
