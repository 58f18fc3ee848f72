// Which client we are at an authorization server: one the user configured, one we registered before, a document, or a new one.
import * as oauth4webapi from 'oauth4webapi'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import type { KnownKeys } from '../../../primitives/options.ts'
import { rangeOfHost } from '../network/address-range.ts'
import { displayUrl, errorCode, fail, quote } from '../network/failure.ts'
import type { ClientCredential, PrivateKeyJwt, TokenEndpointAuthMethod } from '../tokens/client-auth.ts'
import type { GrantContext } from '../tokens/grant.ts'
import type { RegistrationRecord } from '../tokens/token-store.ts'
import type { AuthorizationServerMetadata } from './server-metadata.ts'

/** A client that somebody registered by hand. */
export interface PreRegisteredClient {
  id: string
  secret?: string
  /** Instead of a secret. */
  privateKey?: PrivateKeyJwt
  /**
   * The authorization server that knows this client; nobody else is shown its secret. `'discovered'` trusts whichever server
   * the resource names first.
   */
  issuer?: string
  /** Chosen from what the authorization server takes unless given. */
  authMethod?: TokenEndpointAuthMethod
}

export const PRE_REGISTERED_CLIENT_KEYS: KnownKeys<PreRegisteredClient> = {
  id: true,
  secret: true,
  privateKey: true,
  issuer: true,
  authMethod: true,
}

export interface RegistrationOptions {
  readonly client: PreRegisteredClient | undefined
  readonly clientMetadataUrl: string | undefined
  readonly dynamicRegistration: boolean
  /** What a new registration says besides what it must; wins over our defaults. */
  readonly clientMetadata: Readonly<Record<string, unknown>>
}

/** The client to be, with what proves it. */
export interface ClientIdentity extends ClientCredential {
  readonly id: string
  /** Whether the authorization server may have forgotten it, so that registering again can help. */
  readonly isRegistered: boolean
}

/** Who we can be without asking, best first: configured by the user, registered before, described by a document of ours. */
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

/** RFC 7591. Stores what it registered; a refusal is an `OAuthError` that says what the server had against it. */
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
    describeClient(server, options, redirectUri),
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
    clientMetadataUrl === undefined ? 'no clientMetadataUrl is set' : 'it does not take client ID metadata documents'
  const dynamic = options.dynamicRegistration ? 'it offers no dynamic registration' : 'dynamicRegistration is off'
  throw fail(
    'registration',
    'client_unknown',
    `The authorization server ${displayUrl(server.issuer)} does not know this client: no client is configured, ` +
      `${document}, and ${dynamic}. Register a client there by hand and pass it as client: { id, secret, issuer }`,
  )
}

function describeClient(
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

/** PKCE proves a public client well enough; a secret is taken where the server insists. */
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
  if (response.status !== 201 && response.status !== 200) {
    const code = errorCode(fields['error'], 'registration_failed')
    const said = quote(fields['error_description'])
    throw fail(
      'registration',
      code,
      `${displayUrl(issuer)} refused to register this client (HTTP ${response.status}, ${code}${said === '' ? '' : `: ${said}`}); ` +
        'change clientMetadata or redirectUri, or register by hand and pass client',
    )
  }
  const clientId = fields['client_id']
  if (typeof clientId !== 'string' || clientId === '') {
    throw fail(
      'registration',
      'registration_failed',
      `${displayUrl(issuer)} registered this client without a client_id`,
    )
  }
  // Servers write null or an empty text for what is not there.
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
  throw fail(
    'registration',
    'registration_failed',
    `${displayUrl(server.issuer)} registered this client for ${quote(method)} without what that needs`,
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
