// The authorization code grant with PKCE: a person logs in, and the code that comes back is exchanged for tokens.
import * as oauth4webapi from 'oauth4webapi'
import type { AuthorizationServerMetadata } from '../documents.ts'
import { readCallback } from './callback.ts'
import { toClientAuth } from './client-auth.ts'
import { displayUrl, fail } from './failure.ts'
import { type Grant, type GrantContext, type Granted, scopeText } from './grant.ts'
import { openReceiver, type RedirectOptions, type RedirectReceiver } from './redirect-receiver.ts'
import { type ClientIdentity, knownIdentities, type RegistrationOptions, registerClient } from './registration.ts'
import { requestToken, toTokenSet } from './tokens.ts'

export interface CodeGrantOptions extends RegistrationOptions {
  readonly issuer: string | undefined
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
  assertPkce(server)
  // Nobody logs in for a code that cannot be redeemed.
  context.http.policy.check(server.token_endpoint ?? '', 'The token_endpoint', 'discovery')
  const stored = await context.records.registration(server.issuer)
  const receiver = await openReceiver(options.redirection, stored?.redirectUri)
  try {
    // A registration holds for the address that it names; at another the server would refuse it.
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
    scope: scopeText(context.scopes),
    // OpenID Connect Core, section 11: offline access is given only where the user consents to it.
    prompt: context.scopes.includes('offline_access') ? 'consent' : options.authorizationParameters['prompt'],
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  const callback = await context.whilePersonActs(() => receiver.visit(url, state, context.signal))
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

/** Spec, Authorization Code Protection: no advertised support, no login. */
function assertPkce(server: AuthorizationServerMetadata): void {
  if (server.code_challenge_methods_supported?.includes('S256') === true) return
  throw fail(
    'discovery',
    'pkce_not_supported',
    `The authorization server ${displayUrl(server.issuer)} does not advertise PKCE with S256, without which codes can be stolen`,
  )
}
