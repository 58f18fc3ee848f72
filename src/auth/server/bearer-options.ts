// The options of `requireBearer`, checked at construction, so that no mistake shows only at the first request.

import type { HttpHandler } from '../../http/exchange.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys, checkNestedKeys, type KnownKeys } from '../../primitives/options.ts'
import { canonicalName, canonicalResource, checkSecureUrl } from '../resource-url.ts'
import { createProofCheck, DPOP_KEYS, type DpopOptions, type ProofCheck } from './dpop.ts'
import { RESOURCE_DETAILS_KEYS, type ResourceDetails } from './resource-metadata.ts'
import { checkScopes, type ImpliedScopes } from './scopes.ts'
import { type RecallToken, recallOf, type TokenVerifier, type VerifyToken } from './verifier.ts'

/** Options of `requireBearer()`: which tokens a server accepts, and what it publishes about itself. */
export interface BearerOptions {
  /** The URL of this server that its clients use. Tokens must be issued for it. */
  resource: string | URL
  /**
   * The authorization servers whose tokens are accepted, each exactly as it spells itself. `false` where there is none, as with
   * `verifyStaticTokens()`: clients then get their tokens from you.
   */
  issuer: string | readonly [string, ...string[]] | false
  /** Checks a token: `jwtVerifier()`, `introspectionVerifier()`, `verifyStaticTokens()` or your own function. */
  verifier: TokenVerifier | VerifyToken
  /** The scopes that every request needs. Tools, prompts and resources can require more. */
  scopes?: readonly string[] | undefined
  /** Scopes that include other scopes. Handlers see the included ones too. */
  impliedScopes?: ImpliedScopes | undefined
  /** Replaces the resource as the audience, for authorization servers that can't put a URL into `aud`. */
  audience?: string | readonly [string, ...string[]] | undefined
  /** Further members of the published metadata. */
  metadata?: ResourceDetails | undefined
  /** Accepts tokens that are bound to a key (RFC 9449), and with `required` no others (default: bound tokens are rejected). */
  dpop?: DpopOptions | boolean | undefined
  /** Maximum time for a verifier in milliseconds (default: 10,000). */
  verifyTimeoutMs?: number | undefined
  /** Keeps the token of each caller for `subjectTokenOf()`, so that `tokenExchange()` can use it (default: `false`). */
  keepToken?: boolean | undefined
  /** Receives the reason of each refusal. Callers don't see it. */
  onRefused?: ((refusal: BearerRefusal) => void) | undefined
  /** Accepts plain http for a resource and issuers that are not on loopback (default: `false`). */
  allowHttp?: boolean | undefined
}

export const BEARER_KEYS: KnownKeys<BearerOptions> = {
  resource: true,
  issuer: true,
  verifier: true,
  scopes: true,
  impliedScopes: true,
  audience: true,
  metadata: true,
  dpop: true,
  verifyTimeoutMs: true,
  keepToken: 'boolean',
  onRefused: true,
  allowHttp: true,
}

/** Why a request was refused. Contains no token. */
export interface BearerRefusal {
  /** The HTTP status of the response. */
  readonly status: 400 | 401 | 403 | 503
  /** The error code of RFC 6750 or 9449; absent if the request had no token. */
  readonly error?: string
  /** Why the request was refused, for logs. Never sent to the client. */
  readonly reason: string
  /** The error behind the refusal, if there was one. */
  readonly cause?: unknown
}

export interface BearerSettings {
  readonly resource: URL
  /** In canonical form. */
  readonly resourceName: string
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly scopes: readonly string[]
  readonly impliedScopes: ReadonlyMap<string, readonly string[]>
  readonly verify: VerifyToken
  /** What the verifier remembers of a token: most requests come with one that was verified a moment ago. */
  readonly recall: RecallToken
  readonly verifyTimeoutMs: number
  readonly keepsToken: boolean
  readonly proofs: ProofCheck | undefined
  readonly onRefused: ((refusal: BearerRefusal) => void) | undefined
}

/** `redeem` is the memory that the nodes of the server share, where they do. */
export function readBearerOptions(options: BearerOptions, redeem?: HttpHandler['redeem']): BearerSettings {
  checkKeys('requireBearer()', options, BEARER_KEYS)
  checkNestedKeys('requireBearer(): metadata', options.metadata, RESOURCE_DETAILS_KEYS)
  checkNestedKeys('requireBearer(): dpop', options.dpop, DPOP_KEYS)
  const { allowHttp, scopes = [], impliedScopes = {}, verifyTimeoutMs = 10_000, onRefused } = options
  const resource = checkSecureUrl(options.resource, { what: 'resource of requireBearer', allowHttp })
  if (resource.search !== '') throw rangeError('wrong-option', 'resource of requireBearer must not have a query')
  if (!(verifyTimeoutMs > 0)) throw rangeError('wrong-option', 'verifyTimeoutMs of requireBearer must be above 0')
  const resourceName = canonicalResource(resource)
  return {
    resource,
    resourceName,
    issuers: checkIssuers(options),
    audiences: checkAudiences(options.audience ?? resourceName),
    scopes: checkScopes(scopes, 'scopes of requireBearer'),
    impliedScopes: new Map(Object.entries(impliedScopes)),
    verify: checkVerifier(options.verifier),
    recall: (token, accepted) => {
      const { verifier } = options
      return recallOf(typeof verifier === 'function' ? verifier : verifier.verify)?.(token, accepted)
    },
    verifyTimeoutMs,
    keepsToken: options.keepToken === true,
    proofs: checkDpop(options.dpop, resource, redeem),
    onRefused,
  }
}

function checkIssuers({ issuer, allowHttp }: BearerOptions): readonly string[] {
  if (issuer === false) return []
  const issuers = typeof issuer === 'string' ? [issuer] : issuer
  if (!Array.isArray(issuers) || issuers.length === 0) {
    throw typeError(
      'wrong-option',
      'issuer of requireBearer is missing: give the authorization server whose tokens are accepted',
    )
  }
  for (const one of issuers) {
    if (typeof one !== 'string')
      throw typeError('wrong-option', 'issuer of requireBearer must be a string, exactly as the server spells it')
    checkSecureUrl(one, { what: 'issuer of requireBearer', allowHttp })
  }
  return [...issuers]
}

function checkAudiences(audience: string | readonly string[]): readonly string[] {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const areNames = audiences.length > 0 && audiences.every((name) => typeof name === 'string' && name !== '')
  if (!areNames) throw typeError('wrong-option', 'audience of requireBearer must be one or more names')
  return audiences.map(canonicalName)
}

function checkVerifier(verifier: TokenVerifier | VerifyToken): VerifyToken {
  if (typeof verifier === 'function') return verifier
  if (typeof verifier?.verify === 'function') return (token, context) => verifier.verify(token, context)
  throw typeError(
    'wrong-option',
    'verifier of requireBearer is missing: give jwtVerifier(…), introspectionVerifier(…) or a function',
  )
}

function checkDpop(
  dpop: DpopOptions | boolean | undefined,
  resource: URL,
  redeem: HttpHandler['redeem'],
): ProofCheck | undefined {
  if (dpop === undefined || dpop === false) return undefined
  return createProofCheck(dpop === true ? {} : dpop, resource, redeem)
}
