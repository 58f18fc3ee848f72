// Finds the authorization server of a protected resource, and checks every document on the way.

import { canonicalResource, coversResource } from '../../resource-url.ts'
import { displayUrl, oauthFailure } from '../network/failure.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import type { AccessChallenge } from './challenge.ts'
import {
  type AuthorizationServerMetadata,
  findOwnServer,
  findServerMetadata,
  getDocument,
  isOwnIssuer,
  type ProtectedResourceMetadata,
  readProtectedResource,
  readServerAt,
} from './server-metadata.ts'

export interface DiscoveryOptions {
  /** The only authorization server to use, if the resource lists several. */
  issuer: string | undefined
  /** Chosen again if the resource still lists it. */
  preferredIssuer: string | undefined
  /** Other origins that a challenge may point to for the resource's metadata. */
  metadataOrigins: readonly string[]
  /** Where the authorization server describes itself, for a resource without metadata of its own. */
  metadataUrl: string | undefined
}

/** The authorization server and the resource, before any token is requested. */
export interface Discovery {
  readonly server: AuthorizationServerMetadata
  /** The identifier of the resource, as its metadata spells it. */
  readonly resource: string
  readonly resourceScopes: readonly string[] | undefined
}

export async function discover(
  http: GuardedFetch,
  url: URL,
  challenge: AccessChallenge | undefined,
  options: DiscoveryOptions,
  signal: AbortSignal,
): Promise<Discovery> {
  const resource = await findResourceMetadata(http, url, challenge, options, signal)
  if (resource === undefined) {
    const { issuer, metadataUrl } = options
    if (metadataUrl !== undefined) {
      const server = await readServerAt(http, metadataUrl, signal)
      if (issuer !== undefined && issuer !== server.issuer) throw issuerChanged(issuer, [server.issuer])
      return { server, resource: canonicalResource(url), resourceScopes: undefined }
    }
    if (issuer !== undefined && !isOwnIssuer(issuer, url)) throw issuerChanged(issuer, [url.origin])
    const server = await findOwnServer(http, url, signal)
    return { server, resource: canonicalResource(url), resourceScopes: undefined }
  }
  const issuer = chooseIssuer(http, resource, options)
  return {
    server: await findServerMetadata(http, issuer, signal),
    resource: resource.resource,
    resourceScopes: resource.scopes_supported,
  }
}

/** Tries the URLs in the order of the specification; the next one only if a document does not exist. */
async function findResourceMetadata(
  http: GuardedFetch,
  url: URL,
  challenge: AccessChallenge | undefined,
  options: DiscoveryOptions,
  signal: AbortSignal,
): Promise<ProtectedResourceMetadata | undefined> {
  for (const candidate of resourceMetadataUrls(url, challenge, options)) {
    const body = await getDocument(http, candidate, signal)
    if (body === undefined) continue
    const document = readProtectedResource(body)
    if (document === undefined) {
      throw oauthFailure('discovery', 'invalid_metadata', `${displayUrl(candidate)} is not protected resource metadata`)
    }
    if (coversResource(document.resource, url)) return document
    throw oauthFailure(
      'discovery',
      'resource_mismatch',
      `The metadata at ${displayUrl(candidate)} is for ${displayUrl(document.resource)}, not for ${displayUrl(url)}; ` +
        'tokens for one must not be sent to the other',
    )
  }
  return undefined
}

function resourceMetadataUrls(
  url: URL,
  challenge: AccessChallenge | undefined,
  { metadataOrigins }: DiscoveryOptions,
): Set<string> {
  const urls = new Set<string>()
  const named = challenge?.resourceMetadata
  if (named !== undefined) {
    const origin = URL.canParse(named) ? new URL(named).origin : undefined
    if (origin !== url.origin && (origin === undefined || !metadataOrigins.includes(origin))) {
      throw oauthFailure(
        'challenge',
        'untrusted_metadata_url',
        `The server names another origin for its metadata (${displayUrl(named)}). ` +
          'Add that origin to metadataOrigins if it is correct',
      )
    }
    urls.add(named)
  }
  const wellKnown = `${url.origin}/.well-known/oauth-protected-resource`
  if (url.pathname !== '/') urls.add(wellKnown + url.pathname)
  return urls.add(wellKnown)
}

/** Specification, Authorization Server Location: of several, the first that we may use. */
function chooseIssuer(http: GuardedFetch, document: ProtectedResourceMetadata, options: DiscoveryOptions): string {
  const listed = document.authorization_servers
  const wanted = options.issuer ?? options.preferredIssuer
  if (wanted !== undefined && listed.includes(wanted)) return wanted
  if (options.issuer !== undefined) throw issuerChanged(options.issuer, listed)
  const [first, ...others] = listed
  if (first === undefined) {
    throw oauthFailure(
      'discovery',
      'no_authorization_server',
      'The protected resource metadata lists no authorization server',
    )
  }
  const usable = listed.find((issuer) => isUsable(http, issuer))
  if (usable !== undefined) return usable
  if (others.length === 0) http.policy.check(first, 'The authorization server', 'discovery')
  throw oauthFailure('discovery', 'insecure_url', 'No listed authorization server has a URL that may be used')
}

function isUsable(http: GuardedFetch, issuer: string): boolean {
  try {
    const url = http.policy.check(issuer, 'The authorization server', 'discovery')
    return url.search === '' && url.hash === ''
  } catch {
    return false
  }
}

function issuerChanged(expected: string, listed: readonly string[]): Error {
  return oauthFailure(
    'discovery',
    'issuer_mismatch',
    `The credentials belong to the authorization server ${displayUrl(expected)}, but the resource now names ` +
      `${listed.map(displayUrl).join(', ') || 'none'}; nothing was sent there. Configure credentials for it if that is correct`,
  )
}
