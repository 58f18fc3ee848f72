// The tokens for one resource: loaded, refreshed and obtained once for all who need them, whoever asks first.

import { OAuthError } from '../../types/errors/failures.ts'
import { coversResource } from '../resource-url.ts'
import { type AccessChallenge, parseScopes, selectScopes, uniteScopes } from './login/challenge.ts'
import { type Discovery, discover } from './login/discovery.ts'
import {
  type AuthorizationServerMetadata,
  findOwnServer,
  findServerMetadata,
  isOwnIssuer,
} from './login/server-metadata.ts'
import { fail } from './network/failure.ts'
import type { GuardedFetch } from './network/guarded-fetch.ts'
import { checkDpopSupport, type DpopKey, openDpopKey } from './tokens/dpop.ts'
import { Flight, type Waiting } from './tokens/flight.ts'
import { DISCOVERED, type Grant } from './tokens/grant.ts'
import { isRefusal, refreshTokens } from './tokens/refresh.ts'
import type { Records, TokenRecord } from './tokens/token-store.ts'
import { isExpiring } from './tokens/tokens.ts'

/** A login whose tokens no request was accepted with is not repeated for this long. */
const LOGIN_PAUSE_MS = 60_000
const MAX_STEP_UPS = 3

class LoginLimits {
  #lastLoginAt = 0
  #isLastProven = true
  #stepUps = 0
  #unprovenRefresh: string | undefined

  /** Whether the token came of a refresh and was never taken, so that another refresh would not help either. */
  isRefreshInVain(accessToken: string | undefined): boolean {
    return accessToken !== undefined && accessToken === this.#unprovenRefresh
  }

  noteRefresh(accessToken: string): void {
    this.#unprovenRefresh = accessToken
  }

  /** Throws `OAuthError` with the challenge where another login would not help. */
  assertHelpful(need: Need): void {
    if (need.moreScopes.length > 0) {
      if (this.#stepUps < MAX_STEP_UPS) return
      throw refusal('insufficient_scope', 'The server keeps asking for further scopes; no more are asked for', need)
    }
    if (this.#isLastProven || Date.now() - this.#lastLoginAt > LOGIN_PAUSE_MS) return
    throw refusal(
      'unauthorized',
      'The server refuses a token that has just been obtained; check that it trusts this authorization server',
      need,
    )
  }

  noteLogin(need: Need): void {
    this.#lastLoginAt = Date.now()
    this.#isLastProven = false
    if (need.moreScopes.length > 0) this.#stepUps += 1
  }

  /** The server took a token: whatever was wrong is over. */
  noteAcceptance(): void {
    this.#isLastProven = true
    this.#stepUps = 0
    this.#unprovenRefresh = undefined
  }
}

function refusal(code: string, message: string, need: Need): OAuthError {
  return new OAuthError(code, message, { step: 'request', challenge: need.challenge?.parameters ?? {} })
}

/** Flights of others that are waited for before giving up on having one's own. */
const MAX_ROUNDS = 4

export interface TokenSourceOptions {
  readonly url: URL
  readonly http: GuardedFetch
  readonly grant: Grant
  readonly records: Records
  readonly scopes: readonly string[] | undefined
  readonly metadataOrigins: readonly string[]
  readonly sendsResource: boolean
  readonly usesDpop: boolean
}

export class TokenSource {
  readonly #options: TokenSourceOptions
  readonly #limits = new LoginLimits()
  #current: TokenRecord | undefined
  #flight: Flight<void> | undefined
  #isLoaded = false
  #dpop: DpopKey | undefined
  #server: AuthorizationServerMetadata | undefined
  /** The authorization server that was trusted on the resource's word, and must not change any more. */
  #trustedIssuer: string | undefined

  constructor(options: TokenSourceOptions) {
    this.#options = options
  }

  get dpop(): DpopKey | undefined {
    return this.#dpop
  }

  /** The tokens for the next request; `undefined` where nothing is known yet and the server has to say what it wants. */
  current(request: Waiting): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    const current = this.#current
    if (current !== undefined && !isExpiring(current)) return current
    if (this.#isLoaded && (current === undefined || !this.#canReplace(current))) return current
    return this.#prepare(request)
  }

  /** Tokens that meet the need, obtained once for everyone who has the same. */
  async renew(need: Need, request: Waiting): Promise<TokenRecord> {
    // What was under way already may serve another need than ours.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const current = this.#current
      if (current !== undefined && isMetBy(current, need)) return current
      await this.#joinOrStart((flight) => this.#obtain(need, flight)).join(request)
    }
    throw fail('request', 'unauthorized', 'The server asks for other tokens than can be had')
  }

  /** The server took the token. */
  accept(): void {
    this.#limits.noteAcceptance()
  }

  async #prepare(request: Waiting): Promise<TokenRecord | undefined> {
    await this.#joinOrStart((flight) => this.#replaceExpiring(flight)).join(request)
    return this.#current
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

  /** Whether expiring tokens can be replaced without asking anybody. */
  #canReplace(tokens: TokenRecord): boolean {
    return tokens.refreshToken !== undefined || !this.#options.grant.isInteractive
  }

  async #replaceExpiring(flight: Flight<void>): Promise<void> {
    await this.#load()
    const known = this.#current
    if (known === undefined || !isExpiring(known) || !this.#canReplace(known)) return
    const need: Need = { rejected: known.accessToken, challenge: undefined, moreScopes: [] }
    if (await this.#adoptStored(known, need)) return
    const server = await this.#serverOf(known, flight.signal)
    if (await this.#refresh(known, need, server, flight.signal)) return
    if (this.#options.grant.isInteractive) return
    await this.#logIn(need, { server, resource: known.resource, resourceScopes: undefined }, flight)
  }

  async #obtain(need: Need, flight: Flight<void>): Promise<void> {
    if (this.#current === undefined) await this.#load(true)
    if (this.#current !== undefined && (await this.#adoptStored(this.#current, need))) return
    const discovery = await this.#discover(need, flight.signal)
    const { server } = discovery
    const known = this.#current
    if (known !== undefined && isMetBy(known, need)) return
    const mayRefresh = need.moreScopes.length === 0 && !this.#limits.isRefreshInVain(need.rejected)
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

  /** Another process may have what we need. */
  async #adoptStored(known: TokenRecord, need: Need): Promise<boolean> {
    const stored = await this.#options.records.tokens(known.issuer)
    if (stored === undefined || stored.accessToken === known.accessToken) return false
    if (isExpiring(stored) || !isMetBy(stored, need) || !this.#isUsable(stored)) return false
    await this.#adopt(stored)
    return true
  }

  #expectedIssuer(): string | undefined {
    const { issuer } = this.#options.grant
    return issuer === DISCOVERED ? this.#trustedIssuer : issuer
  }

  /** The server that issued these tokens, which is the only one to be shown their refresh token. */
  async #serverOf({ issuer }: TokenRecord, signal: AbortSignal): Promise<AuthorizationServerMetadata> {
    const { http, url } = this.#options
    if (this.#server?.issuer === issuer) return this.#server
    this.#server = isOwnIssuer(issuer, url)
      ? await findOwnServer(http, url, signal)
      : await findServerMetadata(http, issuer, signal)
    return this.#server
  }

  /** Anew whenever the resource has refused something: it may have changed its authorization server. */
  async #discover(need: Need, signal: AbortSignal): Promise<Discovery> {
    const { http, url, metadataOrigins } = this.#options
    const preferredIssuer = this.#current?.issuer
    const options = { issuer: this.#expectedIssuer(), preferredIssuer, metadataOrigins }
    const discovery = await discover(http, url, need.challenge, options, signal)
    const { issuer } = discovery.server
    this.#server = discovery.server
    this.#trustedIssuer ??= issuer
    if (this.#current?.issuer !== issuer) {
      // Spec: what one authorization server issued is of no use with another, and never shown to it.
      this.#current = undefined
      await this.#loadTokens(issuer)
    }
    return discovery
  }

  /** Whether a refresh, ours or another process's, gave tokens; `false` where only a new login can. */
  #refresh(known: TokenRecord, need: Need, server: AuthorizationServerMetadata, signal: AbortSignal): Promise<boolean> {
    const { records } = this.#options
    return records.lockTokens(known.issuer, async () => {
      if (await this.#adoptStored(known, need)) return true
      const stored = await records.tokens(known.issuer)
      const latest = stored?.refreshToken === undefined ? known : stored
      try {
        return await this.#redeem(latest, server, signal)
      } catch (error) {
        if (!isRefusal(error)) throw error
        // Without a lock another process may have used the same refresh token before us.
        if (await this.#adoptStored(known, need)) return true
        await this.#dropRefused(error.code, known)
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
    this.#limits.noteRefresh(tokens.accessToken)
    await this.#keep(tokens)
    return true
  }

  async #dropRefused(code: string, known: TokenRecord): Promise<void> {
    const { records } = this.#options
    if (code === 'invalid_client' || code === 'unauthorized_client') await records.dropRegistration(known.issuer)
    if (code !== 'invalid_grant') return
    // Its scopes stay known: the next login asks for no less.
    this.#current = { ...known, refreshToken: undefined }
    await records.dropTokens(known.issuer)
  }

  async #logIn(need: Need, discovery: Discovery, flight: Flight<void>): Promise<void> {
    const { grant, http, records, sendsResource } = this.#options
    this.#limits.assertHelpful(need)
    if (this.#dpop !== undefined) checkDpopSupport(discovery.server.dpop_signing_alg_values_supported)
    const scopes = this.#scopesFor(need, discovery)
    if (grant.isInteractive) flight.waitForPerson()
    const { tokens, clientId } = await grant.obtain({
      http,
      discovery,
      resource: sendsResource ? discovery.resource : undefined,
      scopes,
      dpop: this.#dpop,
      records,
      signal: flight.signal,
      whilePersonActs: (act) => flight.whilePersonActs(act),
    })
    this.#limits.noteLogin(need)
    await this.#keep({
      ...tokens,
      issuer: discovery.server.issuer,
      resource: discovery.resource,
      clientId,
      requestedScopes: scopes,
      dpopKey: this.#dpop?.jwk,
    })
  }

  #scopesFor(need: Need, discovery: Discovery): string[] {
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

  async #keep(tokens: TokenRecord): Promise<void> {
    this.#current = tokens
    await this.#options.records.saveTokens(tokens)
  }
}

interface Need {
  /** The access token that the server did not take, or that is about to expire. */
  readonly rejected: string | undefined
  readonly challenge: AccessChallenge | undefined
  /** Asked for by a challenge of `insufficient_scope`. */
  readonly moreScopes: readonly string[]
}

function isMetBy(tokens: TokenRecord, need: Need): boolean {
  if (tokens.accessToken === need.rejected) return false
  return need.moreScopes.every((scope) => tokens.requestedScopes.includes(scope))
}
