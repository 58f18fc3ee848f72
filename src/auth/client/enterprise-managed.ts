// Enterprise-managed authorization: the company's identity provider confirms the user, who sees no further login.

import { None } from 'oauth4webapi'
import type { AuthProvider } from '../../http/poster.ts'
import { typeError } from '../../primitives/help.ts'
import { checkKeys, checkNestedKeys, type KnownKeys } from '../../primitives/options.ts'
import { type AssertionSource, readAssertion, redeemAssertion } from './jwt-bearer.ts'
import type { AuthorizationServerMetadata } from './login/server-metadata.ts'
import { oauthFailure } from './network/failure.ts'
import { createProvider, PROVIDER_KEYS, type ProviderOptions } from './provider.ts'
import { type PrivateKeyJwt, toClientAuth } from './tokens/client-auth.ts'
import { assertIssuer, type Grant, type GrantContext, scopeParameter } from './tokens/grant.ts'
import { requestToken } from './tokens/tokens.ts'

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The company's identity provider, where the user is logged in already. */
export interface IdentityProvider {
  /** The URL where the identity provider exchanges tokens. */
  tokenEndpoint: string
  /** Its name in error messages (default: the origin of the token endpoint). */
  issuer?: string
  /** The id of this client at the identity provider. */
  clientId: string
  /** The secret of this client at the identity provider. */
  clientSecret?: string
  /** The key of this client at the identity provider, in place of a secret. */
  privateKey?: PrivateKeyJwt
  /** The ID token of the user's login, or a function that returns the current one. */
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

/** Options of `enterpriseManaged()`: login by the identity provider of a company. */
export interface EnterpriseManagedOptions extends ProviderOptions {
  /** The id of this client at the MCP server's authorization server. */
  clientId: string
  /** The secret of this client at the MCP server's authorization server. */
  clientSecret?: string | undefined
  /** The key of this client, in place of a secret. */
  privateKey?: PrivateKeyJwt | undefined
  /**
   * The MCP server's authorization server; the credentials are sent to no other. `'discovered'` trusts the first server that the
   * resource names.
   */
  issuer: string
  /** The identity provider, which exchanges the user's ID token for an assertion. */
  idp?: IdentityProvider | undefined
  /** Instead of `idp`: the assertion (ID-JAG), or a function that returns one. */
  assertion?: AssertionSource | undefined
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

/** Gets tokens for a user with an assertion of the company's identity provider (ID-JAG), without a login page. */
export function enterpriseManaged(options: EnterpriseManagedOptions): AuthProvider {
  checkKeys('enterpriseManaged()', options, ENTERPRISE_MANAGED_KEYS)
  checkNestedKeys('enterpriseManaged(): idp', options.idp, IDENTITY_PROVIDER_KEYS)
  assertIssuer(options.issuer, 'enterpriseManaged')
  if ((options.idp === undefined) === (options.assertion === undefined)) {
    throw typeError('wrong-option', 'enterpriseManaged: pass either idp or assertion')
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
  // The function may first have to log the user in at the identity provider.
  const given = await context.whileUserActs(() => readAssertion(idp?.idToken ?? assertion ?? '', request))
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
    scope: scopeParameter(context.scopes),
    subject_token: idToken,
    subject_token_type: ID_TOKEN,
  })
  if (answer['issued_token_type'] === ID_JAG) return answer.access_token
  throw oauthFailure(
    'token',
    'invalid_token_response',
    'The identity provider issued a token that is not an identity assertion',
  )
}
