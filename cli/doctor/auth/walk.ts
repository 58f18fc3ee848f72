// Walks the authorization of a server as a login does, up to the login page, and records every request on the way.
import { Client, OAuthError } from 'mcpwire'
import type { AuthProvider, OAuthOptions } from 'mcpwire/auth'
import { isPlainObject } from '../../terminal/primitives.ts'

type Poster = Parameters<AuthProvider['authorize']>[0]
type PostResponse = Awaited<ReturnType<Poster>>

export interface WalkRequest {
  readonly method: string
  readonly url: string
  /** `undefined` where there was no answer. */
  readonly status: number | undefined
}

export interface Walk {
  /** Requests for metadata, in their order. */
  readonly requests: readonly WalkRequest[]
  /** The challenge of the server. */
  readonly challenge: string | undefined
  /** RFC 9728, of the resource. */
  readonly resource: Record<string, unknown> | undefined
  /** RFC 8414 or OpenID Connect, of the authorization server. */
  readonly server: Record<string, unknown> | undefined
  /** The login page, where the walk came so far. */
  readonly loginPage: URL | undefined
  /** Why it did not. */
  readonly error: OAuthError | undefined
  /** Where that has nothing to do with the documents. */
  readonly failure: unknown
}

export interface WalkOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The options of a login that are known already. */
  readonly login: OAuthOptions
  readonly ms: number
}

/** The documents of a login, each within its own limit: three of the resource, three of the authorization server, and a request. */
const REQUESTS = 7

/** Stands for a client that is registered, so that the walk registers none. */
const NO_CLIENT = 'mcpwire-doctor'

class LoginPageReached extends Error {}

/** Never rejects for what is wrong with the authorization; other failures of the connection are left to other steps. */
export async function walkAuthorization({ url, headers, login, ms }: WalkOptions, signal: AbortSignal): Promise<Walk> {
  const record = new WalkRecord(url)
  const { oauth } = await import('mcpwire/auth')
  const provider = oauth({
    ...login,
    client: login.client ?? { id: NO_CLIENT },
    requestTimeoutMs: ms,
    redirectUri: login.redirectUri ?? 'http://127.0.0.1/callback',
    redirect: (page) => {
      record.loginPage = page
      throw new LoginPageReached()
    },
    callback: () => Promise.reject(new LoginPageReached()),
  })
  const client = new Client(url, {
    headers,
    connectTimeoutMs: ms * REQUESTS,
    auth: { authorize: (poster, resource) => provider.authorize(record.watch(poster), resource) },
    onFault: () => {},
  })
  const stop = () => void client.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await client.open()
  } catch (error) {
    signal.throwIfAborted()
    record.error = findOAuthError(error)
    record.failure = error
  } finally {
    signal.removeEventListener('abort', stop)
    await client.close()
  }
  return record.result
}

class WalkRecord {
  readonly #url: string
  readonly #requests: WalkRequest[] = []
  #challenge: string | undefined
  #resource: Record<string, unknown> | undefined
  #server: Record<string, unknown> | undefined
  loginPage: URL | undefined
  error: OAuthError | undefined
  failure: unknown

  constructor(url: string) {
    this.#url = url
  }

  get result(): Walk {
    return {
      requests: this.#requests,
      challenge: this.#challenge,
      resource: this.#resource,
      server: this.#server,
      loginPage: this.loginPage,
      error: this.loginPage === undefined ? this.error : undefined,
      failure: this.loginPage === undefined && this.error === undefined ? this.failure : undefined,
    }
  }

  watch(poster: Poster): Poster {
    return async (request) => {
      const { method, url } = request
      const isServer = url === this.#url
      let response: PostResponse
      try {
        response = await poster(request)
      } catch (error) {
        if (!isServer) this.#requests.push({ method, url, status: undefined })
        throw error
      }
      if (isServer) this.#challenge ??= response.header('www-authenticate')
      else this.#requests.push({ method, url, status: response.status })
      return isServer ? response : this.#watchBody(response)
    }
  }

  #watchBody(response: PostResponse): PostResponse {
    return {
      status: response.status,
      url: response.url,
      header: (name) => response.header(name),
      chunks: () => response.chunks(),
      cancel: () => response.cancel(),
      text: async (limit) => {
        const body = await response.text(limit)
        if (response.status === 200) this.#read(body)
        return body
      },
    }
  }

  #read(body: string): void {
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return
    }
    if (!isPlainObject(value)) return
    if (typeof value['issuer'] === 'string') this.#server = value
    else if (typeof value['resource'] === 'string') this.#resource = value
  }
}

function findOAuthError(error: unknown): OAuthError | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof OAuthError) return at
  }
  return undefined
}
