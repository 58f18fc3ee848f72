// Bearer tokens on requests: only to the origin they belong to, and not over plain http to other machines.
import { typeError } from '../primitives/help.ts'
import { TransportError } from '../types/errors/failures.ts'
import { isLoopbackHost } from './hosts.ts'
import {
  type AuthProvider,
  cancelReasonOf,
  isRequestCancelled,
  type Poster,
  type PostRequest,
  type PostResponse,
} from './poster.ts'

/** A token, a function that returns the current one, or something that obtains them, as OAuth does. */
export type HttpAuth = string | (() => string | undefined | Promise<string | undefined>) | AuthProvider

interface AuthOptions {
  /** Sends tokens over plain http to other machines, where the network can read them. */
  allowInsecureAuth?: boolean
}

/** RFC 6750: what may follow `Bearer`, and some characters more. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/

/**
 * A poster that adds a token to requests to the origin of `resource`. Throws `TransportError` where the token would be sent
 * unencrypted to another machine.
 */
export function withAuth(poster: Poster, auth: HttpAuth | undefined, resource: URL, options: AuthOptions = {}): Poster {
  if (auth === undefined) return poster
  assertConfidential(resource, options)
  if (typeof auth === 'object') return auth.authorize(poster, resource)
  if (typeof auth === 'string') checkToken(auth)
  return addToken(poster, auth, resource.origin)
}

function addToken(poster: Poster, auth: Exclude<HttpAuth, AuthProvider>, origin: string): Poster {
  // The last URL of this origin: most requests go to the same one.
  let ownUrl: string | undefined
  const authorized: Poster = (request) => {
    if (request.url !== ownUrl) {
      if (new URL(request.url).origin !== origin) return poster(request)
      ownUrl = request.url
    }
    if (typeof auth === 'string') return poster(withToken(request, auth))
    return sendWithCurrent(poster, request, auth)
  }
  authorized.close = () => poster.close?.()
  return authorized
}

async function sendWithCurrent(
  poster: Poster,
  request: PostRequest,
  current: () => string | undefined | Promise<string | undefined>,
): Promise<PostResponse> {
  const token = await current()
  if (isRequestCancelled(request)) throw cancelReasonOf(request)
  if (token === undefined) return poster(request)
  checkToken(token)
  return poster(withToken(request, token))
}

/** An `Authorization` header of the caller replaces the token. */
function withToken(request: PostRequest, token: string): PostRequest {
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } }
}

function checkToken(token: unknown): void {
  if (typeof token === 'string' && TOKEN.test(token)) return
  throw typeError(
    'bad-header',
    'The token is empty, or has a character that a header cannot hold. Pass it without "Bearer ".',
  )
}

function assertConfidential(resource: URL, { allowInsecureAuth = false }: AuthOptions): void {
  if (resource.protocol === 'https:' || isLoopbackHost(resource.hostname) || allowInsecureAuth) return
  throw new TransportError(
    `The token was not sent to ${resource.origin}: over plain http, others on the network can read it. ` +
      'Use https, or set allowInsecureAuth where the network itself is trusted.',
  )
}
