// The first check of every request: its host and its origin, against DNS rebinding and requests from other sites.

import type { HttpExchange } from '../../../http/exchange.ts'
import { rangeError } from '../../../primitives/help.ts'

/** A host and its port, as a `Host` header or an origin has them. IPv6 addresses keep their brackets. */
interface Authority {
  /** In lower case. */
  readonly name: string
  /** Empty where none was given. */
  readonly port: string
}

export interface Origin extends Authority {
  readonly scheme: string
}

const MAX_LENGTH = 300
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?$/i
const SCHEME_END = '://'

/** `undefined` for anything but a name or address with at most a port: no user info, no path, no second host. */
export function parseAuthority(text: string): Authority | undefined {
  if (text.length > MAX_LENGTH) return undefined
  // Before it is put in lower case, which makes plain letters of some that are not.
  const match = AUTHORITY.exec(text)
  const name = match?.[1]?.toLowerCase()
  return name === undefined ? undefined : { name, port: match?.[2] ?? '' }
}

/** `undefined` for a value that is no origin of a web page: `null`, `file://`, a list, a URL with a path. */
export function parseOrigin(text: string): Origin | undefined {
  const schemeEnd = text.indexOf(SCHEME_END)
  const scheme = text.slice(0, Math.max(0, schemeEnd)).toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return undefined
  const authority = parseAuthority(text.slice(schemeEnd + SCHEME_END.length))
  return authority === undefined ? undefined : { scheme, name: authority.name, port: authority.port }
}

/** Names that always mean this machine. Not `localhost.`, which a resolver may resolve to another one. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
}

export interface GuardOptions {
  allowedHosts?: readonly string[] | undefined
  allowedOrigins?: readonly string[] | undefined
}

/** Why a request is rejected. The message repeats nothing of the request. */
interface Rejection {
  readonly status: 400 | 403
  readonly message: string
}

/** A repeated header is a list. */
type RequestHost = string | readonly string[] | undefined

export interface Guard {
  /** Why the request is rejected; `undefined` where it may pass. */
  check(exchange: HttpExchange): Rejection | undefined
  /** As `check`, without the origin: for what every page may read. `host` is that of the request where it is not named. */
  checkHost(exchange: HttpExchange, host?: RequestHost): Rejection | undefined
}

/** Fetch Metadata: values that a page of another site never sends. */
const OWN_SITES: ReadonlySet<unknown> = new Set(['same-origin', 'same-site', 'none'])

type Matches<T> = (value: T) => boolean

const BAD_HOST: Rejection = Object.freeze({
  status: 400,
  message: 'The Host header is missing, repeated or malformed.',
})
const FOREIGN_HOST: Rejection = Object.freeze({
  status: 403,
  message: 'The Host is not allowed. Add it to allowedHosts.',
})
const FOREIGN_ORIGIN: Rejection = Object.freeze({
  status: 403,
  message: 'The Origin is not allowed. Add it to allowedOrigins.',
})

/** Rejects everything that is not allowed explicitly. */
export function createGuard(options: GuardOptions): Guard {
  const isHostAllowed = options.allowedHosts && matchAny(options.allowedHosts.map(hostPattern))
  const isOriginAllowed = options.allowedOrigins && matchAny(options.allowedOrigins.map(originPattern))

  // Nearly all requests name the same host, so the last one is parsed once.
  let lastHost = ''
  let lastAuthority: Authority | undefined

  function checkHost(exchange: HttpExchange, host = hostOf(exchange)): Rejection | undefined {
    if (typeof host !== 'string') return BAD_HOST
    if (host !== lastHost) {
      lastAuthority = parseAuthority(host)
      lastHost = host
    }
    if (lastAuthority === undefined) return BAD_HOST
    const isLocalName = isLoopbackName(lastAuthority.name)
    const isAllowed = isHostAllowed?.(lastAuthority) ?? (isLocalName || exchange.isLoopback !== true)
    return isAllowed ? undefined : FOREIGN_HOST
  }

  function check(exchange: HttpExchange): Rejection | undefined {
    return (
      checkHost(exchange) ?? checkOrigin(exchange, lastAuthority !== undefined && isLoopbackName(lastAuthority.name))
    )
  }

  /** A page that reaches us by DNS rebinding sends its own origin, as every other page does: neither is on the list. */
  function checkOrigin(exchange: HttpExchange, isLocalName: boolean): Rejection | undefined {
    const value = exchange.header('origin')
    if (value === undefined) {
      // A browser that sends no Origin with a cross-site request still sends Sec-Fetch-Site. A repeated header is rejected.
      const site = exchange.header('sec-fetch-site')
      return site === undefined || OWN_SITES.has(site) ? undefined : FOREIGN_ORIGIN
    }
    const origin = typeof value === 'string' ? parseOrigin(value) : undefined
    if (origin === undefined) return FOREIGN_ORIGIN
    const isLocal = isLocalName && exchange.isLoopback !== false
    const isAllowed = isOriginAllowed?.(origin) ?? (isLocal && isLoopbackName(origin.name))
    return isAllowed ? undefined : FOREIGN_ORIGIN
  }

  return { check, checkHost }
}

/** RFC 9113, 8.3.1: HTTP/2 names the host as `:authority`, and a different `Host` makes it malformed. */
export function hostOf(exchange: HttpExchange): RequestHost {
  const host = exchange.header('host')
  const authority = exchange.header(':authority')
  if (authority === undefined || authority === host) return host
  return host === undefined ? authority : undefined
}

function hostPattern(text: string): Matches<Authority> {
  const { base, isAnyPort } = splitPort(text)
  const wanted = parseAuthority(base)
  if (wanted === undefined)
    throw rangeError('wrong-option', `allowedHosts: '${text}' is not a host, host:port or host:*.`)
  return ({ name, port }) => name === wanted.name && (isAnyPort || port === wanted.port)
}

function originPattern(text: string): Matches<Origin> {
  const { base, isAnyPort } = splitPort(text)
  const wanted = parseOrigin(base)
  if (wanted === undefined) {
    throw rangeError('wrong-option', `allowedOrigins: '${text}' is not an origin. Write it as https://app.example.com.`)
  }
  return ({ scheme, name, port }) =>
    scheme === wanted.scheme && name === wanted.name && (isAnyPort || port === wanted.port)
}

function splitPort(text: string): { base: string; isAnyPort: boolean } {
  const isAnyPort = text.endsWith(':*')
  return { base: isAnyPort ? text.slice(0, -2) : text, isAnyPort }
}

function matchAny<T>(patterns: readonly Matches<T>[]): Matches<T> {
  return (value) => patterns.some((matches) => matches(value))
}
