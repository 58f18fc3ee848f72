// Protected resource metadata (RFC 9728): tells clients which authorization server to use.

import type { HttpExchange } from '../../http/exchange.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { BearerSettings } from './bearer-options.ts'
import { checkScopes } from './scopes.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Optional members of the metadata. */
export interface ResourceDetails {
  /** Shown to users, for example on a consent screen. */
  name?: string
  /** A page for developers. */
  documentationUrl?: string
  /** A page on how data is used. */
  policyUrl?: string
  /** A page with the terms of use. */
  termsUrl?: string
  /** Scopes that clients may request (default: the scopes that every request needs). */
  scopes?: readonly string[]
}

export const RESOURCE_DETAILS_KEYS: KnownKeys<ResourceDetails> = {
  name: true,
  documentationUrl: true,
  policyUrl: true,
  termsUrl: true,
  scopes: true,
}

/** The metadata document of one resource, and its paths. */
export interface ResourceMetadata {
  /** The URL in challenges. */
  readonly url: string
  isAt(path: string): boolean
  serve(exchange: HttpExchange): void
}

export function createResourceMetadata(settings: BearerSettings, details: ResourceDetails = {}): ResourceMetadata {
  const { origin, pathname } = settings.resource
  const ownPath = pathname === '/' ? WELL_KNOWN : `${WELL_KNOWN}${pathname}`
  const body = JSON.stringify(documentOf(settings, details))
  return {
    url: `${origin}${ownPath}`,
    // Clients try the path of the resource first, then the root.
    isAt: (path) => path === ownPath || path === WELL_KNOWN,
    serve: (exchange) => serveDocument(exchange, body),
  }
}

function documentOf({ resourceName, issuers, scopes, proofs }: BearerSettings, details: ResourceDetails): object {
  const { name, documentationUrl, policyUrl, termsUrl } = details
  const supported = checkScopes(details.scopes ?? scopes, 'metadata.scopes of requireBearer')
  return {
    resource: resourceName,
    ...(issuers.length > 0 && { authorization_servers: issuers }),
    ...(supported.length > 0 && { scopes_supported: supported }),
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: name }),
    ...(documentationUrl !== undefined && { resource_documentation: documentationUrl }),
    ...(policyUrl !== undefined && { resource_policy_uri: policyUrl }),
    ...(termsUrl !== undefined && { resource_tos_uri: termsUrl }),
    ...(proofs !== undefined && {
      dpop_signing_alg_values_supported: proofs.algorithms,
      dpop_bound_access_tokens_required: proofs.isRequired,
    }),
  }
}

/** Public: any page may read it, because clients in browsers must. */
function serveDocument(exchange: HttpExchange, body: string): void {
  const { method } = exchange
  exchange.addHeader('access-control-allow-origin', '*')
  if (method === 'GET') exchange.reply(200, body, DOCUMENT_HEADERS)
  else if (method === 'HEAD') exchange.reply(200, undefined, DOCUMENT_HEADERS)
  else if (method === 'OPTIONS') exchange.reply(204, undefined, PREFLIGHT_HEADERS)
  else exchange.reply(405, undefined, { allow: 'GET, HEAD, OPTIONS' })
}

const DOCUMENT_HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' }
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'mcp-protocol-version',
  'access-control-max-age': '86400',
}
