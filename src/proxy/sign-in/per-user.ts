// `perUser()`: each caller signs in at the source with an account of its own.

import { assertClient } from '../../auth/client/login/registered-client.ts'
import type { OAuthOptions } from '../../auth/client/oauth.ts'
import type { TokenStore } from '../../auth/client/tokens/token-store.ts'
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import type { AuthProvider } from '../../http/poster.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { OAuthError } from '../../types/errors/failures.ts'
import type { ProxyCaller } from '../base/caller.ts'
import { createSignInPages } from './sign-in-pages.ts'
import { withLock } from './store-lock.ts'
import { Tickets } from './tickets.ts'

type LoginOptions = Omit<OAuthOptions, 'store' | 'redirectUri' | 'redirect' | 'callback' | 'loginTimeoutMs' | 'device'>

/** Options of `perUser()`: how users sign in at sources, and where their tokens are kept. */
export interface PerUserOptions extends LoginOptions {
  /** Where the tokens of one caller are stored. It must never return the store of another one. */
  store: (principal: Principal) => TokenStore
  /** The address that browsers reach the sign-in pages at, as the authorization servers of the sources know it. */
  callbackUrl: string
  /**
   * Who has opened a page, by the login that your site has. Set it where the callers of the front are verified: then only the
   * caller itself can connect an account for it (default: the page names the caller and asks).
   */
  identify?: ((exchange: HttpExchange) => MaybePromise<Principal>) | undefined
}

export const PER_USER_KEYS: KnownKeys<PerUserOptions> = {
  store: 'function',
  callbackUrl: 'string',
  identify: 'function',
  clientName: 'string',
  client: 'object',
  clientMetadataUrl: 'string',
  dynamicRegistration: 'boolean',
  clientMetadata: 'object',
  issuer: 'string',
  assumePkce: 'boolean',
  authorizationParameters: 'object',
  scopes: 'array',
  dpop: 'boolean',
  resourceParameter: 'boolean',
  metadataOrigins: 'array',
  requestTimeoutMs: 'number',
  onWarning: 'function',
  allowPrivateAddresses: 'boolean',
  allowInsecureAuth: 'boolean',
}

/** The login of one caller at one source. */
export interface SignInCredential {
  /** Adds the token of the caller to requests, refreshes it, and asks the caller to sign in where there is none. */
  readonly auth: AuthProvider
  /** Equal for requests of the same caller. Holds no secret. */
  readonly id: string
}

/** Gives each caller its own login at the source. Made by `perUser()`. */
export interface PerUser {
  /** The credential of a caller. Throws `OAuthError` for one that came over HTTP and was not verified. */
  (caller: Pick<ProxyCaller, 'principal' | 'source' | 'isLocal'>): SignInCredential
  /** Puts the sign-in pages before a handler, at the address of `callbackUrl`. Put it outside of `requireBearer()`. */
  pages(handler: HttpHandler): HttpHandler
  /** Ends the sign-ins of a caller that have not ended. Its tokens stay in its store. */
  forget(principal: Principal): void
}

/** Callers whose stores are kept at once. */
const MAX_STORES = 10_000

/**
 * Credentials for `createProxy()` and `createGateway()` by which each caller signs in at the source with an account of its own. A
 * caller without tokens is asked to open a page, which says what is connected for whom, and leads to the login of the source. In
 * the option `auth` of `openAPIServer()` it does the same for an API.
 *
 * @example
 * ```ts
 * import { memoryTokenStore } from 'mcpwire/auth'
 * import { createProxy, perUser } from 'mcpwire/proxy'
 * const callbackUrl = 'https://gateway.example.com/connect'
 * const signIn = perUser({ store: () => memoryTokenStore(), callbackUrl, clientName: 'Example gateway' })
 * const proxy = createProxy('https://notes.example.com/mcp', { credentials: signIn })
 * await proxy.run({ transport: 'http', auth: (handler) => signIn.pages(handler) })
 * ```
 */
export function perUser(options: PerUserOptions): PerUser {
  const callback = checkOptions(options)
  const { store, identify } = options
  const tickets = new Tickets(callback.href, identify === undefined ? undefined : callback.href)
  const stores = new Map<string, TokenStore>()

  function storeOf(principal: Principal): TokenStore {
    const owner = principalKey(principal)
    const known = stores.get(owner)
    if (known !== undefined) return known
    const made = store(principal)
    if (typeof made?.get !== 'function' || typeof made.set !== 'function' || typeof made.delete !== 'function')
      throw typeError('wrong-result', 'perUser: store must return a token store, such as memoryTokenStore()')
    const locked = withLock(made)
    const [oldest] = stores.keys()
    if (stores.size >= MAX_STORES && oldest !== undefined) stores.delete(oldest)
    stores.set(owner, locked)
    return locked
  }

  const signIn = (caller: Parameters<PerUser>[0]): SignInCredential => {
    const { principal, source, isLocal } = caller
    if (principal === undefined && !isLocal) {
      const message =
        'perUser: the caller was not verified, and strangers must not share an account. Use requireBearer()'
      throw new OAuthError('caller_unknown', message, { step: 'request' })
    }
    const owner = principalKey(principal)
    const own = storeOf(principal)
    const provider = loading(import('./sign-in-provider.ts')).then(({ createSignInProvider }) =>
      createSignInProvider({ options, store: own, tickets, owner, principal, source, callbackUrl: callback.href }),
    )
    provider.catch(() => {})
    return { id: `per user ${owner}`, auth: lazily(provider) }
  }
  return Object.assign(signIn, {
    pages: createSignInPages({ tickets, callback, identify }),
    forget: (principal: Principal) => tickets.forget(principalKey(principal)),
  })
}

/** OAuth is loaded with the first request, not with the module. */
function lazily(provider: Promise<AuthProvider>): AuthProvider {
  return {
    authorize: (poster, resource, facts) => {
      const authorized = provider.then((made) => made.authorize(poster, resource, facts))
      authorized.catch(() => {})
      return Object.assign(async (request: Parameters<typeof poster>[0]) => (await authorized)(request), {
        close: () => poster.close?.(),
      })
    },
  }
}

function checkOptions(options: PerUserOptions): URL {
  checkKeys('perUser()', options, PER_USER_KEYS)
  if (typeof options.store !== 'function') {
    throw typeError('wrong-option', 'perUser: set store to a function that returns the token store of a caller')
  }
  assertClient('perUser', options)
  const { callbackUrl } = options
  const callback = URL.canParse(callbackUrl) ? new URL(callbackUrl) : undefined
  const isPlain =
    callback?.search === '' && callback.hash === '' && callback.username === '' && callback.password === ''
  if (callback !== undefined && isPlain && /^https?:$/.test(callback.protocol)) return callback
  throw rangeError(
    'wrong-option',
    'perUser: callbackUrl must be an http(s) URL without query, fragment and credentials, at which browsers reach this server',
  )
}
