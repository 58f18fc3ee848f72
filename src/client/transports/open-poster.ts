// Creates the poster of an HTTP transport: the runtime's HTTP client or the user's `fetch`, with redirects and authorization.
import { platform } from '#platform'
import { withAuth } from '../../http/bearer.ts'
import { createFetchPoster } from '../../http/fetch-poster.ts'
import type { Poster } from '../../http/poster.ts'
import { followRedirects } from '../../http/redirects.ts'
import type { HttpClientOptions } from './http-options.ts'

export interface OpenPoster {
  /** Follows redirects within the origin, and adds authorization. */
  readonly post: Poster
  /** Closes idle connections. Senders abort their own requests. */
  close(): void
}

export async function openPoster(resource: URL, options: HttpClientOptions): Promise<OpenPoster> {
  const { fetch, auth, allowInsecureAuth = false, maxConnections: maxSockets } = options
  const limits = maxSockets === undefined ? {} : { maxSockets }
  const own = fetch === undefined ? ((await platform.createPoster(limits)) as Poster | undefined) : undefined
  const poster = own ?? createFetchPoster(fetch)
  const post = withAuth(followRedirects(poster), auth, resource, { allowInsecureAuth })
  return { post, close: () => poster.close?.() }
}
