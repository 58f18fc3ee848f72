// The tokens for one resource: loaded, refreshed and obtained once for all requests that wait for them.

import { coversResource } from '../resource-url.ts'
import type { TokenSupply } from './authorized-poster.ts'
import { parseScopes, selectScopes, uniteScopes } from './login/challenge.ts'
import { type Discovery, discover } from './login/discovery.ts'
import {
  type AuthorizationServerMetadata,
  findOwnServer,
  findServerMetadata,
  isOwnIssuer,
} from './login/server-metadata.ts'
import { oauthFailure } from './network/failure.ts'
import type { GuardedFetch } from './network/guarded-fetch.ts'
import { checkDpopSupport, type DpopKey, openDpopKey } from './tokens/dpop.ts'
import { Flight, type WaitingRequest } from './tokens/flight.ts'
import { DISCOVERED, type Grant } from './tokens/grant.ts'
import { isRefreshRejected, refreshTokens } from './tokens/refresh.ts'
import { LoginLimits, meetsNeed, type TokenNeed } from './tokens/token-need.ts'
import type { Records, TokenRecord } from './tokens/token-store.ts'
import { isExpiring } from './tokens/tokens.ts'

/** How many flights of other requests one request waits for before it fails. */
const MAX_ROUNDS = 4

export interface TokenSourceOptions {
  readonly url: URL
  readonly http: GuardedFetch
  readonly grant: Grant
  readonly records: Records
  readonly scopes: readonly string[] | undefined
  readonly metadataOrigins: readonly string[]
  /** Where the authorization server describes itself, for a resource without metadata of its own. */
  readonly metadataUrl: string | undefined
  readonly sendsResource: boolean
  readonly usesDpop: boolean
}

export class TokenSource implements TokenSupply {
  readonly #options: TokenSourceOptions
  readonly #limits = new LoginLimits()
  #current: TokenRecord | undefined
  #flight: Flight<void> | undefined
  #isLoaded = false
  #dpop: DpopKey | undefined
  #server: AuthorizationServerMetadata | undefined
  /** The authorization server that was trusted because the resource named it. It must not change. */
  #trustedIssuer: string | undefined

  constructor(options: TokenSourceOptions) {
    this.#options = options
  }

  get dpop(): DpopKey | undefined {
    return this.#dpop
  }

  async current(request: WaitingRequest): Promise<TokenRecord | undefined> {
    const current = this.#current
    if (current !== undefined && !isExpiring(current)) return current
    if (this.#isLoaded && (current === undefined || !this.#canReplace(current))) return current
    await this.#joinOrStart((flight) => this.#replaceExpiring(flight)).join(request)
    return this.#current
  }

  async renew(need: TokenNeed, request: WaitingRequest): Promise<TokenRecord> {
    // A flight that runs already may serve another need.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const current = this.#current
      if (current !== undefined && meetsNeed(current, need)) return current
      await this.#joinOrStart((flight) => this.#obtain(need, flight)).join(request)
    }
    throw oauthFailure('request', 'unauthorized', 'The server requires tokens that can not be obtained')
  }

  accept(): void {
    this.#limits.recordAcceptance()
  }

  #joinOrStart(work: (flight: Flight<void>) => Promise<void>): Flight<void> {
    const underWay = this.#flight
    if (underWay !== undefined && !underWay.signal.aborted) return underWay
    const started = new Flight<void>(async (flight) => {
      try {
        await work(flight)
      } finally {
        if (this.#flight === flight) this.#flight = undefined
      }
    })
    this.#flight = started
    return started
  }

  /** Whether expiring tokens can be replaced without the user. */
  #canReplace(tokens: TokenRecord): boolean {
    return tokens.refreshToken !== undefined || !this.#options.grant.isInteractive
  }

  async #replaceExpiring(flight: Flight<void>): Promise<void> {
    await this.#load()
    const known = this.#current
    if (known === undefined || !isExpiring(known) || !this.#canReplace(known)) return
    const need: TokenNeed = { rejected: known.accessToken, challenge: undefined, moreScopes: [] }
    if (await this.#adoptStored(known, need)) return
    const server = await this.#serverOf(known, flight.signal)
    if (await this.#refresh(known, need, server, flight.signal)) return
    if (this.#options.grant.isInteractive) return
    await this.#logIn(need, { server, resource: known.resource, resourceScopes: undefined }, flight)
  }

  async #obtain(need: TokenNeed, flight: Flight<void>): Promise<void> {
    if (this.#current === undefined) await this.#load(true)
    if (this.#current !== undefined && (await this.#adoptStored(this.#current, need))) return
    const discovery = await this.#discover(need, flight.signal)
    const { server } = discovery
    const known = this.#current
    if (known !== undefined && meetsNeed(known, need)) return
    const mayRefresh = need.moreScopes.length === 0 && !this.#limits.isRefreshUseless(need.rejected)
    if (known !== undefined && mayRefresh && (await this.#refresh(known, need, server, flight.signal))) return
    await this.#logIn(need, discovery, flight)
  }

  async #load(isAgain = false): Promise<void> {
    if (this.#isLoaded && !isAgain) return
    const { records, grant, usesDpop } = this.#options
    const issuer = await records.issuer()
    if (grant.issuer === DISCOVERED) this.#trustedIssuer ??= issuer
    if (issuer !== undefined && (this.#expectedIssuer() ?? issuer) === issuer) await this.#loadTokens(issuer)
    if (usesDpop) this.#dpop ??= await openDpopKey(undefined)
    this.#isLoaded = true
  }

  async #loadTokens(issuer: string): Promise<void> {
    const stored = await this.#options.records.tokens(issuer)
    if (stored !== undefined && this.#isUsable(stored)) await this.#adopt(stored)
  }

  #isUsable(stored: TokenRecord): boolean {
    const { url, usesDpop } = this.#options
    return coversResource(stored.resource, url) && (stored.tokenType === 'dpop') === usesDpop
  }

  async #adopt(stored: TokenRecord): Promise<void> {
    if (this.#options.usesDpop && stored.dpopKey?.['x'] !== this.#dpop?.jwk['x']) {
      this.#dpop = await openDpopKey(stored.dpopKey)
    }
    this.#current = stored
  }

  /** Takes tokens that another process has stored meanwhile, if they meet the need. */
  async #adoptStored(known: TokenRecord, need: TokenNeed): Promise<boolean> {
    const stored = await this.#options.records.tokens(known.issuer)
    if (stored === undefined || stored.accessToken === known.accessToken) return false
    if (isExpiring(stored) || !meetsNeed(stored, need) || !this.#isUsable(stored)) return false
    await this.#adopt(stored)
    return true
  }

  #expectedIssuer(): string | undefined {
    const { issuer } = this.#options.grant
    return issuer === DISCOVERED ? this.#trustedIssuer : issuer
  }

  /** The server that issued these tokens; their refresh token is sent to no other. */
  async #serverOf({ issuer }: TokenRecord, signal: AbortSignal): Promise<AuthorizationServerMetadata> {
    const { http, url } = this.#options
    if (this.#server?.issuer === issuer) return this.#server
    this.#server = isOwnIssuer(issuer, url)
      ? await findOwnServer(http, url, signal)
      : await findServerMetadata(http, issuer, signal)
    return this.#server
  }

  /** Runs at every rejection: the resource may have changed its authorization server. */
  async #discover(need: TokenNeed, signal: AbortSignal): Promise<Discovery> {
    const { http, url, metadataOrigins, metadataUrl } = this.#options
    const preferredIssuer = this.#current?.issuer
    const options = { issuer: this.#expectedIssuer(), preferredIssuer, metadataOrigins, metadataUrl }
    const discovery = await discover(http, url, need.challenge, options, signal)
    const { issuer } = discovery.server
    this.#server = discovery.server
    this.#trustedIssuer ??= issuer
    if (this.#current?.issuer !== issuer) {
      // Specification: tokens of one authorization server are never sent to another.
      this.#current = undefined
      await this.#loadTokens(issuer)
    }
    return discovery
  }

  /** Whether a refresh, ours or another process's, gave tokens; `false` if only a new login can. */
  #refresh(
    known: TokenRecord,
    need: TokenNeed,
    server: AuthorizationServerMetadata,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { records } = this.#options
    return records.lockTokens(known.issuer, async () => {
      if (await this.#adoptStored(known, need)) return true
      const stored = await records.tokens(known.issuer)
      const latest = stored?.refreshToken === undefined ? known : stored
      try {
        return await this.#redeem(latest, server, signal)
      } catch (error) {
        if (!isRefreshRejected(error)) throw error
        // Without a lock, another process may have used the same refresh token first.
        if (await this.#adoptStored(known, need)) return true
        await this.#dropRejected(error.code, known)
        return false
      }
    })
  }

  async #redeem(latest: TokenRecord, server: AuthorizationServerMetadata, signal: AbortSignal): Promise<boolean> {
    const { grant, http, records, sendsResource } = this.#options
    const identity = await grant.identify?.(server, records, latest.clientId)
    if (identity === undefined || latest.refreshToken === undefined) return false
    const context = { http, server, identity, dpop: this.#dpop, sendsResource, signal }
    const tokens = await refreshTokens(latest, latest.refreshToken, context)
    this.#limits.recordRefresh(tokens.accessToken)
    await this.#saveTokens(tokens)
    return true
  }

  async #dropRejected(code: string, known: TokenRecord): Promise<void> {
    const { records } = this.#options
    if (code === 'invalid_client' || code === 'unauthorized_client') await records.dropRegistration(known.issuer)
    if (code !== 'invalid_grant') return
    // Keeps the scopes: the next login requests no fewer.
    this.#current = { ...known, refreshToken: undefined }
    await records.dropTokens(known.issuer)
  }

  async #logIn(need: TokenNeed, discovery: Discovery, flight: Flight<void>): Promise<void> {
    const { grant, http, records, sendsResource } = this.#options
    this.#limits.assertLoginHelps(need)
    if (this.#dpop !== undefined) checkDpopSupport(discovery.server.dpop_signing_alg_values_supported)
    const scopes = this.#scopesFor(need, discovery)
    if (grant.isInteractive) flight.requireUser()
    const { tokens, clientId } = await grant.obtain({
      http,
      discovery,
      resource: sendsResource ? discovery.resource : undefined,
      scopes,
      dpop: this.#dpop,
      records,
      signal: flight.signal,
      whileUserActs: (act) => flight.whileUserActs(act),
    })
    this.#limits.recordLogin(need)
    await this.#saveTokens({
      ...tokens,
      issuer: discovery.server.issuer,
      resource: discovery.resource,
      clientId,
      requestedScopes: scopes,
      dpopKey: this.#dpop?.jwk,
    })
  }

  #scopesFor(need: TokenNeed, discovery: Discovery): string[] {
    const known = this.#current
    return selectScopes({
      configured: this.#options.scopes,
      challenged: uniteScopes(need.moreScopes, parseScopes(need.challenge?.scope)),
      listed: discovery.resourceScopes,
      previous: known === undefined ? [] : uniteScopes(known.requestedScopes, known.scopes),
      offered: discovery.server.scopes_supported,
      wantsOffline: this.#options.grant.isInteractive,
    })
  }

  async #saveTokens(tokens: TokenRecord): Promise<void> {
    this.#current = tokens
    await this.#options.records.saveTokens(tokens)
  }
}
