// What oidc-provider is told: clients register themselves, tokens are JWTs for one resource, and a grant holds what was requested.
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import type { Provider } from 'oidc-provider'

export interface ProviderSettings {
  readonly scopes: readonly string[]
  readonly resources: readonly string[] | undefined
  readonly autoApprove: boolean
  readonly accessTokenSeconds: number
}

/** In seconds: longer than a working day, since everything ends with the process. */
const DAY = 86_400
const LIFETIMES = {
  AuthorizationCode: 60,
  Grant: DAY,
  IdToken: DAY,
  Interaction: 3_600,
  RefreshToken: DAY,
  Session: DAY,
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export async function configureProvider(
  settings: ProviderSettings,
  InvalidTarget: new () => Error,
): Promise<Record<string, unknown>> {
  const { scopes, accessTokenSeconds } = settings
  return {
    jwks: { keys: await Promise.all([createKey('RS256'), createKey('ES256')]) },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    ttl: { ...LIFETIMES, AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds },
    findAccount: async (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    loadExistingGrant: (context: GrantContext) => loadGrant(context, settings),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // A development server fetches nothing that a client names.
    fetch: async () => new Response(null, { status: 404 }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context: unknown, resource: string) => {
          if (!isKnown(resource, settings.resources)) throw new InvalidTarget()
          const scope = scopes.join(' ')
          return { scope, audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
        },
      },
    },
  }
}

function isKnown(resource: string, resources: readonly string[] | undefined): boolean {
  if (resources !== undefined) return resources.includes(resource)
  return URL.canParse(resource) && LOOPBACK.test(new URL(resource).hostname)
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string; grantIdFor(clientId: string): string | undefined }
    readonly params: { readonly scope?: string }
    readonly result?: { readonly consent?: object }
    readonly resourceServers?: Readonly<Record<string, unknown>>
    readonly provider: Provider
  }
}

/** What was requested, once the user agrees; before that, what the user granted this client earlier. */
async function loadGrant({ oidc }: GrantContext, { autoApprove }: ProviderSettings): Promise<unknown> {
  const { client, session, params, result, resourceServers = {}, provider } = oidc
  if (!autoApprove && result?.consent === undefined) {
    const earlier = session.grantIdFor(client.clientId)
    return earlier === undefined ? undefined : provider.Grant.find(earlier)
  }
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  const scope = params.scope ?? ''
  if (scope !== '') {
    grant.addOIDCScope(scope)
    for (const resource of Object.keys(resourceServers)) grant.addResourceScope(resource, scope)
  }
  await grant.save()
  return grant
}

async function createKey(alg: 'RS256' | 'ES256'): Promise<object> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg }
}
