// A protected resource and its authorization server in one, honest but for what a script changes, beside a trap that nobody
// may walk into.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Places {
  /** Of the resource and of the authorization server, which is its own issuer. */
  readonly origin: string
  readonly resource: string
  /** Stands for a place that only the victim can reach, as a cloud's metadata service. */
  readonly trap: string
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body?: string | object
}

/** What is not as it should be. */
export interface HostileScript {
  /** The `WWW-Authenticate` header of the 401. */
  challenge?: (places: Places) => string
  /** Members of the resource's metadata, or another answer altogether. */
  resourceMetadata?: (places: Places) => object
  resourceAnswer?: (places: Places) => Answer
  /** The same for the authorization server's metadata. */
  serverMetadata?: (places: Places) => object
  serverAnswer?: (places: Places) => Answer
  /** Changes with what the user is sent back. */
  callback?: (parameters: URLSearchParams, places: Places) => void
  /** Members of the token response, or another answer altogether. */
  token?: (places: Places) => object
  tokenAnswer?: (places: Places) => Answer
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface HostileServer extends AsyncDisposable, Places {
  readonly seen: readonly SeenRequest[]
  /** Paths of the trap that were asked for; must stay empty. */
  readonly trapped: readonly string[]
  /** What no error may show: codes, tokens, secrets that were handed out. */
  readonly secrets: readonly string[]
  reached(path: string): boolean
  /** Does what the user's browser would do, once. */
  login(authorizationUrl: URL): Promise<URL>
  close(): Promise<void>
}

export const GOOD_TOKEN = 'SECRET-access-token'

export async function startHostileServer(script: HostileScript = {}): Promise<HostileServer> {
  const seen: SeenRequest[] = []
  const trapped: string[] = []
  const trap = createServer((request, response) => {
    trapped.push(request.url ?? '')
    response.end('{}')
  })
  const server = createServer(async (request, response) => {
    const seenRequest = await read(request)
    seen.push(seenRequest)
    const { status = 200, headers, body = '' } = answerTo(seenRequest, request.url ?? '/', script, places)
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const origin = await listen(server)
  const places: Places = { origin, resource: `${origin}/mcp`, trap: await listen(trap) }

  async function close(): Promise<void> {
    await Promise.all([server, trap].map(stop))
  }

  return {
    ...places,
    seen,
    trapped,
    secrets: [GOOD_TOKEN, 'SECRET-code', 'SECRET-refresh-token', 'SECRET-client'],
    reached: (path) => seen.some((request) => request.path === path),
    login: (url) => comeBack(url, origin),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function answerTo(
  { method, path, headers, body }: SeenRequest,
  url: string,
  script: HostileScript,
  places: Places,
): Answer {
  switch (`${method} ${path}`) {
    case 'POST /mcp':
      return headers['authorization'] === `Bearer ${GOOD_TOKEN}` ? { body: { welcome: true } } : refuse(script, places)
    case 'GET /.well-known/oauth-protected-resource/mcp':
      return script.resourceAnswer?.(places) ?? { body: resourceMetadata(script, places) }
    case 'GET /.well-known/oauth-authorization-server':
      return script.serverAnswer?.(places) ?? { body: serverMetadata(script, places) }
    case 'POST /register':
      return {
        status: 201,
        body: { ...(JSON.parse(body) as object), client_id: 'client', client_secret: 'SECRET-client' },
      }
    case 'GET /authorize':
      return sendBack(new URL(url, places.origin), script, places)
    case 'POST /token':
      return script.tokenAnswer?.(places) ?? { body: tokenAnswer(script, places) }
    default:
      return { status: 404 }
  }
}

function refuse({ challenge }: HostileScript, places: Places): Answer {
  const honest = `Bearer resource_metadata="${places.origin}/.well-known/oauth-protected-resource/mcp"`
  return { status: 401, headers: { 'www-authenticate': challenge?.(places) ?? honest } }
}

function resourceMetadata(script: HostileScript, places: Places): object {
  const honest = { resource: places.resource, authorization_servers: [places.origin] }
  return { ...honest, ...script.resourceMetadata?.(places) }
}

function serverMetadata(script: HostileScript, places: Places): object {
  const { origin } = places
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    ...script.serverMetadata?.(places),
  }
}

function sendBack(url: URL, { callback }: HostileScript, places: Places): Answer {
  const state = url.searchParams.get('state') ?? ''
  const parameters = new URLSearchParams({ code: `SECRET-code-${randomUUID()}`, state, iss: places.origin })
  callback?.(parameters, places)
  const location = `${url.searchParams.get('redirect_uri')}?${parameters}`
  return { status: 302, headers: { location } }
}

function tokenAnswer({ token }: HostileScript, places: Places): object {
  return {
    access_token: GOOD_TOKEN,
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: 'SECRET-refresh-token',
    ...token?.(places),
  }
}

async function comeBack(url: URL, origin: string): Promise<URL> {
  if (url.origin !== origin) throw new Error(`The user was sent to ${url.href}, away from the authorization server`)
  const response = await fetch(url, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const path = (request.url ?? '/').split('?')[0] ?? ''
  return { method: request.method ?? '', path, headers: request.headers, body: Buffer.concat(chunks).toString() }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
