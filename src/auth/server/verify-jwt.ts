// Verifies access tokens that are JWTs (RFC 9068) with the keys of their issuer.

import { errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose'
import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { checkSecureUrl } from '../resource-url.ts'
import { createIssuerFetch } from './issuer-fetch.ts'
import {
  checkAlgorithms,
  type FindKey,
  type JwtAlgorithm,
  localKeys,
  type RemoteKeysOptions,
  remoteKeys,
  withFailureCooldown,
} from './signing-keys.ts'
import {
  invalidToken,
  keepRecall,
  readClaims,
  type TokenVerifier,
  type VerifiedToken,
  type VerifyContext,
} from './verifier.ts'

const MAX_TOKENS = 1_000
/** Longer tokens are verified each time, so that the cache stays small. */
const MAX_LENGTH = 4_096

/** Remembers verified tokens for at most `maxAgeMs`, and never past their expiry. */
export class RecentTokens<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()
  readonly #maxAgeMs: number

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs
  }

  get(token: string): Value | undefined {
    const entry = this.#entries.get(token)
    if (entry === undefined) return undefined
    if (Date.now() < entry.until) return entry.value
    this.#entries.delete(token)
    return undefined
  }

  add(token: string, value: Value, expiresAtMs: number): void {
    if (token.length > MAX_LENGTH) return
    if (this.#entries.size >= MAX_TOKENS) this.#forgetOldest()
    this.#entries.set(token, { value, until: Math.min(expiresAtMs, Date.now() + this.#maxAgeMs) })
  }

  #forgetOldest(): void {
    const { value: oldest } = this.#entries.keys().next()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}

/** Options of `jwtVerifier()`, which checks signed tokens by the issuer's keys. */
export interface JwtVerifierOptions {
  /** The issuer of the tokens, exactly as their `iss` claim spells it. */
  issuer: string
  /** The URL of the issuer's keys (default: from the issuer's metadata). */
  jwksUri?: string | URL | undefined
  /** The keys themselves, instead of `jwksUri`. */
  jwks?: JSONWebKeySet | undefined
  /** Accepted signature algorithms (default: all asymmetric ones). */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /** How far this clock and the issuer's may differ (default: 5 s, maximum: 60 s). */
  clockToleranceSeconds?: number | undefined
  /** Minimum time between two fetches of the keys in milliseconds (default: 30,000). */
  keysCooldownMs?: number | undefined
  /** How long fetched keys are used in milliseconds (default: 600,000). */
  keysMaxAgeMs?: number | undefined
  /** How long a verified token is not verified again in milliseconds (default: 30,000). */
  rememberMs?: number | undefined
  /** Maximum time for one request to the issuer in milliseconds (default: 5,000). */
  timeoutMs?: number | undefined
  /** Loads the keys of the issuer (default: the global `fetch`). */
  fetch?: typeof globalThis.fetch | undefined
  /** Fetches keys over plain http from addresses other than loopback (default: `false`). */
  allowHttp?: boolean | undefined
}

export const JWT_VERIFIER_KEYS: KnownKeys<JwtVerifierOptions> = {
  issuer: true,
  jwksUri: true,
  jwks: true,
  algorithms: true,
  clockToleranceSeconds: true,
  keysCooldownMs: true,
  keysMaxAgeMs: true,
  rememberMs: true,
  timeoutMs: true,
  fetch: true,
  allowHttp: true,
}

const MAX_CLOCK_TOLERANCE_SECONDS = 60

/** The types of access tokens. A JWT of another type was signed for another purpose. */
const ACCESS_TOKEN_TYPES = ['at+jwt', 'application/at+jwt', 'jwt']
/** Claims of ID tokens, which prove a login to a client and grant no access. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash']

/** Verifies JWTs with the issuer's keys. Throws `TypeError` or `RangeError` for wrong options. */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  checkKeys('jwtVerifier()', options, JWT_VERIFIER_KEYS)
  const { issuer, rememberMs = 30_000 } = options
  const algorithms = checkAlgorithms(options.algorithms)
  const clockTolerance = checkTolerance(options.clockToleranceSeconds)
  const findKey = createFindKey(options)
  const recent = new RecentTokens<JWTPayload>(rememberMs)

  async function open(token: string): Promise<JWTPayload> {
    const { payload, protectedHeader } = await verifyOrReject(
      jwtVerify(token, findKey, { algorithms, clockTolerance, issuer, requiredClaims: ['exp', 'aud'] }),
    )
    checkPurpose(protectedHeader, payload)
    recent.add(token, Object.freeze(payload), expiryOf(payload) * 1000)
    return payload
  }

  // By this clock, which `requireBearer` compares it with.
  const expiryOf = ({ exp = 0 }: JWTPayload) => exp + clockTolerance

  const read = (claims: JWTPayload, audiences: readonly string[]): VerifiedToken => {
    const verified = readClaims(claims, { issuer, audiences })
    return { ...verified, expiresAt: expiryOf(claims) }
  }

  async function verify(token: string, { audiences }: VerifyContext): Promise<VerifiedToken> {
    return read(recent.get(token) ?? (await open(token)), audiences)
  }

  keepRecall(verify, (token, audiences) => {
    const claims = recent.get(token)
    return claims === undefined ? undefined : read(claims, audiences)
  })
  return { verify }
}

function createFindKey(options: JwtVerifierOptions): FindKey {
  const { jwks, jwksUri, allowHttp, timeoutMs = 5_000, keysCooldownMs = 30_000, keysMaxAgeMs = 600_000 } = options
  checkSecureUrl(options.issuer, { what: 'issuer of jwtVerifier', allowHttp })
  if (jwks !== undefined && jwksUri !== undefined)
    throw typeError('wrong-option', 'jwtVerifier takes jwks or jwksUri, not both')
  if (jwks !== undefined) return localKeys(jwks)
  const fetch = createIssuerFetch({ timeoutMs, fetch: options.fetch })
  const remote = { fetch, cooldownMs: keysCooldownMs, maxAgeMs: keysMaxAgeMs, allowHttp }
  if (jwksUri === undefined) return discoverKeys(options.issuer, remote)
  return remoteKeys(checkSecureUrl(jwksUri, { what: 'jwksUri of jwtVerifier', allowHttp }), remote)
}

/** A token that fails verification is invalid. Other errors, such as keys that can't be fetched, are not about the token. */
async function verifyOrReject(verification: Promise<JWTVerifyResult>): Promise<JWTVerifyResult> {
  try {
    return await verification
  } catch (error) {
    if (isTokenInvalid(error)) throw invalidToken(error.message, error)
    throw error
  }
}

function isTokenInvalid(error: unknown): error is Error {
  if (!(error instanceof errors.JOSEError)) return false
  if (error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout) return false
  return error.code !== errors.JOSEError.code
}

function checkPurpose({ typ }: { typ?: string }, claims: JWTPayload): void {
  const type = typ?.toLowerCase() ?? 'jwt'
  if (!ACCESS_TOKEN_TYPES.includes(type)) throw invalidToken('the JWT is not of the type of an access token')
  if (type !== 'jwt') return
  if (ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name)))
    throw invalidToken('an ID token is not an access token')
}

function checkTolerance(seconds = 5): number {
  if (seconds >= 0 && seconds <= MAX_CLOCK_TOLERANCE_SECONDS) return seconds
  throw rangeError(
    'wrong-option',
    `clockToleranceSeconds of jwtVerifier must be from 0 to ${MAX_CLOCK_TOLERANCE_SECONDS}`,
  )
}

interface DiscoverKeysOptions extends RemoteKeysOptions {
  readonly allowHttp?: boolean | undefined
}

/** Fetches the metadata at the first token. A failure is not repeated at once. */
function discoverKeys(issuer: string, options: DiscoverKeysOptions): FindKey {
  let found: Promise<FindKey> | undefined
  const discover = withFailureCooldown(() => findKeys(issuer, options), options.cooldownMs)
  return async (header, token) => {
    found ??= discover()
    const keys = await found.catch((error: unknown) => {
      found = undefined
      throw error
    })
    return keys(header, token)
  }
}

async function findKeys(issuer: string, options: DiscoverKeysOptions): Promise<FindKey> {
  const { jwks_uri } =
    (await readMetadata(issuer, 'oauth2', options)) ?? (await readMetadata(issuer, 'oidc', options)) ?? {}
  if (jwks_uri === undefined) throw new TransportError(`The metadata of ${issuer} has no jwks_uri. Set jwksUri`)
  const { allowHttp } = options
  return remoteKeys(checkSecureUrl(jwks_uri, { what: `jwks_uri of ${issuer}`, allowHttp }), options)
}

/** RFC 8414 or OpenID Connect Discovery; `undefined` if the issuer has no document of that kind. */
async function readMetadata(issuer: string, algorithm: 'oauth2' | 'oidc', { fetch }: DiscoverKeysOptions) {
  const url = new URL(issuer)
  // `checkSecureUrl` has decided about plain http already.
  const response = await discoveryRequest(url, { algorithm, [customFetch]: fetch, [allowInsecureRequests]: true })
  if (response.status >= 400 && response.status < 500) return undefined
  const metadata = await processDiscoveryResponse(url, response)
  // RFC 8414, section 3.3: identical to the character. The library compares parsed URLs.
  if (metadata.issuer !== issuer) throw new TransportError(`The metadata at ${issuer} is that of another issuer`)
  return metadata
}
