// A target that a function chose for a caller may come from outside: it must not lead into a private network.
import { rangeOfAddress, rangeOfHost } from '../../auth/client/network/address-range.ts'
import type { ClientTarget } from '../../client/opening/targets.ts'
import { type HttpAuth, withAuth } from '../../http/bearer.ts'
import type { AuthProvider, Poster } from '../../http/poster.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { ProxyNetwork } from '../base/options.ts'

/** Whether the addresses that the host of this target resolves to must be public. Throws for one that is not allowed as it stands. */
export function needsPublicAddress(target: ClientTarget, network: ProxyNetwork = {}): boolean {
  if (typeof target !== 'string' && !(target instanceof URL)) return false
  if (!URL.canParse(String(target))) return false
  const { origin, hostname, protocol } = new URL(target)
  if (network.allowPrivateAddresses === true || network.origins?.includes(origin) === true) return false
  const range = rangeOfHost(hostname)
  if (range !== undefined && range !== 'public') throw refused(origin, 'it is in a private network')
  if (protocol !== 'https:') throw refused(origin, 'plain http goes to other machines unencrypted')
  return true
}

/** Sends nothing to a host whose addresses are private. */
export function toPublicAddresses(auth: HttpAuth | undefined): AuthProvider {
  return {
    authorize: (poster, resource) => {
      const guarded: Poster = (request) =>
        poster({
          ...request,
          allowsAddress: (address) =>
            rangeOfAddress(address) === 'public' && request.allowsAddress?.(address) !== false,
        })
      guarded.close = () => poster.close?.()
      return withAuth(guarded, auth, resource)
    },
  }
}

function refused(origin: string, why: string): TransportError {
  return new TransportError(
    `The target function chose ${origin}, and ${why}. Name the origin in network.origins if that is intended.`,
  )
}
