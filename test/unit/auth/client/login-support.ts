// A provider whose user logs in at the scripted authorization server, and the requests that make it do so.
import { type OAuthOptions, oauth } from 'mcpwire/auth'
import type { AuthProvider, Poster, PostResponse } from '../../../../src/http/poster.ts'
import { ScriptedOAuth } from '../../../support/scripted-oauth.ts'

export const REDIRECT_URI = 'http://127.0.0.1:4711/callback'

/** `oauth()` with a browser that is played by `as`. */
export function browsingProvider(as: ScriptedOAuth, options: OAuthOptions = {}): AuthProvider {
  let back: URL | undefined
  return oauth({
    redirectUri: REDIRECT_URI,
    redirect: (url) => {
      back = as.browse(url)
    },
    callback: async () => back ?? new URLSearchParams(),
    ...options,
  })
}

export interface Caller {
  readonly as: ScriptedOAuth
  readonly poster: Poster
  call(signal?: AbortSignal): Promise<PostResponse>
}

/** A poster for the resource of `as`, authorized by the provider. */
export function createCaller(as: ScriptedOAuth, provider: AuthProvider): Caller {
  const poster = provider.authorize(as.poster, new URL(as.resource))
  return {
    as,
    poster,
    call: (signal) =>
      poster({ method: 'POST', url: as.resource, headers: {}, body: '{}', ...(signal !== undefined && { signal }) }),
  }
}

/** A pair of server and caller, with the server changed first. */
export function setUp(change: (as: ScriptedOAuth) => void = () => {}, options: OAuthOptions = {}): Caller {
  const as = new ScriptedOAuth()
  change(as)
  return createCaller(as, browsingProvider(as, options))
}
