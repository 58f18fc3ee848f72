// The refresh token grant, and which failures mean that the refresh token is no longer valid.
import { OAuthError } from '../../../types/errors/failures.ts'
import type { ClientIdentity } from '../login/registration.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import { toClientAuth } from './client-auth.ts'
import type { DpopKey } from './dpop.ts'
import type { TokenRecord } from './token-store.ts'
import { requestToken, toTokenSet } from './tokens.ts'

/** After these errors the refresh token may still be valid: the call fails, and the token is kept. */
const TRANSIENT = new Set([
  'network_failed',
  'timeout',
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'response_too_large',
  'invalid_token_response',
  'token_request_failed',
])

export interface RefreshContext {
  readonly http: GuardedFetch
  readonly server: AuthorizationServerMetadata
  readonly identity: ClientIdentity
  readonly dpop: DpopKey | undefined
  readonly sendsResource: boolean
  readonly signal: AbortSignal
}

/** New tokens for a refresh token. If the server issues no new refresh token, the old one stays valid. */
export async function refreshTokens(
  known: TokenRecord,
  refreshToken: string,
  { http, server, identity, dpop, sendsResource, signal }: RefreshContext,
): Promise<TokenRecord> {
  const request = {
    step: 'refresh' as const,
    server,
    clientId: identity.id,
    clientAuth: await toClientAuth(server, identity),
    dpop: dpop?.handle,
    signal,
    secrets: [refreshToken, identity.secret],
  }
  const answer = await requestToken(http, request, 'refresh_token', {
    refresh_token: refreshToken,
    resource: sendsResource ? known.resource : undefined,
  })
  const tokens = toTokenSet(answer, request, known.scopes)
  return { ...known, ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Whether the authorization server rejected the refresh, rather than failed to answer. */
export function isRefreshRejected(error: unknown): error is OAuthError {
  return error instanceof OAuthError && !TRANSIENT.has(error.code) && error.step === 'refresh'
}
