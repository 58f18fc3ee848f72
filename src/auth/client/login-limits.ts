// Keeps a server that refuses whatever it gets from making somebody log in for ever.
import { OAuthError } from '../../types/failures.ts'
import type { Need } from './need.ts'

/** A login whose tokens no request was accepted with is not repeated for this long. */
const LOGIN_PAUSE_MS = 60_000
const MAX_STEP_UPS = 3

export class LoginLimits {
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
