// Sends a request, and follows redirects as far as they stay at the API.
import type { Poster, PostResponse } from '../../http/poster.ts'
import type { Base } from '../operations/servers.ts'
import type { BuiltRequest } from '../request/plan.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** What is said of a redirect that is not followed. */
export class RedirectRefusal extends Error {}

/** Follows redirects of GET within the origin; everything else would send credentials or bodies elsewhere. */
export async function send(
  poster: Poster,
  request: BuiltRequest,
  base: Base,
  signal: AbortSignal,
): Promise<PostResponse> {
  let { url } = request
  const { method, headers, body } = request
  for (let hops = 0; ; hops++) {
    const response = await poster({
      method,
      url,
      headers,
      ...(typeof body === 'string' ? { body } : body !== undefined && { bytes: body }),
      signal,
      ...(base.allowsAddress !== undefined && { allowsAddress: base.allowsAddress }),
    })
    if (!REDIRECTS.has(response.status)) {
      if ((response.status >= 200 && response.status < 300) || response.status >= 400) return response
      response.cancel()
      throw new RedirectRefusal(`The API answered HTTP ${response.status}, which does not answer this request.`)
    }
    const location = response.header('location') ?? ''
    response.cancel()
    url = followed(url, location, { method, status: response.status, hops, origin: base.origin })
  }
}

function followed(
  from: string,
  location: string,
  { method, status, hops, origin }: { method: string; status: number; hops: number; origin: string },
): string {
  const refuse = (reason: string) =>
    new RedirectRefusal(`The API answered with a redirect (HTTP ${status}) that was not followed: ${reason}.`)
  if (location === '' || location.length > 8_192 || !URL.canParse(location, from)) throw refuse('it names no address')
  const target = new URL(location, from)
  if (target.origin !== origin) throw refuse(`it leads to another origin, ${target.origin}`)
  if (target.username !== '' || target.password !== '') throw refuse('its address has credentials')
  if (method !== 'GET' && method !== 'HEAD') throw refuse(`only redirects of GET are followed, and this is a ${method}`)
  if (hops >= MAX_REDIRECTS) throw refuse(`there were more than ${MAX_REDIRECTS} in a row`)
  return target.href
}
