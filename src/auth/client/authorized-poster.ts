// A poster around a poster: adds the token, and gets another where the server wants another, a fixed number of times.
import type { Poster, PostRequest, PostResponse } from '../../http/poster.ts'
import { OAuthError } from '../../types/errors/failures.ts'
import { type AccessChallenge, parseScopes, readAccessChallenge } from './login/challenge.ts'
import type { TokenSource } from './token-source.ts'
import { postWithProof } from './tokens/dpop.ts'
import type { TokenRecord } from './tokens/token-store.ts'

/** What one request may still cause: tokens of another process, a refresh and a login; one step-up; one nonce. */
interface Budget {
  renewals: number
  stepUps: number
  nonces: number
}

/** Sends the tokens of `source` to one origin and to no other. */
export function authorizePoster(poster: Poster, source: TokenSource, origin: string): Poster {
  // The last URL that was found to be of this origin: most requests go to one and the same.
  let ownUrl: string | undefined

  const authorized: Poster = (request) => {
    if (request.url !== ownUrl) {
      if (new URL(request.url).origin !== origin) return poster(request)
      ownUrl = request.url
    }
    const tokens = source.current(request)
    return tokens instanceof Promise ? tokens.then((ready) => begin(request, ready)) : begin(request, tokens)
  }

  function begin(request: PostRequest, tokens: TokenRecord | undefined): Promise<PostResponse> {
    return send(request, tokens).then((response) => {
      if (response.status !== 401 && response.status !== 403) {
        source.accept()
        return response
      }
      return recover(request, response, tokens)
    })
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
        : await replace(request, tokens, challenge, budget)
      response = await send(request, tokens)
    }
  }

  async function replace(
    request: PostRequest,
    tokens: TokenRecord | undefined,
    challenge: AccessChallenge | undefined,
    budget: Budget,
  ): Promise<TokenRecord> {
    // RFC 9449, section 9: the token is good, the proof lacks the nonce that came with this very response.
    if (challenge?.error === 'use_dpop_nonce' && tokens !== undefined && budget.nonces > 0) {
      budget.nonces -= 1
      return tokens
    }
    if (budget.renewals === 0)
      throw refusal('unauthorized', 'The server refuses every token that can be had', challenge)
    budget.renewals -= 1
    return source.renew({ rejected: tokens?.accessToken, challenge, moreScopes: [] }, request)
  }

  /** Spec, Step-Up Authorization: only for scopes that were not asked for yet; those asked for and not given stay refused. */
  async function stepUp(
    request: PostRequest,
    tokens: TokenRecord | undefined,
    challenge: AccessChallenge,
    budget: Budget,
  ): Promise<TokenRecord> {
    const moreScopes = parseScopes(challenge.scope)
    const isNew = moreScopes.some((scope) => tokens?.requestedScopes.includes(scope) !== true)
    if (budget.stepUps === 0 || !isNew) {
      throw refusal(
        'insufficient_scope',
        `The token lacks the scopes that the server asks for: ${moreScopes.join(' ')}`,
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

function refusal(code: string, message: string, challenge: AccessChallenge | undefined): OAuthError {
  return new OAuthError(code, message, { step: 'request', challenge: challenge?.parameters ?? {} })
}
