// Authorization servers that refuse what the known providers refuse, at the paths that they use, and a server that trusts them.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireBearer } from '../../src/auth/server/bearer.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { toNodeHandler } from '../../src/node/http/to-node-handler.ts'
import { createHandler } from '../../src/server/http/handler.ts'

/** What one provider refuses. */
export interface Refusals {
  /** The path of its issuer; empty for the origin, `/` for the origin with a slash. */
  readonly issuer: string
  /** Where it publishes its metadata. Everything else is 404. */
  readonly metadataAt: string
  readonly authorizeAt: string
  readonly tokenAt: string
  /** Without: no dynamic registration, and none in the metadata. */
  readonly register?: { readonly at: string; readonly status: number; readonly body: object }
  /** Members of its metadata besides the endpoints. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The token endpoint wants a secret, also with PKCE. */
  readonly needsSecret?: boolean
  /** What is wrong with an authorization request: error and description. */
  readonly refuse?: (
    query: URLSearchParams,
    known: KnownClient,
  ) => readonly [error: string, description: string] | undefined
  /** Whether the tokens of a login are for the API of the server. They are by default. */
  readonly isForApi?: (query: URLSearchParams) => boolean
  /** Errors of the token endpoint come with status 200. */
  readonly errorsAs200?: boolean
  /** The scopes that the server names. */
  readonly scopes: readonly string[]
}

export interface KnownClient {
  readonly id: string
  readonly secret: string
  readonly redirectUri: string
  /** The identifier of the API at the provider. */
  readonly audience: string
}

export interface FakeProvider extends AsyncDisposable {
  /** Of the MCP server. */
  readonly url: string
  readonly issuer: string
  readonly client: KnownClient
  /** What a browser and its user do with a login page: it is confirmed, and the browser goes where it is sent. */
  visit(page: URL): Promise<void>
}

interface Code {
  readonly query: URLSearchParams
  readonly isForApi: boolean
}

export async function startFakeProvider(refusals: Refusals, redirectUri: string): Promise<FakeProvider> {
  const codes = new Map<string, Code>()
  const tokens = new Map<string, { isForApi: boolean; scopes: string[] }>()
  const authorization = await listen((request, response) => void answer(request, response))
  const issuer = `${authorization.origin}${refusals.issuer}`
  const client: KnownClient = {
    id: 'registered',
    secret: 'the secret',
    redirectUri,
    audience: 'https://api.example/shop',
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', authorization.origin)
    if (pathname === refusals.metadataAt) return send(response, 200, metadata())
    if (pathname === refusals.authorizeAt) return authorize(searchParams, response)
    if (pathname === refusals.tokenAt) return token(request, response)
    if (pathname === refusals.register?.at) return send(response, refusals.register.status, refusals.register.body)
    return send(response, 404, { error: 'not found' })
  }

  function metadata(): object {
    return {
      issuer,
      authorization_endpoint: authorization.origin + refusals.authorizeAt,
      token_endpoint: authorization.origin + refusals.tokenAt,
      ...(refusals.register !== undefined && { registration_endpoint: authorization.origin + refusals.register.at }),
      response_types_supported: ['code'],
      ...refusals.metadata,
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const target = new URL(query.get('redirect_uri') ?? '')
    const refused = refuseClient(query) ?? refusals.refuse?.(query, client)
    const parameters =
      refused === undefined ? { code: keepCode(query) } : { error: refused[0], error_description: refused[1] }
    target.search = new URLSearchParams({ ...parameters, state: query.get('state') ?? '' }).toString()
    response.writeHead(302, { location: target.href }).end()
  }

  function refuseClient(query: URLSearchParams): readonly [string, string] | undefined {
    if (query.get('client_id') !== client.id) return ['unauthorized_client', 'The client is unknown']
    if (query.get('code_challenge_method') !== 'S256') return ['invalid_request', 'PKCE is required']
    return undefined
  }

  function keepCode(query: URLSearchParams): string {
    const code = randomUUID()
    codes.set(code, { query, isForApi: refusals.isForApi?.(query) ?? true })
    return code
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await readBody(request))
    const refuse = (error: string, description: string) =>
      send(response, refusals.errorsAs200 === true ? 200 : 400, { error, error_description: description })
    const code = codes.get(body.get('code') ?? '')
    codes.delete(body.get('code') ?? '')
    if (refusals.needsSecret === true && secretOf(request, body) !== client.secret) {
      return refuse('invalid_request', 'client_secret is missing.')
    }
    if (code === undefined || !isProven(code.query, body)) return refuse('invalid_grant', 'The code is not valid')
    if (code.query.get('redirect_uri') !== body.get('redirect_uri'))
      return refuse('invalid_grant', 'redirect_uri differs')
    const scopes = (code.query.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
    const accessToken = randomUUID()
    tokens.set(accessToken, { isForApi: code.isForApi, scopes })
    return send(response, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: scopes.join(' '),
    })
  }

  let handle: RequestListener = (_request, response) => response.writeHead(503).end()
  const resource = await listen((request, response) => handle(request, response))
  const url = `${resource.origin}/mcp`
  const shop = new MCPServer('shop')
  shop.tool('ping', () => 'pong')
  const handler = requireBearer(createHandler(shop), {
    resource: url,
    issuer,
    metadata: { scopes: refusals.scopes },
    verifier: async (given) => {
      const found = tokens.get(given)
      if (found === undefined) return undefined
      return { clientId: client.id, scopes: found.scopes, resource: found.isForApi ? url : 'https://userinfo.example' }
    },
  })
  handle = toNodeHandler(handler)

  return {
    url,
    issuer,
    client,
    visit: async (page) => {
      const response = await fetch(page, { redirect: 'manual' })
      await (await fetch(response.headers.get('location') ?? '')).text()
    },
    async [Symbol.asyncDispose]() {
      await handler.close?.({ drainMs: 0 })
      await resource.close()
      await authorization.close()
    },
  }
}

function secretOf(request: IncomingMessage, body: URLSearchParams): string | undefined {
  const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
  if (basic === undefined) return body.get('client_secret') ?? undefined
  const [, secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return decodeURIComponent(secret.replaceAll('+', ' '))
}

/** RFC 7636. */
function isProven(query: URLSearchParams, body: URLSearchParams): boolean {
  const digest = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url')
  return digest === query.get('code_challenge')
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

async function listen(handler: RequestListener): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const isExact = (query: URLSearchParams, { redirectUri }: KnownClient) => query.get('redirect_uri') === redirectUri
const onlyExact = (query: URLSearchParams, client: KnownClient) =>
  isExact(query, client) ? undefined : (['redirect_mismatch', 'The redirect URI is not registered'] as const)

/** What each provider refuses, as reported by those who tried to log in with it. */
export const PROVIDERS = {
  'Microsoft Entra ID': {
    issuer: '/0f9a-tenant/v2.0',
    metadataAt: '/0f9a-tenant/v2.0/.well-known/openid-configuration',
    authorizeAt: '/0f9a-tenant/oauth2/v2.0/authorize',
    tokenAt: '/0f9a-tenant/oauth2/v2.0/token',
    metadata: {
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    },
    scopes: ['mcp.read'],
    refuse: (query, client) => {
      if (query.has('resource'))
        return ['invalid_target', "AADSTS9010010: The resource parameter doesn't match with the requested scopes."]
      const scopes = (query.get('scope') ?? '').split(' ')
      if (!scopes.every((scope) => scope.includes('://') || scope.startsWith('offline')))
        return ['invalid_scope', "AADSTS650053: The application asked for a scope that doesn't exist on the resource."]
      return onlyExact(query, client)
    },
  },
  Google: {
    issuer: '',
    metadataAt: '/.well-known/openid-configuration',
    authorizeAt: '/o/oauth2/v2/auth',
    tokenAt: '/token',
    metadata: {
      code_challenge_methods_supported: ['plain', 'S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    scopes: ['openid', 'email'],
    needsSecret: true,
  },
  'Amazon Cognito': {
    issuer: '/eu-central-1_aBcD12345',
    metadataAt: '/eu-central-1_aBcD12345/.well-known/openid-configuration',
    authorizeAt: '/oauth2/authorize',
    tokenAt: '/oauth2/token',
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] },
    scopes: ['shop/read'],
    refuse: onlyExact,
  },
  Okta: {
    issuer: '/oauth2/aus1a2b3c4d5',
    metadataAt: '/oauth2/aus1a2b3c4d5/.well-known/openid-configuration',
    authorizeAt: '/oauth2/aus1a2b3c4d5/v1/authorize',
    tokenAt: '/oauth2/aus1a2b3c4d5/v1/token',
    register: {
      at: '/oauth2/v1/clients',
      status: 403,
      body: { errorCode: 'E0000006', errorSummary: 'You do not have permission to perform the requested action' },
    },
    metadata: { code_challenge_methods_supported: ['S256'], scopes_supported: ['openid', 'shop.read'] },
    scopes: ['shop.read'],
    refuse: onlyExact,
  },
  Auth0: {
    issuer: '/',
    metadataAt: '/.well-known/openid-configuration',
    authorizeAt: '/authorize',
    tokenAt: '/oauth/token',
    register: { at: '/oidc/register', status: 403, body: { error: 'access_denied', error_description: 'Not enabled' } },
    metadata: { code_challenge_methods_supported: ['S256', 'plain'] },
    scopes: ['read:shop'],
    refuse: onlyExact,
    isForApi: (query) => query.get('audience') === 'https://api.example/shop',
  },
  Keycloak: {
    issuer: '/realms/shop',
    metadataAt: '/realms/shop/.well-known/openid-configuration',
    authorizeAt: '/realms/shop/protocol/openid-connect/auth',
    tokenAt: '/realms/shop/protocol/openid-connect/token',
    register: {
      at: '/realms/shop/clients-registrations/openid-connect',
      status: 403,
      body: { error: 'insufficient_scope', error_description: "Policy 'Trusted Hosts' rejected request" },
    },
    metadata: {
      code_challenge_methods_supported: ['plain', 'S256'],
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
    },
    scopes: ['shop:read'],
    refuse: onlyExact,
  },
  GitHub: {
    issuer: '/login/oauth',
    metadataAt: '/.well-known/oauth-authorization-server/login/oauth',
    authorizeAt: '/login/oauth/authorize',
    tokenAt: '/login/oauth/access_token',
    metadata: {},
    scopes: ['repo'],
    needsSecret: true,
    errorsAs200: true,
  },
} as const satisfies Record<string, Refusals>
