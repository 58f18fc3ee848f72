// The identifier of a protected resource (RFC 8707), and what it covers.
import { hasPlainHost } from '../http/hosts.ts'

/** The canonical URI of an MCP server: no query, no fragment, no slash where the path is empty. */
export function canonicalResource(url: URL): string {
  return url.origin + (url.pathname === '/' ? '' : url.pathname)
}

/**
 * Whether a resource that some metadata names is the one at `url`: same origin, and the same path or a parent of it by whole
 * segments. A trailing slash makes no difference; `/api` does not cover `/api-evil`.
 */
export function coversResource(resource: string, url: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false
  const named = new URL(resource)
  if (named.origin !== url.origin || !hasPlainHost(resource, named)) return false
  if (named.search !== '' && named.search !== url.search) return false
  const parent = named.pathname.replace(/\/$/, '')
  return url.pathname === parent || url.pathname.startsWith(`${parent}/`)
}
