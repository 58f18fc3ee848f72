// Sees every HTTP exchange of a connection, those of its authorization included, and hides the secrets in them.
import type { AuthProvider } from 'mcpwire/auth'
import type { NewEntry } from '../../protocol/entries.ts'
import { maskHeader, maskHeaders, maskUrl } from '../log/mask.ts'

type Poster = Parameters<AuthProvider['authorize']>[0]
type PostRequest = Parameters<Poster>[0]
type PostResponse = Awaited<ReturnType<Poster>>

export interface HttpTapOptions {
  readonly connection: string
  readonly add: (entry: NewEntry) => void
  /** Called with the status of each answer of the server itself. */
  readonly onStatus: (status: number) => void
}

/** Adds what `inner` adds, and shows what is sent and received. */
export function tapHttp(inner: AuthProvider | undefined, options: HttpTapOptions): AuthProvider {
  return {
    authorize(poster, resource) {
      const tapped: Poster = (request) => observe(poster, request, resource, options)
      tapped.close = () => poster.close?.()
      return inner?.authorize(tapped, resource) ?? tapped
    },
  }
}

async function observe(
  poster: Poster,
  request: PostRequest,
  resource: URL,
  options: HttpTapOptions,
): Promise<PostResponse> {
  const { connection, add, onStatus } = options
  const started = performance.now()
  const isOwn = request.url.split('?')[0] === resource.href.split('?')[0]
  const base = {
    type: 'http',
    connection,
    method: request.method,
    url: maskUrl(request.url),
    requestHeaders: maskHeaders(request.headers),
  } as const
  try {
    const response = await poster(request)
    const ms = performance.now() - started
    add({ ...base, ms, status: response.status, responseHeaders: headersOf(response) })
    const auth = authStepOf(request, response, isOwn)
    if (auth !== undefined) add({ type: 'auth', connection, url: base.url, status: response.status, ...auth })
    if (isOwn) onStatus(response.status)
    return response
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    add({ ...base, ms: performance.now() - started, responseHeaders: {}, problem })
    const auth = isOwn ? undefined : describeStep(request)
    if (auth !== undefined) {
      add({ type: 'auth', connection, url: base.url, step: auth.step, note: problem, isFailure: true })
    }
    throw error
  }
}

/** A response gives its headers by name only. */
const RESPONSE_HEADERS = [
  'allow',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'location',
  'mcp-protocol-version',
  'mcp-session-id',
  'retry-after',
  'server',
  'www-authenticate',
]

function headersOf(response: PostResponse): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of RESPONSE_HEADERS) {
    const value = response.header(name)
    if (value !== undefined) headers[name] = maskHeader(name, value)
  }
  return headers
}

interface AuthStep {
  step: string
  note: string
  isFailure?: true
}

function authStepOf(request: PostRequest, response: PostResponse, isOwn: boolean): AuthStep | undefined {
  const { status } = response
  if (isOwn) {
    const challenge = response.header('www-authenticate')
    if (status === 401)
      return { step: 'Challenge', note: challenge ?? 'The server asks for a token and names no metadata.' }
    if (status === 403 && challenge !== undefined) return { step: 'Step-up', note: challenge }
    return undefined
  }
  const described = describeStep(request)
  if (described === undefined) return undefined
  const isMissing = status === 404
  if (status < 400) return described
  return {
    step: described.step,
    note: isMissing ? `${described.note} Not there: the next address is tried.` : `${described.note} Refused.`,
    ...(!isMissing && { isFailure: true }),
  }
}

/** What a request to another address than the server's own is for. */
function describeStep({ url, method, body }: PostRequest): AuthStep | undefined {
  const { pathname } = new URL(url)
  if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
    return { step: 'Resource metadata', note: 'Which authorization servers the resource trusts.' }
  }
  if (/\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(pathname)) {
    return { step: 'Server metadata', note: 'What the authorization server offers, and where.' }
  }
  if (method !== 'POST' || body === undefined) return undefined
  const grant = /(?:^|&)grant_type=([^&]*)/.exec(body)?.[1]
  if (grant === 'refresh_token') return { step: 'Refresh', note: 'A new access token for a refresh token.' }
  if (grant !== undefined) return { step: 'Token', note: `Tokens by the grant ${decodeURIComponent(grant)}.` }
  if (body.includes('"redirect_uris"')) {
    return { step: 'Registration', note: 'This client registers itself, because it has no client ID yet.' }
  }
  return undefined
}
