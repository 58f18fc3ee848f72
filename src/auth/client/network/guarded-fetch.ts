// All HTTP requests of an authorization: by the transport's poster, to allowed URLs only, limited in time, size and depth.
import type { Poster, PostRequest, PostResponse } from '../../../http/poster.ts'
import { followRedirects } from '../../../http/redirects.ts'
import { findBreach } from '../../../primitives/json/json-scan.ts'
import { LimitError, type OAuthStep } from '../../../types/errors/failures.ts'
import { withinDeadline } from './deadline.ts'
import { displayUrl, oauthFailure, toOAuthError } from './failure.ts'
import { type NetworkPolicy, privateAddressError } from './network-policy.ts'

const MAX_RESPONSE_BYTES = 1024 * 1024
const STRUCTURE = { maxDepth: 32, maxElements: 20_000 }
const KEPT_HEADERS = ['content-type', 'www-authenticate', 'dpop-nonce', 'retry-after']

export interface FetchInit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface GuardedFetch {
  readonly policy: NetworkPolicy
  /** One request of a step. Resolves for every status, with the body read; rejects with `OAuthError`. */
  request(step: OAuthStep, url: string, init: FetchInit, signal: AbortSignal): Promise<Response>
}

export function createGuardedFetch(poster: Poster, policy: NetworkPolicy, timeoutMs: number): GuardedFetch {
  const following = followRedirects(poster)

  async function request(step: OAuthStep, url: string, init: FetchInit, signal: AbortSignal): Promise<Response> {
    const what = `The request to ${displayUrl(url)}`
    const target = policy.check(url, 'The URL', step)
    const filter = policy.addressFilter(target)
    let isPrivate = false
    const allowsAddress = (address: string) => {
      const isAllowed = filter?.(address) !== false
      isPrivate ||= !isAllowed
      return isAllowed
    }
    const createTimeout = () => oauthFailure(step, 'timeout', `${what} got no response within ${timeoutMs} ms`)
    try {
      return await withinDeadline(signal, timeoutMs, createTimeout, (bounded) => {
        // `allowsAddress` is always set, because it requires a new connection: a server may close a kept one, and a code or
        // refresh token that was sent on it can't be sent again.
        return sendLimited(following, { allowsAddress, ...toPostRequest(target, init, bounded) })
      })
    } catch (error) {
      throw isPrivate ? privateAddressError(target, 'The URL', step, error) : toOAuthError(step, error, what)
    }
  }

  return { policy, request }
}

async function sendLimited(poster: Poster, request: PostRequest): Promise<Response> {
  const response = await poster(request)
  const text = await response.text(MAX_RESPONSE_BYTES)
  const breach = findBreach(new TextEncoder().encode(text), STRUCTURE)
  if (breach !== undefined) throw new LimitError(breach, STRUCTURE[breach])
  return toWebResponse(response, text)
}

function toWebResponse(response: PostResponse, text: string): Response {
  const headers = new Headers()
  for (const name of KEPT_HEADERS) {
    const value = response.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { status } = response
  // The constructor throws for a body with these statuses, and for a status outside 200 to 599.
  if (status < 200 || status > 599 || status === 204 || status === 205 || status === 304) {
    return new Response(null, { status: status < 200 || status > 599 ? 502 : status, headers })
  }
  return new Response(text, { status, headers })
}

function toPostRequest(url: URL, init: FetchInit, signal: AbortSignal): PostRequest {
  return {
    method: init.method === 'POST' ? 'POST' : 'GET',
    url: url.href,
    headers: { ...init.headers },
    ...(init.body !== undefined && init.body !== null && { body: String(init.body) }),
    signal,
  }
}
