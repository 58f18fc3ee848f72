// Token exchange (RFC 8693): a server that calls another one for its caller, with a token of its own for that server.
import type { AuthProvider } from '../../http/poster.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import { typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { canonicalResource } from '../resource-url.ts'
import { checkScopes } from '../server/scopes.ts'
import { authorizePoster } from './authorized-poster.ts'
import { ACCESS_TOKEN_TYPE, ExchangedTokens, type ExchangeSettings, requireSubjectToken } from './exchanged-tokens.ts'
import { PRE_REGISTERED_CLIENT_KEYS, type PreRegisteredClient } from './login/registered-client.ts'
import { createGuardedFetch } from './network/guarded-fetch.ts'
import { createNetworkPolicy, NETWORK_KEYS, type NetworkOptions } from './network/network-policy.ts'

/** Options of `tokenExchange()`: who exchanges, where, and for which tokens. */
export interface TokenExchangeOptions extends NetworkOptions {
  /** The URL where the authorization server exchanges tokens. */
  tokenEndpoint: string
  /** This server as a client of the authorization server. Its `issuer` is the name in error messages (default: the origin of the token endpoint). */
  client: PreRegisteredClient
  /** The name of the server that the tokens are for, where the authorization server goes by names. */
  audience?: string | undefined
  /** Whether the URL of that server is sent as `resource` (RFC 8707; default: `true` without `audience`, else `false`). */
  resourceParameter?: boolean | undefined
  /** The scopes to ask for (default: none, and the authorization server decides). */
  scopes?: readonly string[] | undefined
  /** What kind of token the callers have (default: `urn:ietf:params:oauth:token-type:access_token`). */
  subjectTokenType?: string | undefined
  /** Maximum time for one exchange in milliseconds (default: 15,000). */
  requestTimeoutMs?: number | undefined
}

export const TOKEN_EXCHANGE_KEYS: KnownKeys<TokenExchangeOptions> = {
  ...NETWORK_KEYS,
  tokenEndpoint: 'string',
  client: true,
  audience: 'string',
  resourceParameter: 'boolean',
  scopes: true,
  subjectTokenType: 'string',
  requestTimeoutMs: true,
}

/** Whose token is exchanged. */
export interface ExchangeCaller {
  /** The verified caller, as in `ctx.auth`. */
  readonly auth?: AuthInfo | undefined
}

/** The login of one caller at another server. */
export interface ExchangedCredential {
  /** Adds the exchanged token to requests, and exchanges anew when it expires or is rejected. */
  readonly auth: AuthProvider
  /** Equal for requests that may share a connection. Holds no secret. */
  readonly id: string
}

/** Gives each caller its own credential. Made by `tokenExchange()`. */
export interface TokenExchange {
  /** The credential of a caller. Throws `OAuthError` if its token was not kept. */
  (caller: ExchangeCaller): ExchangedCredential
  /** Drops the exchanged tokens of a caller, whose access has ended. */
  forget(principal: Principal): void
}

const REQUEST_TIMEOUT_MS = 15_000
/** Callers whose tokens are kept at once; beyond it, the one that was not seen for longest is dropped. */
const MAX_CALLERS = 10_000

/**
 * Exchanges the token of each caller for one of another server (RFC 8693), so that the caller's own token never goes there.
 * `requireBearer()` must keep tokens for it: `keepToken: true`. Exchanged tokens are kept in memory until shortly before they
 * expire, apart for each caller and for each set of scopes that a caller was verified with.
 */
export function tokenExchange(options: TokenExchangeOptions): TokenExchange {
  const settings = readOptions(options)
  const callers = new Map<string, { readonly owner: string; readonly tokens: ExchangedTokens }>()

  function tokensOf(auth: AuthInfo, key: string): ExchangedTokens {
    const known = callers.get(key)
    if (known !== undefined) known.tokens.caller = auth
    const entry = known ?? { owner: principalKey(auth), tokens: new ExchangedTokens(settings, auth) }
    // The last of the map is the one that was seen last.
    callers.delete(key)
    callers.set(key, entry)
    const [oldest] = callers.keys()
    if (callers.size > MAX_CALLERS && oldest !== undefined) callers.delete(oldest)
    return entry.tokens
  }

  const exchange = ({ auth }: ExchangeCaller): ExchangedCredential => {
    requireSubjectToken(auth)
    const caller = auth as AuthInfo
    // A token that grants less must not use what was exchanged for a wider one.
    const id = `${principalKey(caller)} ${JSON.stringify([...caller.scopes].sort())}`
    return { id, auth: createExchangeProvider(options, tokensOf(caller, id)) }
  }
  const forget = (principal: Principal) => {
    const owner = principalKey(principal)
    for (const [key, entry] of callers) if (entry.owner === owner) callers.delete(key)
  }
  return Object.assign(exchange, { forget })
}

function readOptions(options: TokenExchangeOptions): ExchangeSettings {
  checkKeys('tokenExchange()', options, TOKEN_EXCHANGE_KEYS)
  const { tokenEndpoint, client, audience, scopes = [], subjectTokenType = ACCESS_TOKEN_TYPE } = options
  if (typeof tokenEndpoint !== 'string' || !URL.canParse(tokenEndpoint)) {
    throw typeError(
      'wrong-option',
      'tokenExchange: set tokenEndpoint to the URL where the authorization server exchanges tokens',
    )
  }
  checkKeys('tokenExchange(): client', client, PRE_REGISTERED_CLIENT_KEYS)
  if (typeof client.id !== 'string' || client.id === '') {
    throw typeError('wrong-option', 'tokenExchange: set client.id to the id of this server at the authorization server')
  }
  return {
    server: { issuer: client.issuer ?? new URL(tokenEndpoint).origin, token_endpoint: tokenEndpoint },
    clientId: client.id,
    credential: { secret: client.secret, privateKey: client.privateKey, method: client.authMethod },
    audience,
    sendsResource: options.resourceParameter ?? audience === undefined,
    scopes: checkScopes(scopes, 'scopes of tokenExchange'),
    subjectTokenType,
  }
}

function createExchangeProvider(options: TokenExchangeOptions, tokens: ExchangedTokens): AuthProvider {
  return {
    authorize: (poster, resource) => {
      const policy = createNetworkPolicy(resource, options, [options.tokenEndpoint])
      policy.check(resource.href, 'The MCP server', 'request')
      const http = createGuardedFetch(poster, policy, options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS)
      return authorizePoster(poster, tokens.at(canonicalResource(resource), http), resource.origin)
    },
  }
}
