// The client's identity at an authorization server: configured, registered before, described by a document, or registered now.
import * as oauth4webapi from 'oauth4webapi'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { rangeOfHost } from '../network/address-range.ts'
import { displayUrl, oauthErrorCode, oauthFailure, quotePeer } from '../network/failure.ts'
import type { ClientCredential, TokenEndpointAuthMethod } from '../tokens/client-auth.ts'
import type { GrantContext } from '../tokens/grant.ts'
import type { RegistrationRecord } from '../tokens/token-store.ts'
import type { PreRegisteredClient } from './registered-client.ts'
import type { AuthorizationServerMetadata } from './server-metadata.ts'

export interface RegistrationOptions {
  readonly client: PreRegisteredClient | undefined
  readonly clientMetadataUrl: string | undefined
  readonly dynamicRegistration: boolean
  /** Further members of a registration; they override our defaults. */
  readonly clientMetadata: Readonly<Record<string, unknown>>
}

/** A client id with its credential. */
export interface ClientIdentity extends ClientCredential {
  readonly id: string
  /** Whether it was registered dynamically, so that registering again can help. */
  readonly isRegistered: boolean
}

/** The identities that need no registration, best first: configured, registered before, described by a metadata document. */
export function knownIdentities(
  server: AuthorizationServerMetadata,
  { client, clientMetadataUrl }: RegistrationOptions,
  stored: RegistrationRecord | undefined,
): ClientIdentity[] {
  const identities: ClientIdentity[] = []
  if (client !== undefined) {
    const { id, secret, privateKey, authMethod } = client
    identities.push({ id, secret, privateKey, method: authMethod, isRegistered: false })
  }
  if (stored !== undefined) identities.push(toIdentity(stored))
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    identities.push({ id: clientMetadataUrl, method: 'none', isRegistered: false })
  }
  return identities
}

/** Registers this client (RFC 7591) and stores the registration. Rejects with `OAuthError`, which quotes the server's reason. */
export async function registerClient(
  { http, discovery, records, signal }: GrantContext,
  options: RegistrationOptions,
  redirectUri: string,
): Promise<ClientIdentity> {
  const { server } = discovery
  assertRegistrable(server, options)
  http.policy.check(server.registration_endpoint ?? '', 'The registration_endpoint', 'registration')
  const response = await oauth4webapi.dynamicClientRegistrationRequest(
    server as oauth4webapi.AuthorizationServer,
    createRegistration(server, options, redirectUri),
    {
      [oauth4webapi.allowInsecureRequests]: true,
      [oauth4webapi.customFetch]: (url, init) => http.request('registration', url, init, signal),
    },
  )
  const record = await readRegistrationResponse(response, server, redirectUri)
  await records.saveRegistration(record)
  return toIdentity(record)
}

function assertRegistrable(server: AuthorizationServerMetadata, options: RegistrationOptions): void {
  if (server.registration_endpoint !== undefined && options.dynamicRegistration) return
  const { clientMetadataUrl } = options
  const document =
    clientMetadataUrl === undefined ? 'no clientMetadataUrl is set' : 'it does not support client ID metadata documents'
  const dynamic = options.dynamicRegistration
    ? 'it does not support dynamic registration'
    : 'dynamicRegistration is off'
  throw oauthFailure(
    'registration',
    'client_unknown',
    `The authorization server ${displayUrl(server.issuer)} does not know this client: no client is configured, ` +
      `${document}, and ${dynamic}. Register a client there and pass it as client: { id, secret, issuer }`,
  )
}

function createRegistration(
  server: AuthorizationServerMetadata,
  { clientMetadata }: RegistrationOptions,
  redirectUri: string,
): Record<string, oauth4webapi.JsonValue | undefined> {
  return {
    client_name: 'MCP client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: preferredMethod(server),
    application_type: isNative(redirectUri) ? 'native' : 'web',
    ...(clientMetadata as Record<string, oauth4webapi.JsonValue>),
  }
}

/** With PKCE a public client needs no secret; a server may still require one. */
function preferredMethod({ token_endpoint_auth_methods_supported: listed = ['none'] }: AuthorizationServerMetadata) {
  return ['none', 'client_secret_basic', 'client_secret_post'].find((method) => listed.includes(method)) ?? 'none'
}

function isNative(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return (protocol !== 'https:' && protocol !== 'http:') || rangeOfHost(hostname) === 'loopback'
}

async function readRegistrationResponse(
  response: Response,
  server: AuthorizationServerMetadata,
  redirectUri: string,
): Promise<RegistrationRecord> {
  const issuer = server.issuer
  const body: unknown = await response.json().catch(() => undefined)
  const fields = isPlainObject(body) ? body : {}
  const isError = typeof fields['error'] === 'string' && fields['client_id'] === undefined
  if ((response.status !== 201 && response.status !== 200) || isError) {
    const code = oauthErrorCode(fields['error'], 'registration_failed')
    const description = quotePeer(fields['error_description'])
    throw oauthFailure(
      'registration',
      code,
      `${displayUrl(issuer)} rejected the registration of this client (HTTP ${response.status}, ${code}${description === '' ? '' : `: ${description}`}); ` +
        'change clientMetadata or redirectUri, or register a client there and pass it as client',
    )
  }
  const clientId = fields['client_id']
  if (typeof clientId !== 'string' || clientId === '') {
    throw oauthFailure(
      'registration',
      'registration_failed',
      `${displayUrl(issuer)} registered this client without a client_id`,
    )
  }
  // Servers write null or an empty string for a missing secret.
  const secret =
    typeof fields['client_secret'] === 'string' && fields['client_secret'] ? fields['client_secret'] : undefined
  const expires = fields['client_secret_expires_at']
  return {
    issuer,
    clientId,
    secret,
    secretExpiresAt: typeof expires === 'number' && expires > 0 ? expires * 1000 : undefined,
    method: registeredMethod(fields['token_endpoint_auth_method'], secret, server),
    redirectUri,
  }
}

function registeredMethod(
  answered: unknown,
  secret: string | undefined,
  server: AuthorizationServerMetadata,
): TokenEndpointAuthMethod {
  const method = typeof answered === 'string' && answered !== '' ? answered : defaultMethod(secret, server)
  if (method === 'none') return method
  if ((method === 'client_secret_basic' || method === 'client_secret_post') && secret !== undefined) return method
  throw oauthFailure(
    'registration',
    'registration_failed',
    `${displayUrl(server.issuer)} registered this client for ${quotePeer(method)} without the secret that it needs`,
  )
}

function defaultMethod(secret: string | undefined, server: AuthorizationServerMetadata): TokenEndpointAuthMethod {
  if (secret === undefined) return 'none'
  const listed = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return listed.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post'
}

function toIdentity({ clientId, secret, method }: RegistrationRecord): ClientIdentity {
  return { id: clientId, secret, method, isRegistered: true }
}
