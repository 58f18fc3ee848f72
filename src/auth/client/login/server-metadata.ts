// What authorization servers publish of themselves: where to look for it, and whether it is really theirs.
import { LATEST_PROTOCOL_VERSION } from '../../../types/protocol/versions.ts'
import { type AuthorizationServerMetadata, readAuthorizationServer } from '../../documents.ts'
import { displayUrl, fail, quote } from '../network/failure.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'

/** The metadata of an issuer, in the order of the specification; the next place is tried only where one is empty. */
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
  throw fail(
    'discovery',
    'discovery_failed',
    `The authorization server ${displayUrl(issuer)} publishes no metadata where RFC 8414 and OpenID Connect look for it`,
  )
}

/** Whether the issuer is the resource's own origin, which is how servers without resource metadata are found. */
export function isOwnIssuer(issuer: string, resource: URL): boolean {
  return issuer === resource.origin || issuer === `${resource.origin}/`
}

/**
 * Servers of 2025-03-26 publish no resource metadata: they are their own authorization server, at the root of their origin and,
 * where even that publishes nothing, at paths fixed by that revision.
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

/** The JSON document at a URL; `undefined` where the server says that there is none. */
export async function getDocument(http: GuardedFetch, url: string, signal: AbortSignal): Promise<unknown> {
  const init = {
    method: 'GET',
    headers: { accept: 'application/json', 'mcp-protocol-version': LATEST_PROTOCOL_VERSION },
  }
  const response = await http.request('discovery', url, init, signal)
  if (response.status >= 400 && response.status < 500) return undefined
  if (response.status !== 200) {
    throw fail('discovery', 'discovery_failed', `${displayUrl(url)} answered HTTP ${response.status}; try again later`)
  }
  try {
    return await response.json()
  } catch {
    throw fail('discovery', 'invalid_metadata', `${displayUrl(url)} is no JSON document`)
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
    // That revision requires PKCE of every server and has no place to say so.
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
    throw fail('discovery', 'invalid_metadata', `${displayUrl(url)} is no authorization server metadata`)
  }
  // RFC 8414, section 3.3: identical, with no normalising of any kind.
  if (isExpected(server.issuer)) return server
  throw fail(
    'discovery',
    'issuer_mismatch',
    `${displayUrl(url)} claims to be the issuer ${quote(server.issuer)} instead of ${quote(expected)}; it is not used`,
  )
}
