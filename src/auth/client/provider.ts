// What all providers share: an `AuthProvider` that wraps a poster and has one token source per resource.

import type { AuthProvider } from '../../http/poster.ts'
import type { KnownKeys } from '../../primitives/options.ts'
import type { OAuthError } from '../../types/errors/failures.ts'
import { canonicalResource } from '../resource-url.ts'
import { authorizePoster } from './authorized-poster.ts'
import { createGuardedFetch } from './network/guarded-fetch.ts'
import { createNetworkPolicy, NETWORK_KEYS, type NetworkOptions } from './network/network-policy.ts'
import { TokenSource } from './token-source.ts'
import type { Grant } from './tokens/grant.ts'
import { createRecords, memoryTokenStore, type TokenStore } from './tokens/token-store.ts'

/** The options of every provider. */
export interface ProviderOptions extends NetworkOptions {
  /** The scopes of the first request for tokens; the server's challenges add more (default: the scopes that the server lists). */
  scopes?: readonly string[] | undefined
  /** Where tokens are stored (default: in memory). */
  store?: TokenStore | undefined
  /** Binds tokens to a key of this client (RFC 9449), so that a stolen token can't be used (default: `false`). */
  dpop?: boolean | undefined
  /** `false` leaves out the `resource` parameter (RFC 8707), for authorization servers that reject it (default: `true`). */
  resourceParameter?: boolean | undefined
  /** Origins other than the server's own that may publish its metadata. */
  metadataOrigins?: readonly string[] | undefined
  /** Maximum time for one request to an authorization server in milliseconds (default: 15,000). */
  requestTimeoutMs?: number | undefined
  /** Receives failures that don't fail a call, such as a store that can't be written. */
  onWarning?: ((error: OAuthError) => void) | undefined
}

export const PROVIDER_KEYS: KnownKeys<ProviderOptions> = {
  ...NETWORK_KEYS,
  scopes: true,
  store: true,
  dpop: true,
  resourceParameter: true,
  metadataOrigins: true,
  requestTimeoutMs: true,
  onWarning: true,
}

const REQUEST_TIMEOUT_MS = 15_000

export function createProvider(grant: Grant, options: ProviderOptions): AuthProvider {
  const store = options.store ?? memoryTokenStore()
  return {
    authorize: (poster, resource, { metadataUrl } = {}) => {
      const named = [
        grant.issuer ?? '',
        metadataUrl ?? '',
        ...(grant.namedUrls ?? []),
        ...(options.metadataOrigins ?? []),
      ]
      const policy = createNetworkPolicy(resource, options, named)
      policy.check(resource.href, 'The MCP server', 'request')
      const source = new TokenSource({
        url: resource,
        http: createGuardedFetch(poster, policy, options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
        grant,
        records: createRecords(store, canonicalResource(resource), options.onWarning ?? (() => {})),
        scopes: options.scopes,
        metadataOrigins: options.metadataOrigins ?? [],
        metadataUrl,
        sendsResource: options.resourceParameter !== false,
        usesDpop: options.dpop === true,
      })
      return authorizePoster(poster, source, resource.origin)
    },
  }
}
