// Redirects of requests with credentials and bodies: they never leave the origin of the request.
import { withHelp } from '../primitives/help.ts'
import { TransportError } from '../types/errors/failures.ts'
import { displayUrl } from './display-url.ts'
import type { Poster, PostRequest, PostResponse } from './poster.ts'

const MAX_REDIRECTS = 5
const MAX_LOCATION_LENGTH = 8_192
const MAX_SHOWN = 200
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** These repeat the request as it was; the others may turn a POST into a GET and lose its body. */
const METHOD_PRESERVING = new Set([307, 308])

/**
 * Follows at most five redirects within the origin of the request. Rejects with `TransportError` where one leads to another
 * origin, would lose the body, or has no valid target.
 */
export function followRedirects(poster: Poster): Poster {
  const following: Poster = (request) => {
    const response = poster(request)
    return response.then((first) => (REDIRECTS.has(first.status) ? follow(poster, request, first) : first))
  }
  following.close = () => poster.close?.()
  return following
}

async function follow(poster: Poster, request: PostRequest, first: PostResponse): Promise<PostResponse> {
  let response = first
  let { url } = request
  for (let hops = 0; REDIRECTS.has(response.status); hops++) {
    response.cancel()
    if (hops === MAX_REDIRECTS) throw redirectError(request, response, `it redirected more than ${MAX_REDIRECTS} times`)
    url = nextUrl(request, response, url)
    response = await poster({ ...request, url })
  }
  return response
}

function nextUrl(request: PostRequest, response: PostResponse, from: string): string {
  const { status } = response
  if (status === 303) throw redirectError(request, response, 'it points to another resource instead of answering')
  if (request.method !== 'GET' && !METHOD_PRESERVING.has(status)) {
    throw redirectError(request, response, `a redirect of this kind would turn a ${request.method} into a GET`)
  }
  const location = response.header('location')
  if (location === undefined || location.length > MAX_LOCATION_LENGTH || !URL.canParse(location, from)) {
    throw redirectError(request, response, 'its Location header is missing or not a URL')
  }
  const target = new URL(location, from)
  if (target.origin !== new URL(request.url).origin) {
    throw redirectError(request, response, 'that is another origin, which must not see this request')
  }
  if (target.username !== '' || target.password !== '') {
    throw redirectError(request, response, 'its Location header has credentials')
  }
  return target.href
}

function redirectError(request: PostRequest, response: PostResponse, reason: string): TransportError {
  const location = response.header('location')
  const to =
    location && URL.canParse(location, response.url)
      ? ` to ${displayUrl(new URL(location, response.url).href).slice(0, MAX_SHOWN)}`
      : ''
  return withHelp(
    'redirect-refused',
    new TransportError(
      `The redirect (HTTP ${response.status}) of ${displayUrl(request.url)}${to} was not followed: ${reason}. Use the final URL.`,
      { status: response.status },
    ),
  )
}
