// Requests to the token endpoint, and checks of its responses.
import * as oauth4webapi from 'oauth4webapi'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { OAuthError, type OAuthStep } from '../../../types/errors/failures.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import { displayUrl, oauthErrorCode, oauthFailure, quotePeer } from '../network/failure.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'

/** Wider than RFC 6750: any token that is safe in a header. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/
/** The minimum, so that no response makes us refresh before every request. */
const MIN_LIFETIME_SECONDS = 20
const MAX_LIFETIME_SECONDS = 10 * 365 * 24 * 3600
/** A token is renewed this long before it expires, because requests take time and clocks differ. */
const RENEWAL_MARGIN_MS = 10_000

/** An access token with the rest of its response. */
export interface TokenSet {
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  readonly refreshToken: string | undefined
  /** Milliseconds since 1970; `undefined` if the server gave no valid lifetime. */
  readonly expiresAt: number | undefined
  /** The granted scopes; the requested ones if the server listed none. */
  readonly scopes: readonly string[]
}

export interface TokenRequest {
  readonly step: OAuthStep
  readonly server: AuthorizationServerMetadata
  readonly clientId: string
  readonly clientAuth: oauth4webapi.ClientAuth
  readonly dpop: oauth4webapi.DPoPHandle | undefined
  readonly signal: AbortSignal
  /** Removed from errors, in case the server repeats them. */
  readonly secrets: readonly (string | undefined)[]
}

export type GrantParameters = Readonly<Record<string, string | undefined>>

/** RFC 8693: the type of a token that is not an access token, such as an assertion, is `N_A`. */
const RECOGNIZED_TYPES: oauth4webapi.RecognizedTokenTypes = { n_a: () => {} }

/** Requests tokens. Rejects with `OAuthError`, whose `code` is the server's if it gave one. */
export async function requestToken(
  http: GuardedFetch,
  request: TokenRequest,
  grantType: string,
  parameters: GrantParameters,
): Promise<oauth4webapi.TokenEndpointResponse> {
  const { server, step } = request
  http.policy.check(server.token_endpoint ?? '', 'The token_endpoint', step)
  const client: oauth4webapi.Client = { client_id: request.clientId }
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value)
  const send = () =>
    oauth4webapi.genericTokenEndpointRequest(
      server as oauth4webapi.AuthorizationServer,
      client,
      request.clientAuth,
      grantType,
      body,
      {
        ...(request.dpop !== undefined && { DPoP: request.dpop }),
        // The policy has decided about plain http already.
        [oauth4webapi.allowInsecureRequests]: true,
        [oauth4webapi.customFetch]: (url, init) => http.request(step, url, init, request.signal),
      },
    )
  const read = async (response: Response) =>
    oauth4webapi.processGenericTokenEndpointResponse(
      server as oauth4webapi.AuthorizationServer,
      client,
      await normalizeTokenResponse(response),
      { recognizedTokenTypes: RECOGNIZED_TYPES },
    )
  try {
    try {
      return await read(await send())
    } catch (error) {
      // RFC 9449, section 8: one more time, with the nonce of the response.
      if (request.dpop === undefined || !oauth4webapi.isDPoPNonceError(error)) throw error
      return await read(await send())
    }
  } catch (error) {
    throw toTokenError(error, request)
  }
}

/** The response as a token set. Throws if the token is unsafe in a header, or has another type than requested. */
export function toTokenSet(
  answer: oauth4webapi.TokenEndpointResponse,
  { step, dpop }: TokenRequest,
  requestedScopes: readonly string[],
): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, scope } = answer
  const tokenType = dpop === undefined ? 'bearer' : 'dpop'
  if (!TOKEN.test(accessToken)) {
    throw oauthFailure(
      step,
      'invalid_token_response',
      'The access token is too long or contains characters that are not allowed in a header',
    )
  }
  if (answer.token_type !== tokenType) {
    throw oauthFailure(
      step,
      'invalid_token_response',
      `The token is of type ${quotePeer(answer.token_type)} instead of ${tokenType}`,
    )
  }
  return {
    accessToken,
    tokenType,
    refreshToken: refreshToken !== undefined && TOKEN.test(refreshToken) ? refreshToken : undefined,
    expiresAt: expiryOf(answer.expires_in),
    scopes: scope === undefined ? requestedScopes : scope.split(' ').filter((name) => name !== ''),
  }
}

/** Whether a token should be replaced before it is used again. */
export function isExpiring(tokens: Pick<TokenSet, 'expiresAt'>): boolean {
  return tokens.expiresAt !== undefined && Date.now() > tokens.expiresAt - RENEWAL_MARGIN_MS
}

function expiryOf(expiresIn: number | undefined): number | undefined {
  if (expiresIn === undefined) return undefined
  return Date.now() + Math.min(Math.max(expiresIn, MIN_LIFETIME_SECONDS), MAX_LIFETIME_SECONDS) * 1000
}

/**
 * Removes from a successful response what servers send against the standard: `null` and empty members, and lifetimes that are
 * not numbers. Also removes an ID token, which we do not use.
 */
async function normalizeTokenResponse(response: Response): Promise<Response> {
  if (response.status !== 200 && response.status !== 201) return response
  let body: unknown
  try {
    body = await response.clone().json()
  } catch {
    return response
  }
  if (!isPlainObject(body)) return response
  const headers = { 'content-type': 'application/json' }
  // GitHub sends errors with status 200.
  if (typeof body['error'] === 'string' && body['access_token'] === undefined) {
    return new Response(JSON.stringify(body), { status: 400, headers })
  }
  const kept = Object.entries(body).filter(([name, value]) => {
    if (name === 'id_token' || value === null || value === '') return false
    if (name !== 'expires_in') return true
    const seconds = typeof value === 'string' ? Number(value) : value
    return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
  })
  return new Response(JSON.stringify(Object.fromEntries(kept)), { status: 200, headers })
}

/** The library's errors have whole responses as their cause, with tokens. None of that is passed on. */
function toTokenError(error: unknown, { step, server, secrets }: TokenRequest): OAuthError {
  if (error instanceof OAuthError) return error
  const where = `The token endpoint of ${displayUrl(server.issuer)}`
  if (error instanceof oauth4webapi.ResponseBodyError) {
    const description = quotePeer(error.error_description, secrets)
    const code = oauthErrorCode(error.error, 'invalid_token_response')
    return oauthFailure(
      step,
      code,
      `${where} rejected the request: ${quotePeer(code, secrets)}${description === '' ? '' : ` (${description})`}`,
    )
  }
  if (error instanceof oauth4webapi.WWWAuthenticateChallengeError) {
    return oauthFailure(
      step,
      'invalid_client',
      `${where} does not accept the client's credentials (HTTP ${error.status})`,
    )
  }
  if (error instanceof oauth4webapi.UnsupportedOperationError) {
    return oauthFailure(step, 'invalid_token_response', `${where} issued a token of an unknown type`)
  }
  if (error instanceof oauth4webapi.OperationProcessingError) {
    const status = error.cause instanceof Response ? error.cause.status : 200
    const code = status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_token_response'
    return oauthFailure(step, code, `${where} sent a response that does not follow OAuth (HTTP ${status})`)
  }
  return oauthFailure(
    step,
    'token_request_failed',
    `Cannot create the token request for ${displayUrl(server.issuer)}. Check the client's credentials and keys`,
  )
}
