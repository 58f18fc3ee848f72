// The identifier of a protected resource (RFC 8707), and what it covers.
import { hasPlainHost, isLoopbackHost } from '../http/hosts.ts'

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

export interface UrlRules {
  /** What the URL is, for the error. */
  readonly what: string
  /** For networks that are trusted by other means, as within a service mesh. */
  readonly allowHttp?: boolean | undefined
}

/** A URL that tokens may be sent to or named after: https, or http on loopback, without user, query or fragment. */
export function checkSecureUrl(value: unknown, { what, allowHttp = false }: UrlRules): URL {
  if (typeof value !== 'string' && !(value instanceof URL)) throw new TypeError(`${what} is missing: give its URL`)
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined) throw new TypeError(`${what} must be an absolute URL`)
  const isSecure =
    url.protocol === 'https:' || (url.protocol === 'http:' && (allowHttp || isLoopbackHost(url.hostname)))
  if (!isSecure) throw new RangeError(`${what} must be an https URL; http is for loopback addresses only`)
  if (url.username !== '' || url.password !== '') throw new RangeError(`${what} must not contain a user or password`)
  if (url.hash !== '' || url.href.endsWith('#')) throw new RangeError(`${what} must not have a fragment`)
  return url
}

/** Whether one of a token's audiences is one that we go by. */
export function namesOneOf(audience: string | readonly string[], accepted: readonly string[]): boolean {
  const names = typeof audience === 'string' ? [audience] : audience
  // Nearly every token spells the name as we do, and then no URL has to be parsed.
  return names.some((name) => accepted.includes(name) || accepted.includes(canonicalName(name)))
}

/** A URL in its one spelling: scheme and host in lower case, no default port, no slash alone. Any other name as it is. */
export function canonicalName(name: string): string {
  const [, path] = HTTP_URL.exec(name) ?? []
  if (path === undefined || !URL.canParse(name)) return name
  const url = new URL(name)
  // What parsing drops, resolves, decodes or encodes (a user, dots, letters of a host) must not make two names equal.
  if (!hasPlainHost(name, url) || url.pathname !== (path || '/')) return name
  return canonicalResource(url)
}

const HTTP_URL = /^https?:\/\/[^/?#]+([^?#]*)$/i
