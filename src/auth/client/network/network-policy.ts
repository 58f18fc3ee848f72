// Which URLs an authorization may use when a server names them: https or this machine, and no private network.
import type { KnownKeys } from '../../../primitives/options.ts'
import type { OAuthError, OAuthStep } from '../../../types/errors/failures.ts'
import { rangeOfAddress, rangeOfHost } from './address-range.ts'
import { displayUrl, oauthFailure } from './failure.ts'

/** Which hosts the login may talk to. */
export interface NetworkOptions {
  /**
   * Lets a server name authorization servers in private networks, for example within a company (default: only a server that has
   * a private address itself, or runs on this machine, may do so).
   */
  allowPrivateAddresses?: boolean | undefined
  /** Sends credentials over plain http to other machines, where others on the network can read them (default: `false`). */
  allowInsecureAuth?: boolean | undefined
}

export const NETWORK_KEYS: KnownKeys<NetworkOptions> = {
  allowPrivateAddresses: true,
  allowInsecureAuth: true,
}

/** Which URLs may be used for one protected resource. */
export interface NetworkPolicy {
  /** The parsed URL. Throws `OAuthError` if it may not be used; `what` names it, as in `The token_endpoint`. */
  check(url: string, what: string, step: OAuthStep): URL
  /** Which resolved addresses are allowed; `undefined` for all. */
  addressFilter(url: URL): ((address: string) => boolean) | undefined
}

/** `named` are URLs from the user's own options: their origins may be in a private network. */
export function createNetworkPolicy(resource: URL, options: NetworkOptions, named: readonly string[]): NetworkPolicy {
  const ownRange = rangeOfHost(resource.hostname)
  const isPrivateAllowed = options.allowPrivateAddresses === true || (ownRange !== undefined && ownRange !== 'public')
  const ownOrigins = new Set([
    resource.origin,
    ...named.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin),
  ])
  const isAnyAddressAllowed = (url: URL) => isPrivateAllowed || ownOrigins.has(url.origin)

  function check(text: string, what: string, step: OAuthStep): URL {
    const url = parseHttpUrl(text, what, step)
    const range = rangeOfHost(url.hostname)
    if (url.protocol === 'http:' && range !== 'loopback' && options.allowInsecureAuth !== true) {
      throw oauthFailure(
        step,
        'insecure_url',
        `${what} (${displayUrl(url)}) is not https. Plain http is allowed only to this machine`,
      )
    }
    if (range !== undefined && range !== 'public' && !isAnyAddressAllowed(url))
      throw privateAddressError(url, what, step)
    return url
  }

  function addressFilter(url: URL): ((address: string) => boolean) | undefined {
    if (isAnyAddressAllowed(url)) return undefined
    return (address) => rangeOfAddress(address) === 'public'
  }

  return { check, addressFilter }
}

function parseHttpUrl(text: string, what: string, step: OAuthStep): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw oauthFailure(step, 'insecure_url', `${what} (${displayUrl(text)}) is not an http(s) URL`)
  }
  if (url.username !== '' || url.password !== '') {
    throw oauthFailure(step, 'insecure_url', `${what} (${displayUrl(url)}) contains a user name or password`)
  }
  return url
}

/** The error for a URL with a private address, or whose host name resolves to one. */
export function privateAddressError(url: URL, what: string, step: OAuthStep, cause?: unknown): OAuthError {
  return oauthFailure(
    step,
    'private_address',
    `${what} (${displayUrl(url)}) is in a private network, which a server may not name. ` +
      'Set allowPrivateAddresses if that is intended',
    cause,
  )
}
