// The authorization code grant with PKCE: the user logs in, and the code of the callback is exchanged for tokens.

import * as oauth4webapi from 'oauth4webapi'
import { typeError } from '../../../primitives/help.ts'
import type { OAuthError } from '../../../types/errors/failures.ts'
import { displayUrl, oauthErrorCode, oauthFailure, quotePeer } from '../network/failure.ts'
import { toClientAuth } from '../tokens/client-auth.ts'
import { type Grant, type GrantContext, type Granted, scopeParameter } from '../tokens/grant.ts'
import { requestToken, toTokenSet } from '../tokens/tokens.ts'
import { openReceiver, type RedirectOptions, type RedirectReceiver } from './redirect-receiver.ts'
import { type ClientIdentity, knownIdentities, type RegistrationOptions, registerClient } from './registration.ts'
import type { AuthorizationServerMetadata } from './server-metadata.ts'

export interface CodeGrantOptions extends RegistrationOptions {
  readonly issuer: string | undefined
  /** Whether metadata that does not list PKCE is taken for that of a server that supports it. */
  readonly assumesPkce: boolean
  readonly redirection: RedirectOptions
  readonly authorizationParameters: Readonly<Record<string, string>>
}

export function createCodeGrant(options: CodeGrantOptions): Grant {
  return {
    isInteractive: true,
    issuer: options.client?.issuer ?? options.issuer,
    obtain: (context) => logIn(context, options),
    identify: async (server, records, clientId) => {
      const stored = await records.registration(server.issuer)
      return knownIdentities(server, options, stored).find(({ id }) => id === clientId)
    },
  }
}

async function logIn(context: GrantContext, options: CodeGrantOptions): Promise<Granted> {
  const { server } = context.discovery
  assertPkce(server, options.assumesPkce)
  // Checked before the login: without a usable token endpoint, the code could not be redeemed.
  context.http.policy.check(server.token_endpoint ?? '', 'The token_endpoint', 'discovery')
  const stored = await context.records.registration(server.issuer)
  const receiver = await openReceiver(options.redirection, stored?.redirectUri)
  try {
    // A registration is valid only for its redirect URI.
    const usable = stored?.redirectUri === receiver.uri ? stored : undefined
    const [known] = knownIdentities(server, options, usable)
    const identity = known ?? (await registerClient(context, options, receiver.uri))
    return await authorize(context, options, receiver, identity)
  } finally {
    await receiver.close()
  }
}

async function authorize(
  context: GrantContext,
  options: CodeGrantOptions,
  receiver: RedirectReceiver,
  identity: ClientIdentity,
): Promise<Granted> {
  const { server } = context.discovery
  const verifier = oauth4webapi.generateRandomCodeVerifier()
  const state = oauth4webapi.generateRandomState()
  const url = context.http.policy.check(
    server.authorization_endpoint ?? '',
    'The authorization_endpoint',
    'authorization',
  )
  const parameters = {
    ...options.authorizationParameters,
    response_type: 'code',
    client_id: identity.id,
    redirect_uri: receiver.uri,
    code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource: context.resource,
    scope: scopeParameter(context.scopes),
    // OpenID Connect Core, section 11: offline access needs the user's consent.
    prompt: context.scopes.includes('offline_access') ? 'consent' : options.authorizationParameters['prompt'],
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  const callback = await context.whileUserActs(() => receiver.visit(url, state, context.signal))
  const code = readCallback(callback, { server, clientId: identity.id, state })
  return redeemCode(context, receiver, identity, code, verifier)
}

async function redeemCode(
  context: GrantContext,
  receiver: RedirectReceiver,
  identity: ClientIdentity,
  code: string,
  verifier: string,
): Promise<Granted> {
  const { http, discovery, dpop, signal } = context
  const request = {
    step: 'token' as const,
    server: discovery.server,
    clientId: identity.id,
    clientAuth: await toClientAuth(discovery.server, identity),
    dpop: dpop?.handle,
    signal,
    secrets: [code, verifier, identity.secret],
  }
  const answer = await requestToken(http, request, 'authorization_code', {
    code,
    redirect_uri: receiver.uri,
    code_verifier: verifier,
    resource: context.resource,
  })
  return { tokens: toTokenSet(answer, request, context.scopes), clientId: identity.id }
}

/** Specification, Authorization Code Protection: no login at a server that does not advertise PKCE. */
function assertPkce(server: AuthorizationServerMetadata, isAssumed: boolean): void {
  const listed = server.code_challenge_methods_supported
  if (listed === undefined ? isAssumed : listed.includes('S256')) return
  throw oauthFailure(
    'discovery',
    'pkce_not_supported',
    `The authorization server ${displayUrl(server.issuer)} does not advertise PKCE with S256, which the login requires` +
      (listed === undefined ? '. Set assumePkce if it supports PKCE all the same' : ''),
  )
}

/** What was recorded when the user was sent to the login page. */
interface LoginAttempt {
  readonly server: AuthorizationServerMetadata
  readonly clientId: string
  readonly state: string
}

/** The code of the callback. Throws `OAuthError` for another issuer, another attempt or an error response. */
function readCallback(callback: URL | URLSearchParams | string, attempt: LoginAttempt): string {
  const parameters = toParameters(callback)
  checkIssuer(parameters, attempt.server)
  checkState(parameters, attempt.state)
  const client = { client_id: attempt.clientId }
  try {
    oauth4webapi.validateAuthResponse(
      attempt.server as oauth4webapi.AuthorizationServer,
      client,
      parameters,
      attempt.state,
    )
  } catch (error) {
    throw toCallbackError(error)
  }
  const [code, ...others] = parameters.getAll('code')
  if (code !== undefined && code !== '' && others.length === 0) return code
  throw oauthFailure(
    'callback',
    'invalid_callback',
    'The callback has neither one code nor an error. Start the login again',
  )
}

function toParameters(callback: URL | URLSearchParams | string): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback
  if (callback instanceof URL) return callback.searchParams
  if (typeof callback === 'string' && URL.canParse(callback)) return new URL(callback).searchParams
  throw typeError(
    'wrong-result',
    'callback must resolve to the URL that the browser was redirected to, or to its parameters',
  )
}

/** RFC 9207, section 2.4: checked first, for errors too, and character by character. */
function checkIssuer(parameters: URLSearchParams, server: AuthorizationServerMetadata): void {
  const named = parameters.getAll('iss')
  const isAnnounced = server.authorization_response_iss_parameter_supported === true
  if (named.length === 0 ? !isAnnounced : named.length === 1 && named[0] === server.issuer) return
  throw oauthFailure(
    'callback',
    'issuer_mismatch',
    named.length === 0
      ? 'The callback has no iss parameter, though the authorization server always sends one; it is not used'
      : 'The callback is from an authorization server other than the one of this login; it is not used',
  )
}

function checkState(parameters: URLSearchParams, expected: string): void {
  const states = parameters.getAll('state')
  if (states.length === 1 && isEqualInConstantTime(states[0] ?? '', expected)) return
  throw oauthFailure('callback', 'state_mismatch', 'The callback does not belong to this login; it is not used')
}

/** Takes the same time wherever the strings differ. */
function isEqualInConstantTime(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at++) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}

function toCallbackError(error: unknown): OAuthError {
  if (!(error instanceof oauth4webapi.AuthorizationResponseError)) {
    return oauthFailure('callback', 'invalid_callback', 'The callback does not follow OAuth. Start the login again')
  }
  const code = oauthErrorCode(error.error, 'authorization_failed')
  const description = quotePeer(error.error_description)
  return oauthFailure(
    'callback',
    code,
    `The authorization server rejected the login: ${code}${description === '' ? '' : ` (${description})`}`,
  )
}
