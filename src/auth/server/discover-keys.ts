// Finding an issuer's keys through its metadata, for configurations that name the issuer and no more.
import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
import { TransportError } from '../../types/failures.ts'
import { checkSecureUrl } from './audience.ts'
import { type FindKey, type RemoteKeysOptions, remoteKeys, sparing } from './signing-keys.ts'

export interface DiscoverKeysOptions extends RemoteKeysOptions {
  readonly allowHttp?: boolean | undefined
}

/** Looks for the metadata at the first token; a look that failed is not repeated at once. */
export function discoverKeys(issuer: string, options: DiscoverKeysOptions): FindKey {
  let found: Promise<FindKey> | undefined
  const discover = sparing(() => findKeys(issuer, options), options.cooldownMs)
  return async (header, token) => {
    found ??= discover()
    const keys = await found.catch((error: unknown) => {
      found = undefined
      throw error
    })
    return keys(header, token)
  }
}

async function findKeys(issuer: string, options: DiscoverKeysOptions): Promise<FindKey> {
  const { jwks_uri } =
    (await readMetadata(issuer, 'oauth2', options)) ?? (await readMetadata(issuer, 'oidc', options)) ?? {}
  if (jwks_uri === undefined) throw new TransportError(`The metadata of ${issuer} names no keys: give jwksUri`)
  const { allowHttp } = options
  return remoteKeys(checkSecureUrl(jwks_uri, { what: `jwks_uri of ${issuer}`, allowHttp }), options)
}

/** RFC 8414 or OpenID Connect Discovery; `undefined` where the issuer has no document of that kind. */
async function readMetadata(issuer: string, algorithm: 'oauth2' | 'oidc', { fetch }: DiscoverKeysOptions) {
  const url = new URL(issuer)
  // Whether plain http is fine was decided when the verifier was made.
  const response = await discoveryRequest(url, { algorithm, [customFetch]: fetch, [allowInsecureRequests]: true })
  if (response.status >= 400 && response.status < 500) return undefined
  const metadata = await processDiscoveryResponse(url, response)
  // RFC 8414, section 3.3: identical, to the character; the library compares what remains after parsing.
  if (metadata.issuer !== issuer) throw new TransportError(`The metadata found for ${issuer} is that of another issuer`)
  return metadata
}
