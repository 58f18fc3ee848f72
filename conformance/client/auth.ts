// The authorization scenarios: a client with a login, and the grants without a user.
import { Client } from 'mcpwire'
import {
  type AuthProvider,
  clientCredentials,
  enterpriseManaged,
  type OAuthOptions,
  oauth,
  privateKeyJwt,
  workloadIdentity,
} from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { contextText, options, url } from './environment.ts'
import type { Scenario } from './scenario.ts'

const ORDINARY = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
]

export const authScenarios: Record<string, Scenario> = {
  ...Object.fromEntries(ORDINARY.map((name) => [`auth/${name}`, () => callProtectedTool(logIn())])),

  'auth/dpop': () => callProtectedTool(logIn({ dpop: true })),
  'auth/dpop-nonce': () => callProtectedTool(logIn({ dpop: true })),

  'auth/pre-registration': () =>
    callProtectedTool(
      logIn({
        client: { id: contextText('client_id'), secret: contextText('client_secret'), issuer: 'discovered' },
      }),
    ),

  'auth/client-credentials-basic': () =>
    callProtectedTool(
      clientCredentials({
        clientId: contextText('client_id'),
        clientSecret: contextText('client_secret'),
        issuer: 'discovered',
      }),
    ),

  'auth/client-credentials-jwt': () =>
    callProtectedTool(
      clientCredentials({
        clientId: contextText('client_id'),
        privateKey: privateKeyJwt({
          key: contextText('private_key_pem'),
          algorithm: contextText('signing_algorithm'),
        }),
        issuer: 'discovered',
      }),
    ),

  'auth/enterprise-managed-authorization': () =>
    callProtectedTool(
      enterpriseManaged({
        clientId: contextText('client_id'),
        clientSecret: contextText('client_secret'),
        issuer: 'discovered',
        idp: {
          tokenEndpoint: contextText('idp_token_endpoint'),
          issuer: contextText('idp_issuer'),
          clientId: contextText('idp_client_id'),
          idToken: contextText('idp_id_token'),
        },
      }),
    ),

  'auth/wif-jwt-bearer': () =>
    callProtectedTool(
      workloadIdentity({
        assertion: contextText('valid_jwt'),
        clientId: contextText('client_id'),
        issuer: 'discovered',
      }),
    ),
}

async function callProtectedTool(auth: AuthProvider): Promise<void> {
  await using client = await Client.connect(streamableHttp(url, { auth }), options)
  await client.listTools()
  await client.callTool('test-tool', {})
}

/** A user who consents to everything: the login page redirects at once. */
function logIn(more: OAuthOptions = {}): AuthProvider {
  let arrival: string | null = null
  return oauth({
    clientName: 'mcpwire-conformance-client',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    redirectUri: 'http://127.0.0.1:3000/callback',
    redirect: async (page) => {
      const response = await fetch(page, { redirect: 'manual' })
      arrival = response.headers.get('location')
    },
    callback: async () => {
      if (arrival === null) throw new Error('The login page did not send the user back')
      return new URL(arrival)
    },
    ...more,
  })
}
