// The token endpoint: one request, one answer, and what of the answer may be believed.
import * as oauth4webapi from 'oauth4webapi'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { OAuthError, type OAuthStep } from '../../../types/errors/failures.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import { displayUrl, errorCode, fail, quote } from '../network/failure.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'

/** RFC 6750 allows less; what matters is that nothing in it can end a header. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/
/** Shorter lives are taken for this long, so that no answer makes us refresh before every request. */
const MIN_LIFETIME_SECONDS = 20
const MAX_LIFETIME_SECONDS = 10 * 365 * 24 * 3600
/** A token is renewed this long before it expires, since requests take time and clocks differ. */
const RENEWAL_MARGIN_MS = 10_000

/** An access token with what came along. */
export interface TokenSet {
  readonly accessToken: string
  readonly tokenType: 'bearer' | 'dpop'
  readonly refreshToken: string | undefined
  /** Milliseconds since 1970; `undefined` where the server did not say, or said nonsense. */
  readonly expiresAt: number | undefined
  /** Granted, or asked for where the server did not say that it granted something else. */
  readonly scopes: readonly string[]
}

export interface TokenRequest {
  readonly step: OAuthStep
  readonly server: AuthorizationServerMetadata
  readonly clientId: string
  readonly clientAuth: oauth4webapi.ClientAuth
  readonly dpop: oauth4webapi.DPoPHandle | undefined
  readonly signal: AbortSignal
  /** Never part of an error, whoever echoes them. */
  readonly secrets: readonly (string | undefined)[]
}

export type GrantParameters = Readonly<Record<string, string | undefined>>

/** Token types that are none: RFC 8693 names them `N_A` where an assertion was asked for. */
const RECOGNIZED_TYPES: oauth4webapi.RecognizedTokenTypes = { n_a: () => {} }

/** Asks for tokens. Rejects with `OAuthError`, whose `code` is the server's where it gave one. */
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
      await withoutOddities(response),
      { recognizedTokenTypes: RECOGNIZED_TYPES },
    )
  try {
    try {
      return await read(await send())
    } catch (error) {
      // RFC 9449, section 8: once more with the nonce that came along, never twice.
      if (request.dpop === undefined || !oauth4webapi.isDPoPNonceError(error)) throw error
      return await read(await send())
    }
  } catch (error) {
    throw explainRefusal(error, request)
  }
}

/** An answer as a token set. Rejects what could not be sent, or would be sent in another way than was asked for. */
export function toTokenSet(
  answer: oauth4webapi.TokenEndpointResponse,
  { step, dpop }: TokenRequest,
  requestedScopes: readonly string[],
): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, scope } = answer
  const tokenType = dpop === undefined ? 'bearer' : 'dpop'
  if (!TOKEN.test(accessToken)) {
    throw fail(step, 'invalid_token_response', 'The access token is too long or holds characters that a header cannot')
  }
  if (answer.token_type !== tokenType) {
    throw fail(
      step,
      'invalid_token_response',
      `The token is of type ${quote(answer.token_type)} instead of ${tokenType}`,
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
 * Takes out of a successful answer what real servers write and nobody needs: `null` and empty members, lifetimes that are no
 * time, and an ID token, which is not for us to use.
 */
async function withoutOddities(response: Response): Promise<Response> {
  if (response.status !== 200 && response.status !== 201) return response
  let body: unknown
  try {
    body = await response.clone().json()
  } catch {
    return response
  }
  if (!isPlainObject(body)) return response
  const kept = Object.entries(body).filter(([name, value]) => {
    if (name === 'id_token' || value === null || value === '') return false
    if (name !== 'expires_in') return true
    const seconds = typeof value === 'string' ? Number(value) : value
    return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0
  })
  const headers = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(Object.fromEntries(kept)), { status: 200, headers })
}

/** The library's errors keep whole answers as their cause, tokens and all; none of that goes on. */
function explainRefusal(error: unknown, { step, server, secrets }: TokenRequest): OAuthError {
  if (error instanceof OAuthError) return error
  const where = `The token endpoint of ${displayUrl(server.issuer)}`
  if (error instanceof oauth4webapi.ResponseBodyError) {
    const said = quote(error.error_description, secrets)
    const code = errorCode(error.error, 'invalid_token_response')
    return fail(step, code, `${where} refused: ${quote(code, secrets)}${said === '' ? '' : ` (${said})`}`)
  }
  if (error instanceof oauth4webapi.WWWAuthenticateChallengeError) {
    return fail(step, 'invalid_client', `${where} does not accept the client's credentials (HTTP ${error.status})`)
  }
  if (error instanceof oauth4webapi.UnsupportedOperationError) {
    return fail(step, 'invalid_token_response', `${where} gave a token of a type that we do not know`)
  }
  if (error instanceof oauth4webapi.OperationProcessingError) {
    const status = error.cause instanceof Response ? error.cause.status : 200
    const code = status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_token_response'
    return fail(step, code, `${where} did not answer as OAuth says (HTTP ${status})`)
  }
  return fail(step, 'token_request_failed', `${where} could not be asked; check the client's credentials and keys`)
}
