// Where an authorization may connect to when a server says where: https or this machine, and nobody else's private network.
import type { KnownKeys } from '../../../primitives/options.ts'
import type { OAuthError, OAuthStep } from '../../../types/errors/failures.ts'
import { rangeOfAddress, rangeOfHost } from './address-range.ts'
import { displayUrl, fail } from './failure.ts'

export interface NetworkOptions {
  /**
   * Lets a server name authorization servers in private networks, as within a company. Without it only a server that is itself
   * given by a private address, or on this machine, may.
   */
  allowPrivateAddresses?: boolean
  /** Lets credentials travel over plain http to other machines, where everybody on the way can read them. */
  allowInsecureAuth?: boolean
}

export const NETWORK_KEYS: KnownKeys<NetworkOptions> = {
  allowPrivateAddresses: true,
  allowInsecureAuth: true,
}

/** Decides about URLs for one protected resource. */
export interface NetworkPolicy {
  /** The parsed URL. Throws `OAuthError` where it may not be used; `what` names it, as in `token_endpoint`. */
  check(url: string, what: string, step: OAuthStep): URL
  /** What to ask of the address behind a name; `undefined` where any will do. */
  addressFilter(url: URL): ((address: string) => boolean) | undefined
}

/** `named` are URLs that the user gave: their origins may be anywhere, for they are on nobody else's word. */
export function createNetworkPolicy(resource: URL, options: NetworkOptions, named: readonly string[]): NetworkPolicy {
  const ownRange = rangeOfHost(resource.hostname)
  const isPrivateAllowed = options.allowPrivateAddresses === true || (ownRange !== undefined && ownRange !== 'public')
  const ownOrigins = new Set([
    resource.origin,
    ...named.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin),
  ])
  const isFree = (url: URL) => isPrivateAllowed || ownOrigins.has(url.origin)

  function check(text: string, what: string, step: OAuthStep): URL {
    const url = parseHttpUrl(text, what, step)
    const range = rangeOfHost(url.hostname)
    if (url.protocol === 'http:' && range !== 'loopback' && options.allowInsecureAuth !== true) {
      throw fail(
        step,
        'insecure_url',
        `${what} (${displayUrl(url)}) is not https; only this machine may be reached over plain http`,
      )
    }
    if (range !== undefined && range !== 'public' && !isFree(url)) throw privateAddress(url, what, step)
    return url
  }

  function addressFilter(url: URL): ((address: string) => boolean) | undefined {
    if (isFree(url)) return undefined
    return (address) => rangeOfAddress(address) === 'public'
  }

  return { check, addressFilter }
}

function parseHttpUrl(text: string, what: string, step: OAuthStep): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw fail(step, 'insecure_url', `${what} (${displayUrl(text)}) is no http(s) URL`)
  }
  if (url.username !== '' || url.password !== '') {
    throw fail(step, 'insecure_url', `${what} (${displayUrl(url)}) holds a user name or password`)
  }
  return url
}

/** For a URL that leads, or whose name leads, where it must not. */
export function privateAddress(url: URL, what: string, step: OAuthStep, cause?: unknown): OAuthError {
  return fail(
    step,
    'private_address',
    `${what} (${displayUrl(url)}) is in a private network, where the server must not send us; ` +
      'set allowPrivateAddresses if that is intended',
    cause,
  )
}
