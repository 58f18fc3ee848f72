// The refresh token grant: tokens for a refresh token, and what a failure means for it.
import { OAuthError } from '../../../types/errors/failures.ts'
import type { ClientIdentity } from '../login/registration.ts'
import type { AuthorizationServerMetadata } from '../login/server-metadata.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import { toClientAuth } from './client-auth.ts'
import type { DpopKey } from './dpop.ts'
import type { TokenRecord } from './token-store.ts'
import { requestToken, toTokenSet } from './tokens.ts'

/** After these the refresh token may still be good, or the way there was at fault: the call fails and the token stays. */
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

/** The tokens that follow these. A server that gives no new refresh token means the old one to be used again. */
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

/** Whether the authorization server has said no, rather than nothing of use. */
export function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && !TRANSIENT.has(error.code) && error.step === 'refresh'
}
