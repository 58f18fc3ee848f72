// Access tokens that are JWTs (RFC 9068), verified with the keys of the one who issued them.
import { errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose'
import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { checkSecureUrl } from '../resource-url.ts'
import { guardFetch } from './guarded-fetch.ts'
import {
  checkAlgorithms,
  type FindKey,
  type JwtAlgorithm,
  localKeys,
  type RemoteKeysOptions,
  remoteKeys,
  sparing,
} from './signing-keys.ts'
import { invalidToken, readClaims, type TokenVerifier, type VerifiedToken, type VerifyContext } from './verifier.ts'

const MAX_TOKENS = 1_000
/** Longer tokens are verified each time, so that a thousand of them stay small. */
const MAX_LENGTH = 4_096

/** Keeps what was found out about a token for at most `maxAgeMs`, and never past the token's own end. */
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

export interface JwtVerifierOptions {
  /** Whose tokens these are, exactly as their `iss` claim spells it. */
  issuer: string
  /** Where the issuer's keys are. Left out, its metadata says so. */
  jwksUri?: string | URL
  /** The keys themselves, instead of a place to fetch them from. */
  jwks?: JSONWebKeySet
  /** Accepted signature algorithms; all asymmetric ones unless given. */
  algorithms?: readonly JwtAlgorithm[]
  /** How far our clock and the issuer's may differ; at most 60. */
  clockToleranceSeconds?: number
  /** How soon an unknown key id may make us fetch the keys again. 30 seconds unless given. */
  keysCooldownMs?: number
  /** How long fetched keys are trusted. 10 minutes unless given. */
  keysMaxAgeMs?: number
  /** How long a verified token is taken at its word, so that not every request pays for a signature. 30 seconds unless given. */
  rememberMs?: number
  /** For one request to the issuer. 5 seconds unless given. */
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
  /** Takes keys over plain http from other than loopback addresses. */
  allowHttp?: boolean
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

/** Types of access tokens. What has another type was signed for another purpose. */
const ACCESS_TOKEN_TYPES = ['at+jwt', 'application/at+jwt', 'jwt']
/** Claims of ID tokens, which prove a login to a client and open nothing. */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash']

/** Throws `TypeError` or `RangeError` for options that could not verify anything. */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  checkKeys('jwtVerifier()', options, JWT_VERIFIER_KEYS)
  const { issuer, rememberMs = 30_000 } = options
  const algorithms = checkAlgorithms(options.algorithms)
  const clockTolerance = checkTolerance(options.clockToleranceSeconds)
  const findKey = keysOf(options)
  const recent = new RecentTokens<JWTPayload>(rememberMs)

  async function open(token: string): Promise<JWTPayload> {
    const { payload, protectedHeader } = await checked(
      jwtVerify(token, findKey, { algorithms, clockTolerance, issuer, requiredClaims: ['exp', 'aud'] }),
    )
    checkPurpose(protectedHeader, payload)
    recent.add(token, Object.freeze(payload), expiryOf(payload) * 1000)
    return payload
  }

  // By our clock, which is the one that whoever reads this goes by.
  const expiryOf = ({ exp = 0 }: JWTPayload) => exp + clockTolerance

  async function verify(token: string, { audiences }: VerifyContext): Promise<VerifiedToken> {
    const claims = recent.get(token) ?? (await open(token))
    return { ...readClaims(claims, { issuer, audiences }), expiresAt: expiryOf(claims) }
  }

  return { verify }
}

function keysOf(options: JwtVerifierOptions): FindKey {
  const { jwks, jwksUri, allowHttp, timeoutMs = 5_000, keysCooldownMs = 30_000, keysMaxAgeMs = 600_000 } = options
  checkSecureUrl(options.issuer, { what: 'issuer of jwtVerifier', allowHttp })
  if (jwks !== undefined && jwksUri !== undefined) throw new TypeError('jwtVerifier takes jwks or jwksUri, not both')
  if (jwks !== undefined) return localKeys(jwks)
  const fetch = guardFetch({ timeoutMs, fetch: options.fetch })
  const remote = { fetch, cooldownMs: keysCooldownMs, maxAgeMs: keysMaxAgeMs, allowHttp }
  if (jwksUri === undefined) return discoverKeys(options.issuer, remote)
  return remoteKeys(checkSecureUrl(jwksUri, { what: 'jwksUri of jwtVerifier', allowHttp }), remote)
}

/** A token that does not hold up is refused; keys that cannot be had are somebody else's fault and stay an error. */
async function checked(verification: Promise<JWTVerifyResult>): Promise<JWTVerifyResult> {
  try {
    return await verification
  } catch (error) {
    if (isFaultOfToken(error)) throw invalidToken(error.message, error)
    throw error
  }
}

function isFaultOfToken(error: unknown): error is Error {
  if (!(error instanceof errors.JOSEError)) return false
  if (error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout) return false
  return error.code !== errors.JOSEError.code
}

function checkPurpose({ typ }: { typ?: string }, claims: JWTPayload): void {
  const type = typ?.toLowerCase() ?? 'jwt'
  if (!ACCESS_TOKEN_TYPES.includes(type)) throw invalidToken('the type of the JWT is not that of an access token')
  if (type !== 'jwt') return
  if (ID_TOKEN_CLAIMS.some((name) => Object.hasOwn(claims, name))) throw invalidToken('an ID token is no access token')
}

function checkTolerance(seconds = 5): number {
  if (seconds >= 0 && seconds <= MAX_CLOCK_TOLERANCE_SECONDS) return seconds
  throw new RangeError(`clockToleranceSeconds of jwtVerifier is 0 to ${MAX_CLOCK_TOLERANCE_SECONDS}`)
}

interface DiscoverKeysOptions extends RemoteKeysOptions {
  readonly allowHttp?: boolean | undefined
}

/** Looks for the metadata at the first token; a look that failed is not repeated at once. */
function discoverKeys(issuer: string, options: DiscoverKeysOptions): FindKey {
  let found: Promise<FindKey> | undefined
  const discover = sparing(() => findKeys(issuer, options), options.cooldownMs)
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
  if (jwks_uri === undefined) throw new TransportError(`The metadata of ${issuer} names no keys: give jwksUri`)
  const { allowHttp } = options
  return remoteKeys(checkSecureUrl(jwks_uri, { what: `jwks_uri of ${issuer}`, allowHttp }), options)
}

/** RFC 8414 or OpenID Connect Discovery; `undefined` where the issuer has no document of that kind. */
async function readMetadata(issuer: string, algorithm: 'oauth2' | 'oidc', { fetch }: DiscoverKeysOptions) {
  const url = new URL(issuer)
  // Whether plain http is fine was decided when the verifier was made.
  const response = await discoveryRequest(url, { algorithm, [customFetch]: fetch, [allowInsecureRequests]: true })
  if (response.status >= 400 && response.status < 500) return undefined
  const metadata = await processDiscoveryResponse(url, response)
  // RFC 8414, section 3.3: identical, to the character; the library compares what remains after parsing.
  if (metadata.issuer !== issuer) throw new TransportError(`The metadata found for ${issuer} is that of another issuer`)
  return metadata
}
