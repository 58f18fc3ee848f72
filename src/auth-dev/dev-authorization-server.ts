// devAuthorizationServer(): logins on this machine, without an account anywhere. It configures oidc-provider, and listens on loopback.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Provider } from 'oidc-provider'
import { withHelp } from '../primitives/help.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../primitives/options.ts'
import { answerInteraction } from './interactions.ts'
import { configureProvider } from './provider-configuration.ts'
import { walkLogin } from './walk-login.ts'

/** Options of `devAuthorizationServer()`. */
export interface DevAuthorizationServerOptions {
  /** Port on 127.0.0.1 (default: 4000; 0 for any free port). The issuer is `http://127.0.0.1:<port>`. */
  port?: number | undefined
  /** The scopes that clients can request, such as those of your tools (default: none). */
  scopes?: readonly string[] | undefined
  /** The servers that it issues tokens for (default: every URL on loopback). */
  resources?: readonly string[] | undefined
  /** The user that logs in, as `sub` of the tokens (default: `developer`). The login page can change it. */
  user?: string | undefined
  /** Logs in and grants everything that a client requests without showing a page, for tests (default: `false`). */
  autoApprove?: boolean | undefined
  /** How long an access token is valid in seconds (default: 300). Short, so that you see refreshes happen. */
  accessTokenSeconds?: number | undefined
}

export const DEV_AUTHORIZATION_SERVER_KEYS: KnownKeys<DevAuthorizationServerOptions> = {
  port: 'number',
  scopes: 'array',
  resources: 'array',
  user: 'string',
  autoApprove: 'boolean',
  accessTokenSeconds: 'number',
}

/** An authorization server that listens. */
export interface DevAuthorizationServer extends AsyncDisposable {
  /** For `issuer` of `requireBearer()` and `jwtVerifier()`. */
  readonly issuer: string
  /** The port on 127.0.0.1. */
  readonly port: number
  /**
   * Logs in as a browser and its user would, for tests. Takes the URL that `redirect` of `oauth()` gets, allows everything, and
   * resolves to the URL of the client with the code: fetch it to go on.
   */
  login(page: string | URL): Promise<URL>
  /** Frees the port. Keys, clients and logins are forgotten. Idempotent. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const DEFAULT_PORT = 4_000
const DEFAULT_USER = 'developer'
const MAX_CONNECTIONS = 100
const REQUEST_TIMEOUT_MS = 30_000

/**
 * An OAuth authorization server for development: registration of clients, a login page, PKCE, resource indicators and JWT access
 * tokens. It needs the package `oidc-provider`, listens on 127.0.0.1 only, keeps everything in memory, and throws where
 * `NODE_ENV` is `production`.
 *
 * @example
 * const authorization = await devAuthorizationServer({ scopes: ['notes:read'] })
 * console.log(authorization.issuer)
 */
export async function devAuthorizationServer(
  options: DevAuthorizationServerOptions = {},
): Promise<DevAuthorizationServer> {
  checkKeys('devAuthorizationServer()', options, DEV_AUTHORIZATION_SERVER_KEYS)
  const { scopes = [], resources, user = DEFAULT_USER, autoApprove = false, accessTokenSeconds = 300 } = options
  assertDuration('accessTokenSeconds', accessTokenSeconds)
  if (process.env['NODE_ENV'] === 'production') {
    const message =
      'devAuthorizationServer() lets everybody log in, and NODE_ENV is production. Use a real authorization server.'
    throw withHelp('package-missing', new Error(message))
  }
  const library = await loadLibrary()
  let handle: Handle = (_request, response) => response.writeHead(503).end()
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => handle(request, response))
  server.maxConnections = MAX_CONNECTIONS
  const port = await listen(server, options.port ?? DEFAULT_PORT)
  const issuer = `http://${HOST}:${port}`
  try {
    const settings = { scopes, resources, autoApprove, accessTokenSeconds }
    const configuration = await configureProvider(settings, library.errors.InvalidTarget)
    const provider = withoutWarnings(() => new library.Provider(issuer, configuration))
    handle = createHandle(provider, port, { user, autoApprove })
  } catch (error) {
    server.close()
    throw error
  }
  const close = () => closeServer(server)
  return { issuer, port, login: (page) => walkLogin(page, issuer, user), close, [Symbol.asyncDispose]: close }
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

function createHandle(provider: Provider, port: number, who: { user: string; autoApprove: boolean }): Handle {
  const answer = provider.callback()
  const hosts = new Set([`${HOST}:${port}`, `localhost:${port}`])
  return (request, response) => {
    // A page elsewhere must not reach it under a name of its own.
    if (!hosts.has(request.headers.host ?? '')) {
      response.writeHead(421, { 'content-type': 'text/plain' }).end('This server answers on loopback only.\n')
      return
    }
    const isInteraction = request.url?.startsWith('/interaction/') === true
    const work = isInteraction ? answerInteraction(provider, request, response, who) : answer(request, response)
    work.catch(() => {
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' })
      response.end('This login has expired or does not exist. Start it again from your client.\n')
    })
  }
}

async function loadLibrary(): Promise<typeof import('oidc-provider')> {
  try {
    return await withoutWarnings(() => import('oidc-provider'))
  } catch (cause) {
    const message =
      'devAuthorizationServer() needs the package oidc-provider. Run: npm install --save-dev oidc-provider@9'
    throw withHelp('package-missing', new Error(message, { cause }))
  }
}

/** The package warns that loopback and memory are not for production, which is the purpose here. */
function withoutWarnings<Value>(work: () => Value): Value {
  const { warn, info } = console
  const restore = () => Object.assign(console, { warn, info })
  console.warn = console.info = () => {}
  let result: Value | undefined
  try {
    result = work()
    return result
  } finally {
    if (result instanceof Promise) void result.then(restore, restore)
    else restore()
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve()
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
