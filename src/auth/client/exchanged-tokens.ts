// The tokens that were exchanged for one caller, apart for each server: kept until shortly before they expire, obtained once for all that wait.
import type { AuthInfo } from '../../types/protocol/auth.ts'
import { subjectTokenOf } from '../server/subject-token.ts'
import type { TokenSupply } from './authorized-poster.ts'
import { uniteScopes } from './login/challenge.ts'
import type { AuthorizationServerMetadata } from './login/server-metadata.ts'
import { oauthFailure } from './network/failure.ts'
import type { GuardedFetch } from './network/guarded-fetch.ts'
import { type ClientCredential, toClientAuth } from './tokens/client-auth.ts'
import { Flight, type WaitingRequest } from './tokens/flight.ts'
import { scopeParameter } from './tokens/grant.ts'
import { LoginLimits, meetsNeed, type TokenNeed } from './tokens/token-need.ts'
import type { TokenRecord } from './tokens/token-store.ts'
import { requestToken, toTokenSet } from './tokens/tokens.ts'

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

/** A token is exchanged anew this long before it expires, or after half of a shorter life. */
const RENEWAL_MARGIN_MS = 30_000
/** How long a token without a lifetime is used. */
const UNKNOWN_LIFETIME_MS = 300_000
/** How many exchanges of other requests one request waits for before it fails. */
const MAX_ROUNDS = 4

/** What is the same for every caller. */
export interface ExchangeSettings {
  readonly server: AuthorizationServerMetadata
  readonly clientId: string
  readonly credential: ClientCredential
  readonly audience: string | undefined
  /** Whether the `resource` parameter is sent. */
  readonly sendsResource: boolean
  readonly scopes: readonly string[]
  readonly subjectTokenType: string
}

interface KeptTokens {
  readonly tokens: TokenRecord
  /** Milliseconds since 1970. */
  readonly renewAt: number
}

/** Servers that one caller reaches by one exchange; beyond it, the tokens of the first one are dropped. */
const MAX_RESOURCES = 256

/** A caller with the tokens that were exchanged for it. A token for one server is never sent to another. */
export class ExchangedTokens {
  readonly #settings: ExchangeSettings
  readonly #byResource = new Map<string, ExchangeAt>()
  /** The newest verified token of the caller is the one that is exchanged. */
  caller: AuthInfo

  constructor(settings: ExchangeSettings, caller: AuthInfo) {
    this.#settings = settings
    this.caller = caller
  }

  /** The tokens for `resource`, exchanged by way of `http`. */
  at(resource: string, http: GuardedFetch): TokenSupply {
    const known = this.#byResource.get(resource)
    const exchange = known ?? new ExchangeAt(resource, this.#settings, () => this.caller)
    if (known === undefined) this.#keep(resource, exchange)
    return exchange.supply(http)
  }

  #keep(resource: string, exchange: ExchangeAt): void {
    const [first] = this.#byResource.keys()
    if (this.#byResource.size >= MAX_RESOURCES && first !== undefined) this.#byResource.delete(first)
    this.#byResource.set(resource, exchange)
  }
}

class ExchangeAt {
  readonly #resource: string
  readonly #settings: ExchangeSettings
  readonly #getCaller: () => AuthInfo
  readonly #limits = new LoginLimits()
  #kept: KeptTokens | undefined
  #flight: Flight<void> | undefined

  constructor(resource: string, settings: ExchangeSettings, getCaller: () => AuthInfo) {
    this.#resource = resource
    this.#settings = settings
    this.#getCaller = getCaller
  }

  supply(http: GuardedFetch): TokenSupply {
    return {
      dpop: undefined,
      current: (request) => this.#obtain({ rejected: undefined, challenge: undefined, moreScopes: [] }, http, request),
      renew: (need, request) => this.#obtain(need, http, request),
      accept: () => this.#limits.recordAcceptance(),
    }
  }

  async #obtain(need: TokenNeed, http: GuardedFetch, request: WaitingRequest): Promise<TokenRecord> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const kept = this.#kept
      if (kept !== undefined && Date.now() < kept.renewAt && meetsNeed(kept.tokens, need)) return kept.tokens
      // An exchange that is under way may serve another need.
      await this.#joinOrStart(need, http).join(request)
    }
    throw oauthFailure('request', 'unauthorized', 'The server requires a token that the exchange does not give')
  }

  #joinOrStart(need: TokenNeed, http: GuardedFetch): Flight<void> {
    this.#flight ??= new Flight<void>(async (flight) => {
      try {
        await this.#exchange(need, http, flight.signal)
      } finally {
        this.#flight = undefined
      }
    })
    return this.#flight
  }

  async #exchange(need: TokenNeed, http: GuardedFetch, signal: AbortSignal): Promise<void> {
    const { server, clientId, credential, audience, sendsResource, subjectTokenType } = this.#settings
    const isWanted = need.rejected !== undefined || need.moreScopes.length > 0
    if (isWanted) this.#limits.assertLoginHelps(need)
    const subjectToken = requireSubjectToken(this.#getCaller())
    const scopes = uniteScopes(this.#kept?.tokens.requestedScopes ?? this.#settings.scopes, need.moreScopes)
    const request = {
      step: 'token' as const,
      server,
      clientId,
      clientAuth: await toClientAuth(server, credential),
      dpop: undefined,
      signal,
      secrets: [subjectToken, credential.secret],
    }
    const startedAt = Date.now()
    const answer = await requestToken(http, request, TOKEN_EXCHANGE, {
      subject_token: subjectToken,
      subject_token_type: subjectTokenType,
      requested_token_type: ACCESS_TOKEN_TYPE,
      audience,
      resource: sendsResource ? this.#resource : undefined,
      scope: scopeParameter(scopes),
    })
    if (isWanted) this.#limits.recordLogin(need)
    const tokens = { ...toTokenSet(answer, request, scopes), refreshToken: undefined }
    this.#kept = {
      tokens: { ...tokens, issuer: server.issuer, resource: this.#resource, clientId, requestedScopes: scopes },
      renewAt: renewalOf(tokens.expiresAt, startedAt),
    }
  }
}

function renewalOf(expiresAt: number | undefined, startedAt: number): number {
  if (expiresAt === undefined) return startedAt + UNKNOWN_LIFETIME_MS
  return Math.max(expiresAt - RENEWAL_MARGIN_MS, (startedAt + expiresAt) / 2)
}

/** The token to exchange. Throws `OAuthError` if the server that verified the caller has not kept it. */
export function requireSubjectToken(caller: AuthInfo | undefined): string {
  const token = subjectTokenOf(caller)
  if (token !== undefined) return token
  const why =
    caller === undefined
      ? 'The caller has no verified token. Put requireBearer() in front of the server'
      : 'The token of the caller was not kept. Set keepToken: true in the options of requireBearer()'
  throw oauthFailure('token', 'subject_token_missing', `tokenExchange: ${why}`)
}
