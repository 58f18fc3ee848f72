// From a protected resource to the authorization server that speaks for it, believing nothing that does not check out.

import { canonicalResource, coversResource } from '../../resource-url.ts'
import { displayUrl, fail } from '../network/failure.ts'
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
} from './server-metadata.ts'

export interface DiscoveryOptions {
  /** The one authorization server to use, whatever the resource lists besides. */
  issuer: string | undefined
  /** Chosen again where the resource still lists it. */
  preferredIssuer: string | undefined
  /** Other origins that a challenge may point to for the resource's metadata. */
  metadataOrigins: readonly string[]
}

/** What is known of the authorization server before anything is asked of it. */
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
    const { issuer } = options
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

/** Path-aware order of the specification; the next is tried only where one is not there. */
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
      throw fail('discovery', 'invalid_metadata', `${displayUrl(candidate)} is no protected resource metadata`)
    }
    if (coversResource(document.resource, url)) return document
    throw fail(
      'discovery',
      'resource_mismatch',
      `${displayUrl(candidate)} speaks for ${displayUrl(document.resource)}, not for ${displayUrl(url)}; ` +
        'tokens for the one must not reach the other',
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
      throw fail(
        'challenge',
        'untrusted_metadata_url',
        `The server points to another origin for its metadata (${displayUrl(named)}); ` +
          'list that origin in metadataOrigins if it is right',
      )
    }
    urls.add(named)
  }
  const wellKnown = `${url.origin}/.well-known/oauth-protected-resource`
  if (url.pathname !== '/') urls.add(wellKnown + url.pathname)
  return urls.add(wellKnown)
}

/** Spec, Authorization Server Location: with several to choose from, the first that we may reach. */
function chooseIssuer(http: GuardedFetch, document: ProtectedResourceMetadata, options: DiscoveryOptions): string {
  const listed = document.authorization_servers
  const wanted = options.issuer ?? options.preferredIssuer
  if (wanted !== undefined && listed.includes(wanted)) return wanted
  if (options.issuer !== undefined) throw issuerChanged(options.issuer, listed)
  const [first, ...others] = listed
  if (first === undefined) {
    throw fail('discovery', 'no_authorization_server', 'The protected resource metadata lists no authorization server')
  }
  const usable = listed.find((issuer) => isUsable(http, issuer))
  if (usable !== undefined) return usable
  if (others.length === 0) http.policy.check(first, 'The authorization server', 'discovery')
  throw fail('discovery', 'insecure_url', 'None of the listed authorization servers has a URL that may be used')
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
  return fail(
    'discovery',
    'issuer_mismatch',
    `The credentials belong to the authorization server ${displayUrl(expected)}, but the resource now names ` +
      `${listed.map(displayUrl).join(', ') || 'none'}; nothing was sent there. Configure credentials for it if that is right`,
  )
}
