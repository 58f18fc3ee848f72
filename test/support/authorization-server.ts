// A real authorization server on loopback, whose users agree to everything: full logins without a browser or the network.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import type { Provider } from 'oidc-provider'
import { walkLogin } from './login.ts'

/** What the server knows about a resource that tokens can be asked for. */
export interface KnownResource {
  readonly scopes: readonly string[]
  /** Signed JWTs unless given. */
  readonly format?: 'jwt' | 'opaque'
}

export interface AuthorizationServerOptions {
  /** By the URL that clients send as `resource`. All others are refused. */
  resources?: Readonly<Record<string, KnownResource>>
  /** Registered beforehand, in the words of RFC 7591. */
  clients?: readonly Readonly<Record<string, unknown>>[]
  /** Client id metadata documents by their https URL, which is never fetched for real. */
  documents?: Readonly<Record<string, unknown>>
  /** Whether clients may register themselves. They may unless this is false. */
  registration?: boolean
  accessTokenSeconds?: number
  /** Demands a nonce in each DPoP proof. */
  dpopNonce?: boolean
  /** Who logs in. */
  user?: string
}

export interface TestAuthorizationServer extends AsyncDisposable {
  readonly issuer: string
  readonly jwksUri: string
  readonly tokenEndpoint: string
  readonly introspectionEndpoint: string
  /** Credentials with which a resource server can introspect. */
  readonly resourceServer: { readonly clientId: string; readonly clientSecret: string }
  /** Each request in order, as in `POST /token`. */
  readonly requests: readonly string[]
  /** What a browser and its user would do with an authorization URL; resolves to where they end up, with the code. */
  login(authorizationUrl: string | URL): Promise<URL>
  close(): Promise<void>
}

export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<TestAuthorizationServer> {
  const requests: string[] = []
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resourceServer = { clientId: 'resource-server', clientSecret: randomBytes(16).toString('hex') }

  const { Provider, errors } = await quietly(() => import('oidc-provider'))
  const configuration = await configure(options, resourceServer, errors.InvalidTarget)
  const provider = await quietly(() => new Provider(issuer, configuration))
  const answer = provider.callback()
  handle = (request, response) => {
    const isInteraction = request.url?.startsWith('/interaction/') === true
    const work = isInteraction ? agree(provider, request, response, options.user ?? 'ada') : answer(request, response)
    work.catch(() => response.destroy())
  }

  async function close(): Promise<void> {
    if (!server.listening) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }

  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    tokenEndpoint: `${issuer}/token`,
    introspectionEndpoint: `${issuer}/token/introspection`,
    resourceServer,
    requests,
    login: (url) => walkLogin(url, issuer),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Says who the user is, and yes to the rest: what is granted is decided in `grantEverything`. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse, user: string) {
  const { prompt } = await provider.interactionDetails(request, response)
  const result = prompt.name === 'login' ? { login: { accountId: user } } : { consent: {} }
  await provider.interactionFinished(request, response, result)
}

interface ResourceServer {
  readonly clientId: string
  readonly clientSecret: string
}

async function configure(
  options: AuthorizationServerOptions,
  { clientId, clientSecret }: ResourceServer,
  InvalidTarget: new () => Error,
): Promise<object> {
  const { resources = {}, clients = [], documents = {}, registration = true, accessTokenSeconds = 300 } = options
  const scopes = new Set(Object.values(resources).flatMap((resource) => resource.scopes))
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: [],
        redirect_uris: [],
        response_types: [],
      },
      ...clients,
    ],
    jwks: { keys: await Promise.all([signingKey('RS256'), signingKey('ES256')]) },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    scopes: ['openid', 'offline_access', ...scopes],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    ttl: { ...HOURS, AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds },
    findAccount: async (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    loadExistingGrant: grantEverything,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // Documents of clients come from the test, under whatever https name they claim.
    fetch: async (url: string | URL) => {
      const document = documents[String(url)]
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document)
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: async (_context: unknown, client: { clientId: string }) => client.clientId === clientId,
      },
      revocation: { enabled: true },
      registration: { enabled: registration },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => options.dpopNonce === true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context: unknown, resource: string) => {
          const known = Object.hasOwn(resources, resource) ? resources[resource] : undefined
          if (known === undefined) throw new InvalidTarget()
          const { format = 'jwt' } = known
          const jwt = format === 'jwt' ? { jwt: { sign: { alg: 'ES256' } } } : {}
          return { scope: known.scopes.join(' '), audience: resource, accessTokenFormat: format, ...jwt }
        },
      },
    },
  }
}

interface LoginContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly params: { readonly scope?: string }
    readonly resourceServers?: Readonly<Record<string, { readonly scope: string }>>
    readonly provider: Provider
  }
}

/** Longer than any test, in seconds. */
const HOURS = {
  AuthorizationCode: 60,
  Grant: 7200,
  IdToken: 7200,
  Interaction: 7200,
  RefreshToken: 7200,
  Session: 7200,
}

/** Everything that was asked for, and nothing that was not. */
async function grantEverything({ oidc }: LoginContext): Promise<unknown> {
  const { client, session, params, resourceServers = {}, provider } = oidc
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  const scope = params.scope ?? ''
  if (scope !== '') grant.addOIDCScope(scope)
  for (const resource of Object.keys(resourceServers)) if (scope !== '') grant.addResourceScope(resource, scope)
  await grant.save()
  return grant
}

async function signingKey(alg: 'RS256' | 'ES256'): Promise<object> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg }
}

/** The package warns that tests are not production. */
async function quietly<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  const { warn, info } = console
  console.warn = console.info = () => {}
  try {
    return await work()
  } finally {
    Object.assign(console, { warn, info })
  }
}
