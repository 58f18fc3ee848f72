// Which tokens a request needs, and when another login can't provide them.
import type { AccessChallenge } from '../login/challenge.ts'
import { challengeFailure } from '../network/failure.ts'
import type { TokenRecord } from './token-store.ts'

/** The tokens that a request needs. */
export interface TokenNeed {
  /** The access token that the server rejected, or that is about to expire. */
  readonly rejected: string | undefined
  readonly challenge: AccessChallenge | undefined
  /** Required by an `insufficient_scope` challenge. */
  readonly moreScopes: readonly string[]
}

export function meetsNeed(tokens: TokenRecord, need: TokenNeed): boolean {
  if (tokens.accessToken === need.rejected) return false
  return need.moreScopes.every((scope) => tokens.requestedScopes.includes(scope))
}

/** A login whose tokens the server never accepted is not repeated for this long. */
const LOGIN_PAUSE_MS = 60_000
const MAX_STEP_UPS = 3

/** Decides whether another refresh or login can help, so that a server that rejects every token causes no endless logins. */
export class LoginLimits {
  #lastLoginAt = 0
  #isLastAccepted = true
  #stepUps = 0
  #unacceptedRefresh: string | undefined

  /** Whether the token came from a refresh and was never accepted, so that another refresh would not help. */
  isRefreshUseless(accessToken: string | undefined): boolean {
    return accessToken !== undefined && accessToken === this.#unacceptedRefresh
  }

  recordRefresh(accessToken: string): void {
    this.#unacceptedRefresh = accessToken
  }

  /** Throws `OAuthError` with the challenge if another login would not help. */
  assertLoginHelps(need: TokenNeed): void {
    if (need.moreScopes.length > 0) {
      if (this.#stepUps < MAX_STEP_UPS) return
      throw challengeFailure(
        'insufficient_scope',
        'The server keeps requiring further scopes; mcpwire requests no more',
        need.challenge,
      )
    }
    if (this.#isLastAccepted || Date.now() - this.#lastLoginAt > LOGIN_PAUSE_MS) return
    throw challengeFailure(
      'unauthorized',
      'The server rejects a token that is new. Check that it trusts this authorization server',
      need.challenge,
    )
  }

  recordLogin(need: TokenNeed): void {
    this.#lastLoginAt = Date.now()
    this.#isLastAccepted = false
    if (need.moreScopes.length > 0) this.#stepUps += 1
  }

  /** The server accepted a token, so earlier failures no longer count. */
  recordAcceptance(): void {
    this.#isLastAccepted = true
    this.#stepUps = 0
    this.#unacceptedRefresh = undefined
  }
}
