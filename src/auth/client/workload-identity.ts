// Workload identity: exchanges a JWT of the platform (Kubernetes, a cloud, a CI) for tokens.

import { None } from 'oauth4webapi'
import type { AuthProvider } from '../../http/poster.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { OAuthError } from '../../types/errors/failures.ts'
import { type AssertionSource, readAssertion, redeemAssertion } from './jwt-bearer.ts'
import { createProvider, PROVIDER_KEYS, type ProviderOptions } from './provider.ts'
import { assertIssuer, type Grant } from './tokens/grant.ts'

/** Options of `workloadIdentity()`: login by the identity that a platform gives to a program. */
export interface WorkloadIdentityOptions extends ProviderOptions {
  /** The JWT, or a function that returns the current one, for example from the file that the platform keeps up to date. */
  assertion: AssertionSource
  /**
   * The authorization server that trusts the platform; the JWT is sent to no other. `'discovered'` trusts the first server that
   * the resource names.
   */
  issuer: string
  /** Sent if the authorization server requires one. */
  clientId?: string | undefined
}

export const WORKLOAD_IDENTITY_KEYS: KnownKeys<WorkloadIdentityOptions> = {
  ...PROVIDER_KEYS,
  assertion: true,
  issuer: true,
  clientId: true,
}

/** Gets tokens for a workload. A rejected JWT is not sent again, and no other grant is tried instead. */
export function workloadIdentity(options: WorkloadIdentityOptions): AuthProvider {
  checkKeys('workloadIdentity()', options, WORKLOAD_IDENTITY_KEYS)
  assertIssuer(options.issuer, 'workloadIdentity')
  return createProvider(createWorkloadGrant(options), options)
}

function createWorkloadGrant({ assertion: source, issuer, clientId }: WorkloadIdentityOptions): Grant {
  let rejected: { assertion: string; error: OAuthError } | undefined
  const clientAuth = clientId === undefined ? () => {} : None()
  return {
    isInteractive: false,
    issuer,
    obtain: async (context) => {
      const { discovery, scopes, signal } = context
      const { server, resource } = discovery
      const assertion = await readAssertion(source, { audience: server.issuer, resource, scopes, signal })
      if (rejected?.assertion === assertion) throw rejected.error
      try {
        const client = { clientId: clientId ?? 'workload', clientAuth, secrets: [] }
        return await redeemAssertion(context, client, assertion)
      } catch (error) {
        if (isFinal(error)) rejected = { assertion, error }
        throw error
      }
    },
  }
}

function isFinal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && (error.code === 'invalid_grant' || error.code === 'invalid_client')
}
