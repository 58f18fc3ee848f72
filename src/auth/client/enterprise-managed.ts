// Enterprise-managed authorization: the company's identity provider vouches for the user, who sees no further login.

import { None } from 'oauth4webapi'
import type { AuthProvider } from '../../http/poster.ts'
import { checkKeys, checkNestedKeys, type KnownKeys } from '../../primitives/options.ts'
import { type AssertionSource, readAssertion, redeemAssertion } from './jwt-bearer.ts'
import type { AuthorizationServerMetadata } from './login/server-metadata.ts'
import { fail } from './network/failure.ts'
import { createProvider, PROVIDER_KEYS, type ProviderOptions } from './provider.ts'
import { type PrivateKeyJwt, toClientAuth } from './tokens/client-auth.ts'
import { assertIssuer, type Grant, type GrantContext, scopeText } from './tokens/grant.ts'
import { requestToken } from './tokens/tokens.ts'

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The company's identity provider, which the user has logged in to already. */
export interface IdentityProvider {
  tokenEndpoint: string
  /** How messages call it; the token endpoint's origin unless given. */
  issuer?: string
  clientId: string
  clientSecret?: string
  privateKey?: PrivateKeyJwt
  /** The ID token of the user's login, or how to get the current one. */
  idToken: AssertionSource
}

export const IDENTITY_PROVIDER_KEYS: KnownKeys<IdentityProvider> = {
  tokenEndpoint: true,
  issuer: true,
  clientId: true,
  clientSecret: true,
  privateKey: true,
  idToken: true,
}

export interface EnterpriseManagedOptions extends ProviderOptions {
  /** This client at the MCP server's authorization server. */
  clientId: string
  clientSecret?: string
  privateKey?: PrivateKeyJwt
  /** The MCP server's authorization server; nobody else is shown the credentials. `'discovered'` as for the others. */
  issuer: string
  /** Where to exchange the user's ID token for an assertion. */
  idp?: IdentityProvider
  /** Instead of `idp`: gets the assertion (ID-JAG) by the host's own means. */
  assertion?: AssertionSource
}

export const ENTERPRISE_MANAGED_KEYS: KnownKeys<EnterpriseManagedOptions> = {
  ...PROVIDER_KEYS,
  clientId: true,
  clientSecret: true,
  privateKey: true,
  issuer: true,
  idp: true,
  assertion: true,
}

/** Gets tokens for a user by an assertion of the company's identity provider (ID-JAG), without sending the user anywhere. */
export function enterpriseManaged(options: EnterpriseManagedOptions): AuthProvider {
  checkKeys('enterpriseManaged()', options, ENTERPRISE_MANAGED_KEYS)
  checkNestedKeys('enterpriseManaged(): idp', options.idp, IDENTITY_PROVIDER_KEYS)
  assertIssuer(options.issuer, 'enterpriseManaged')
  if ((options.idp === undefined) === (options.assertion === undefined)) {
    throw new TypeError('enterpriseManaged: pass either idp or assertion')
  }
  return createProvider(createEnterpriseGrant(options), options)
}

function createEnterpriseGrant(options: EnterpriseManagedOptions): Grant {
  const { clientId, clientSecret, privateKey, issuer } = options
  return {
    isInteractive: false,
    issuer,
    namedUrls: options.idp === undefined ? [] : [options.idp.tokenEndpoint],
    obtain: async (context) => {
      const { server } = context.discovery
      const assertion = await getAssertion(context, options)
      const clientAuth = await toClientAuth(server, { secret: clientSecret, privateKey })
      return redeemAssertion(context, { clientId, clientAuth, secrets: [clientSecret] }, assertion)
    },
  }
}

async function getAssertion(context: GrantContext, { idp, assertion }: EnterpriseManagedOptions): Promise<string> {
  const { discovery, scopes, signal } = context
  const request = { audience: discovery.server.issuer, resource: discovery.resource, scopes, signal }
  // The host may have to let somebody log in at the identity provider first.
  const given = await context.whilePersonActs(() => readAssertion(idp?.idToken ?? assertion ?? '', request))
  return idp === undefined ? given : exchangeIdToken(context, idp, given)
}

/** RFC 8693, as the identity assertion grant profiles it. */
async function exchangeIdToken(context: GrantContext, idp: IdentityProvider, idToken: string): Promise<string> {
  const { http, discovery, signal } = context
  const server: AuthorizationServerMetadata = {
    issuer: idp.issuer ?? new URL(idp.tokenEndpoint).origin,
    token_endpoint: idp.tokenEndpoint,
  }
  const { clientSecret: secret, privateKey } = idp
  const isPublic = secret === undefined && privateKey === undefined
  const request = {
    step: 'token' as const,
    server,
    clientId: idp.clientId,
    clientAuth: isPublic ? None() : await toClientAuth(server, { secret, privateKey }),
    dpop: undefined,
    signal,
    secrets: [idToken, secret],
  }
  const answer = await requestToken(http, request, TOKEN_EXCHANGE, {
    requested_token_type: ID_JAG,
    audience: discovery.server.issuer,
    resource: discovery.resource,
    scope: scopeText(context.scopes),
    subject_token: idToken,
    subject_token_type: ID_TOKEN,
  })
  if (answer['issued_token_type'] === ID_JAG) return answer.access_token
  throw fail(
    'token',
    'invalid_token_response',
    'The identity provider issued something else than an identity assertion',
  )
}
