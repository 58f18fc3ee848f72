// URLs that identify a protected resource (RFC 8707): their canonical form, and which resource a name stands for.

import { hasPlainHost, isLoopbackHost } from '../http/hosts.ts'
import { rangeError, typeError } from '../primitives/help.ts'

/** The canonical URI of an MCP server: no query, no fragment, no slash if the path is empty. */
export function canonicalResource(url: URL): string {
  return url.origin + (url.pathname === '/' ? '' : url.pathname)
}

/**
 * Whether the resource named in metadata covers `url`: same origin, and the same path or a parent of it by whole segments. A
 * trailing slash makes no difference; `/api` does not cover `/api-evil`.
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
  /** The option's name, for the error. */
  readonly what: string
  /** For networks that are secured by other means, such as a service mesh. */
  readonly allowHttp?: boolean | undefined
}

/** A URL that tokens may be sent to or named after: https, or http on loopback, without user, query or fragment. */
export function checkSecureUrl(value: unknown, { what, allowHttp = false }: UrlRules): URL {
  if (typeof value !== 'string' && !(value instanceof URL))
    throw typeError('wrong-option', `${what} is missing: give its URL`)
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined) throw typeError('wrong-option', `${what} must be an absolute URL`)
  const isSecure =
    url.protocol === 'https:' || (url.protocol === 'http:' && (allowHttp || isLoopbackHost(url.hostname)))
  if (!isSecure) throw rangeError('wrong-option', `${what} must be an https URL; http is for loopback addresses only`)
  if (url.username !== '' || url.password !== '')
    throw rangeError('wrong-option', `${what} must not contain a user or password`)
  if (url.hash !== '' || url.href.endsWith('#')) throw rangeError('wrong-option', `${what} must not have a fragment`)
  return url
}

/** Whether one of a token's audiences is accepted. Resources are compared as RFC 8707 means it: whole, never by prefix. */
export function isAudienceAccepted(audience: string | readonly string[], accepted: readonly string[]): boolean {
  const names = typeof audience === 'string' ? [audience] : audience
  // Nearly every token has the canonical spelling, and then no URL has to be parsed.
  return names.some((name) => accepted.includes(name) || accepted.includes(canonicalName(name)))
}

/** The canonical form of a URL: scheme and host in lower case, no default port, no lone slash. Other names stay as they are. */
export function canonicalName(name: string): string {
  const [, path] = HTTP_URL.exec(name) ?? []
  if (path === undefined || !URL.canParse(name)) return name
  const url = new URL(name)
  // Two names must not become equal by what parsing drops, resolves, decodes or encodes (a user, dots, letters of a host).
  if (!hasPlainHost(name, url) || url.pathname !== (path || '/')) return name
  return canonicalResource(url)
}

const HTTP_URL = /^https?:\/\/[^/?#]+([^?#]*)$/i
