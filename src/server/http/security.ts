// The guard of every route: whom a request is addressed to and where it comes from, checked before anything else.
import type { HttpExchange } from '../../http/exchange.ts'
import { type Authority, isLoopbackName, type Origin, parseAuthority, parseOrigin } from './authority.ts'

export interface GuardOptions {
  allowedHosts?: readonly string[]
  allowedOrigins?: readonly string[]
}

/** Why a request is turned away, in words that repeat nothing of it. */
export interface Refusal {
  readonly status: 400 | 403
  readonly message: string
}

export interface Guard {
  /** Why the request is turned away; `undefined` where it may pass. */
  check(exchange: HttpExchange): Refusal | undefined
}

/** Fetch Metadata: what a page of another site never sends. */
const OWN_SITES: ReadonlySet<unknown> = new Set(['same-origin', 'same-site', 'none'])

type Matches<T> = (value: T) => boolean

const BAD_HOST: Refusal = Object.freeze({ status: 400, message: 'The Host header is missing, repeated or malformed' })
const FOREIGN_HOST: Refusal = Object.freeze({ status: 403, message: 'This host is not served here; see allowedHosts' })
const FOREIGN_ORIGIN: Refusal = Object.freeze({
  status: 403,
  message: 'This origin may not call this server; see allowedOrigins',
})

/** Fails closed: what is not known to be allowed is refused. */
export function createGuard(options: GuardOptions): Guard {
  const isHostAllowed = options.allowedHosts && matchAny(options.allowedHosts.map(hostPattern))
  const isOriginAllowed = options.allowedOrigins && matchAny(options.allowedOrigins.map(originPattern))

  // Nearly all requests name the same host, so what was read last is read once.
  let lastHost = ''
  let lastAuthority: Authority | undefined

  function check(exchange: HttpExchange): Refusal | undefined {
    const host = hostOf(exchange)
    if (typeof host !== 'string') return BAD_HOST
    if (host !== lastHost) {
      lastAuthority = parseAuthority(host)
      lastHost = host
    }
    const authority = lastAuthority
    if (authority === undefined) return BAD_HOST
    const isLocalName = isLoopbackName(authority.name)
    if (!(isHostAllowed?.(authority) ?? (isLocalName || exchange.isLoopback !== true))) return FOREIGN_HOST
    return checkOrigin(exchange, isLocalName)
  }

  /** A page that was rebound to us names itself as its origin, and a page elsewhere its own: neither is on the list. */
  function checkOrigin(exchange: HttpExchange, isLocalName: boolean): Refusal | undefined {
    const value = exchange.header('origin')
    if (value === undefined) {
      // A browser that sends no Origin with a cross-site request still says that it is one. Whoever says two things has no say.
      const site = exchange.header('sec-fetch-site')
      return site === undefined || OWN_SITES.has(site) ? undefined : FOREIGN_ORIGIN
    }
    const origin = typeof value === 'string' ? parseOrigin(value) : undefined
    if (origin === undefined) return FOREIGN_ORIGIN
    const isLocal = isLocalName && exchange.isLoopback !== false
    const isAllowed = isOriginAllowed?.(origin) ?? (isLocal && isLoopbackName(origin.name))
    return isAllowed ? undefined : FOREIGN_ORIGIN
  }

  return { check }
}

/** RFC 9113, 8.3.1: HTTP/2 names the host as `:authority`, and a `Host` that says something else makes it malformed. */
function hostOf(exchange: HttpExchange): string | readonly string[] | undefined {
  const host = exchange.header('host')
  const authority = exchange.header(':authority')
  if (authority === undefined || authority === host) return host
  return host === undefined ? authority : undefined
}

function hostPattern(text: string): Matches<Authority> {
  const { base, isAnyPort } = splitPort(text)
  const wanted = parseAuthority(base)
  if (wanted === undefined) throw new RangeError(`allowedHosts: '${text}' is no host, host:port or host:*`)
  return ({ name, port }) => name === wanted.name && (isAnyPort || port === wanted.port)
}

function originPattern(text: string): Matches<Origin> {
  const { base, isAnyPort } = splitPort(text)
  const wanted = parseOrigin(base)
  if (wanted === undefined) {
    throw new RangeError(`allowedOrigins: '${text}' is no origin such as https://app.example.com`)
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
