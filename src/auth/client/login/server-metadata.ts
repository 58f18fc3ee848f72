// The metadata documents of OAuth: where to find them, how to read them, and whether they belong to their issuer.

import { isPlainObject } from '../../../primitives/json/objects.ts'
import { LATEST_PROTOCOL_VERSION } from '../../../types/protocol/versions.ts'
import { displayUrl, oauthFailure, quotePeer } from '../network/failure.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'

/** RFC 9728: the metadata of a protected resource. */
export interface ProtectedResourceMetadata {
  resource: string
  authorization_servers: readonly string[]
  scopes_supported?: readonly string[]
}

/** RFC 8414 and OpenID Connect Discovery: the metadata of an authorization server. */
export interface AuthorizationServerMetadata {
  issuer: string
  authorization_endpoint?: string
  token_endpoint?: string
  registration_endpoint?: string
  device_authorization_endpoint?: string
  scopes_supported?: string[]
  grant_types_supported?: string[]
  code_challenge_methods_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
  token_endpoint_auth_signing_alg_values_supported?: string[]
  dpop_signing_alg_values_supported?: string[]
  authorization_grant_profiles_supported?: string[]
  client_id_metadata_document_supported?: boolean
  authorization_response_iss_parameter_supported?: boolean
}

const TEXTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
] as const
const LISTS = [
  'scopes_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_grant_profiles_supported',
] as const
const FLAGS = ['client_id_metadata_document_supported', 'authorization_response_iss_parameter_supported'] as const

/** `undefined` where the value is no such document. Members of another type than the RFC's are left out. */
export function readProtectedResource(value: unknown): ProtectedResourceMetadata | undefined {
  if (!isPlainObject(value) || typeof value['resource'] !== 'string') return undefined
  const scopes = stringsOf(value['scopes_supported'])
  return {
    resource: value['resource'],
    authorization_servers: stringsOf(value['authorization_servers']) ?? [],
    ...(scopes !== undefined && { scopes_supported: scopes }),
  }
}

/** `undefined` where the value is no such document. Members of another type than the RFC's are left out. */
export function readAuthorizationServer(value: unknown): AuthorizationServerMetadata | undefined {
  if (!isPlainObject(value) || typeof value['issuer'] !== 'string') return undefined
  const document: AuthorizationServerMetadata = { issuer: value['issuer'] }
  for (const name of TEXTS) {
    const text = value[name]
    if (typeof text === 'string') document[name] = text
  }
  for (const name of LISTS) {
    const list = stringsOf(value[name])
    if (list !== undefined) document[name] = list
  }
  for (const name of FLAGS) if (value[name] === true) document[name] = true
  return document
}

function stringsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((item): item is string => typeof item === 'string')
}

/** The metadata of an issuer. Tries the URLs in the order of the specification; the next one only if a document does not exist. */
export async function findServerMetadata(
  http: GuardedFetch,
  issuer: string,
  signal: AbortSignal,
): Promise<AuthorizationServerMetadata> {
  http.policy.check(issuer, 'The issuer', 'discovery')
  for (const url of serverMetadataUrls(issuer)) {
    const body = await getDocument(http, url, signal)
    if (body === undefined) continue
    return checkServer(body, (named) => named === issuer, issuer, url)
  }
  throw oauthFailure(
    'discovery',
    'discovery_failed',
    `The authorization server ${displayUrl(issuer)} publishes no metadata at the URLs of RFC 8414 and OpenID Connect`,
  )
}

/** The server that describes itself at this address, which must be one of those that its issuer has for that. */
export async function readServerAt(
  http: GuardedFetch,
  url: string,
  signal: AbortSignal,
): Promise<AuthorizationServerMetadata> {
  http.policy.check(url, 'The metadata of the authorization server', 'discovery')
  const body = await getDocument(http, url, signal)
  if (body === undefined) {
    throw oauthFailure(
      'discovery',
      'discovery_failed',
      `There is no authorization server metadata at ${displayUrl(url)}`,
    )
  }
  const isHere = (issuer: string) => URL.canParse(issuer) && serverMetadataUrls(issuer).includes(new URL(url).href)
  return checkServer(body, isHere, url, url)
}

/** Whether the issuer is the resource's own origin, as for servers without resource metadata. */
export function isOwnIssuer(issuer: string, resource: URL): boolean {
  return issuer === resource.origin || issuer === `${resource.origin}/`
}

/**
 * Servers of 2025-03-26 publish no resource metadata: they are their own authorization server, at the root of their origin. If
 * that publishes no metadata either, that revision fixes the paths.
 */
export async function findOwnServer(
  http: GuardedFetch,
  resource: URL,
  signal: AbortSignal,
): Promise<AuthorizationServerMetadata> {
  const { origin } = resource
  for (const candidate of serverMetadataUrls(origin)) {
    const body = await getDocument(http, candidate, signal)
    if (body !== undefined) return checkServer(body, (issuer) => isOwnIssuer(issuer, resource), origin, candidate)
  }
  return defaultServer(origin)
}

/** The JSON document at a URL; `undefined` for a 4xx status. */
export async function getDocument(http: GuardedFetch, url: string, signal: AbortSignal): Promise<unknown> {
  const init = {
    method: 'GET',
    headers: { accept: 'application/json', 'mcp-protocol-version': LATEST_PROTOCOL_VERSION },
  }
  const response = await http.request('discovery', url, init, signal)
  if (response.status >= 400 && response.status < 500) return undefined
  if (response.status !== 200) {
    throw oauthFailure(
      'discovery',
      'discovery_failed',
      `${displayUrl(url)} returned HTTP ${response.status}. Try again later`,
    )
  }
  try {
    return await response.json()
  } catch {
    throw oauthFailure('discovery', 'invalid_metadata', `${displayUrl(url)} is not a JSON document`)
  }
}

function serverMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return path === '' ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`]
}

function defaultServer(origin: string): AuthorizationServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That revision requires PKCE of every server and has no metadata member for it.
    code_challenge_methods_supported: ['S256'],
  }
}

function checkServer(
  body: unknown,
  isExpected: (issuer: string) => boolean,
  expected: string,
  url: string,
): AuthorizationServerMetadata {
  const server = readAuthorizationServer(body)
  if (server === undefined) {
    throw oauthFailure('discovery', 'invalid_metadata', `${displayUrl(url)} is not authorization server metadata`)
  }
  // RFC 8414, section 3.3: identical, without any normalization.
  if (isExpected(server.issuer)) return server
  throw oauthFailure(
    'discovery',
    'issuer_mismatch',
    `${displayUrl(url)} claims to be the issuer ${quotePeer(server.issuer)} instead of ${quotePeer(expected)}; it is not used`,
  )
}
