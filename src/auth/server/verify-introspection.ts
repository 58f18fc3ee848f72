// Verifies opaque access tokens by introspection (RFC 7662): only the authorization server can read them.

import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi'
import { typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { checkSecureUrl } from '../resource-url.ts'
import { createIssuerFetch } from './issuer-fetch.ts'
import { invalidToken, readClaims, type TokenVerifier, type VerifyContext } from './verifier.ts'

/** Options of `introspectionVerifier()`, which asks the authorization server about each token. */
export interface IntrospectionVerifierOptions {
  /** The issuer of the tokens. A response that names another issuer is rejected. */
  issuer: string
  /** The introspection endpoint of the authorization server. */
  endpoint: string | URL
  /** This server's own credentials at the authorization server. */
  clientId: string
  /** The secret of this server at the authorization server. */
  clientSecret: string
  /** How the credentials are sent (default: `basic`). */
  clientAuth?: 'basic' | 'post' | undefined
  /** Maximum time for one request to the authorization server in milliseconds (default: 5,000). */
  timeoutMs?: number | undefined
  /** Sends the requests to the authorization server (default: the global `fetch`). */
  fetch?: typeof globalThis.fetch | undefined
  /** Sends the credentials over plain http to addresses other than loopback (default: `false`). */
  allowHttp?: boolean | undefined
}

export const INTROSPECTION_VERIFIER_KEYS: KnownKeys<IntrospectionVerifierOptions> = {
  issuer: true,
  endpoint: true,
  clientId: true,
  clientSecret: true,
  clientAuth: true,
  timeoutMs: true,
  fetch: true,
  allowHttp: true,
}

/**
 * Verifies opaque tokens at the authorization server, at every request, so that a revoked token is rejected at once. Throws
 * `TypeError` if an option is missing.
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): TokenVerifier {
  checkKeys('introspectionVerifier()', options, INTROSPECTION_VERIFIER_KEYS)
  const { issuer, clientId, clientSecret, clientAuth = 'basic', timeoutMs = 5_000, allowHttp } = options
  checkSecureUrl(issuer, { what: 'issuer of introspectionVerifier', allowHttp })
  const endpoint = checkSecureUrl(options.endpoint, { what: 'endpoint of introspectionVerifier', allowHttp })
  if (!isText(clientId) || !isText(clientSecret)) {
    throw typeError(
      'wrong-option',
      'introspectionVerifier needs clientId and clientSecret: authorization servers require them for introspection',
    )
  }
  const server: AuthorizationServer = { issuer, introspection_endpoint: endpoint.href }
  const client = { client_id: clientId }
  const authenticate = clientAuth === 'post' ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
  const fetch = createIssuerFetch({ timeoutMs, fetch: options.fetch })

  async function verify(token: string, { audiences, signal }: VerifyContext) {
    const response = await introspectionRequest(server, client, authenticate, token, {
      signal,
      additionalParameters: { token_type_hint: 'access_token' },
      [customFetch]: fetch,
      // `checkSecureUrl` has decided about plain http already.
      [allowInsecureRequests]: true,
    })
    const answer = await processIntrospectionResponse(server, client, response)
    if (answer.active !== true) return undefined
    if (!isAccessToken(answer.token_type)) throw invalidToken('the token is not an access token')
    if (answer.iss !== undefined && answer.iss !== issuer) throw invalidToken('the token is from another issuer')
    if (answer.nbf !== undefined && !(answer.nbf <= Date.now() / 1000)) throw invalidToken('the token is not valid yet')
    return readClaims(answer, { issuer, audiences })
  }

  return { verify }
}

/** Some servers also introspect refresh tokens, and report their type. */
function isAccessToken(type: string | undefined): boolean {
  return type === undefined || /^(?:bearer|dpop)$/i.test(type)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
