// A poster that adds the access token to requests, and renews it a bounded number of times when the server rejects it.
import type { Poster, PostRequest, PostResponse } from '../../http/poster.ts'
import { type AccessChallenge, parseScopes, readAccessChallenge } from './login/challenge.ts'
import { challengeFailure } from './network/failure.ts'
import { type DpopKey, postWithProof } from './tokens/dpop.ts'
import type { WaitingRequest } from './tokens/flight.ts'
import type { TokenNeed } from './tokens/token-need.ts'
import type { TokenRecord } from './tokens/token-store.ts'

/** Where the tokens of a poster come from. */
export interface TokenSupply {
  /** The key that tokens are bound to, where they are. */
  readonly dpop: DpopKey | undefined
  /** The tokens for the next request; `undefined` if there are none and the server's challenge is needed first. */
  current(request: WaitingRequest): Promise<TokenRecord | undefined>
  /** Tokens that meet the need, obtained once for all requests with the same need. */
  renew(need: TokenNeed, request: WaitingRequest): Promise<TokenRecord>
  /** The server accepted the token. */
  accept(): void
}

/** What one request may still cause: three renewals (another process's tokens, a refresh, a login), one step-up, one nonce. */
interface Budget {
  renewals: number
  stepUps: number
  nonces: number
}

/** Sends the tokens of `source` only to `origin`. */
export function authorizePoster(poster: Poster, source: TokenSupply, origin: string): Poster {
  // The last URL that has this origin: most requests go to the same URL.
  let ownUrl: string | undefined

  const authorized: Poster = async (request) => {
    if (request.url !== ownUrl) {
      if (new URL(request.url).origin !== origin) return poster(request)
      ownUrl = request.url
    }
    const tokens = await source.current(request)
    const response = await send(request, tokens)
    if (response.status === 401 || response.status === 403) return recover(request, response, tokens)
    source.accept()
    return response
  }

  function send(request: PostRequest, tokens: TokenRecord | undefined): Promise<PostResponse> {
    if (tokens === undefined) return poster(request)
    const { dpop } = source
    if (dpop !== undefined) return postWithProof(poster, request, tokens.accessToken, dpop)
    return poster(withToken(request, tokens.accessToken))
  }

  async function recover(
    request: PostRequest,
    first: PostResponse,
    firstTokens: TokenRecord | undefined,
  ): Promise<PostResponse> {
    const budget: Budget = { renewals: 3, stepUps: 1, nonces: 1 }
    let response = first
    let tokens = firstTokens
    for (;;) {
      const challenge = readAccessChallenge(response.header('www-authenticate'))
      const isTooNarrow = response.status === 403 && challenge?.error === 'insufficient_scope'
      if (response.status !== 401 && !isTooNarrow) {
        source.accept()
        return response
      }
      response.cancel()
      tokens = isTooNarrow
        ? await stepUp(request, tokens, challenge, budget)
        : await renewTokens(request, tokens, challenge, budget)
      response = await send(request, tokens)
    }
  }

  async function renewTokens(
    request: PostRequest,
    tokens: TokenRecord | undefined,
    challenge: AccessChallenge | undefined,
    budget: Budget,
  ): Promise<TokenRecord> {
    // RFC 9449, section 9: the token is valid; the proof lacks the nonce of this response.
    if (challenge?.error === 'use_dpop_nonce' && tokens !== undefined && budget.nonces > 0) {
      budget.nonces -= 1
      return tokens
    }
    if (budget.renewals === 0)
      throw challengeFailure('unauthorized', 'The server rejects every token that could be obtained', challenge)
    budget.renewals -= 1
    return source.renew({ rejected: tokens?.accessToken, challenge, moreScopes: [] }, request)
  }

  /** Specification, Step-Up Authorization: only for scopes that were not requested yet. */
  async function stepUp(
    request: PostRequest,
    tokens: TokenRecord | undefined,
    challenge: AccessChallenge,
    budget: Budget,
  ): Promise<TokenRecord> {
    const moreScopes = parseScopes(challenge.scope)
    const isNew = moreScopes.some((scope) => tokens?.requestedScopes.includes(scope) !== true)
    if (budget.stepUps === 0 || !isNew) {
      throw challengeFailure(
        'insufficient_scope',
        `The token lacks scopes that the server requires: ${moreScopes.join(' ')}`,
        challenge,
      )
    }
    budget.stepUps -= 1
    return source.renew({ rejected: tokens?.accessToken, challenge, moreScopes }, request)
  }

  authorized.close = () => poster.close?.()
  return authorized
}

function withToken(request: PostRequest, token: string): PostRequest {
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } }
}
