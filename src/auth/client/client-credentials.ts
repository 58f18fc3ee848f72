// The client credentials grant, with a secret or a private key: a machine that calls as itself.

import type { AuthProvider } from '../../http/poster.ts'
import { typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { createProvider, PROVIDER_KEYS, type ProviderOptions } from './provider.ts'
import { type PrivateKeyJwt, type TokenEndpointAuthMethod, toClientAuth } from './tokens/client-auth.ts'
import { assertIssuer, type Grant, scopeParameter } from './tokens/grant.ts'
import { requestToken, toTokenSet } from './tokens/tokens.ts'

/** Options of `clientCredentials()`, for programs that log in without a user. */
export interface ClientCredentialsOptions extends ProviderOptions {
  /** The id of this client at the authorization server. */
  clientId: string
  /** The secret of this client. Use either this or `privateKey`. */
  clientSecret?: string | undefined
  /** Instead of a secret; see `privateKeyJwt`. */
  privateKey?: PrivateKeyJwt | undefined
  /**
   * The authorization server of this client; its credentials are sent to no other. `'discovered'` trusts the first server that
   * the resource names.
   */
  issuer: string
  /** Default: a method that the authorization server supports. */
  authMethod?: TokenEndpointAuthMethod | undefined
}

export const CLIENT_CREDENTIALS_KEYS: KnownKeys<ClientCredentialsOptions> = {
  ...PROVIDER_KEYS,
  clientId: true,
  clientSecret: true,
  privateKey: true,
  issuer: true,
  authMethod: true,
}

/** Gets tokens for the client itself, without a user. Throws `TypeError` if the credentials or their issuer are missing. */
export function clientCredentials(options: ClientCredentialsOptions): AuthProvider {
  checkKeys('clientCredentials()', options, CLIENT_CREDENTIALS_KEYS)
  assertIssuer(options.issuer, 'clientCredentials')
  if (options.clientSecret === undefined && options.privateKey === undefined) {
    throw typeError('wrong-option', 'clientCredentials: pass clientSecret or privateKey')
  }
  return createProvider(createClientCredentialsGrant(options), options)
}

function createClientCredentialsGrant(options: ClientCredentialsOptions): Grant {
  const { clientId, clientSecret, privateKey, authMethod, issuer } = options
  return {
    isInteractive: false,
    issuer,
    obtain: async ({ http, discovery, resource, scopes, dpop, signal }) => {
      const { server } = discovery
      const credential = { secret: clientSecret, privateKey, method: authMethod }
      const request = {
        step: 'token' as const,
        server,
        clientId,
        clientAuth: await toClientAuth(server, credential),
        dpop: dpop?.handle,
        signal,
        secrets: [clientSecret],
      }
      const answer = await requestToken(http, request, 'client_credentials', {
        resource,
        scope: scopeParameter(scopes),
      })
      return { tokens: toTokenSet(answer, request, scopes), clientId }
    },
  }
}
