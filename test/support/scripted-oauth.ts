// A protected resource and its authorization server, both played in process behind a poster, and both easy to turn hostile.
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Poster, PostRequest, PostResponse } from '../../src/http/poster.ts'
import { LimitError, TransportError } from '../../src/types/errors/failures.ts'

export interface ScriptedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body as a form. */
  readonly form: URLSearchParams
  readonly allowsAddress: ((address: string) => boolean) | undefined
}

export interface ScriptedReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Route = (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>

interface Code {
  readonly parameters: URLSearchParams
}

export interface ScriptedOptions {
  readonly resource?: string
  readonly issuer?: string
}

/** A well-behaved pair unless a test changes its documents or replaces one of its routes. */
export class ScriptedOAuth {
  readonly resource: string
  readonly issuer: string
  readonly requests: ScriptedRequest[] = []
  /** Replaces what answers, by method and URL without query, as in `GET https://as.example.com/token`. */
  readonly routes = new Map<string, Route>()
  readonly resourceMetadata: Record<string, unknown>
  readonly serverMetadata: Record<string, unknown>
  /** Scopes that the resource asks for in its challenges; a token without them gets 403. */
  requiredScopes: string[] = []
  /** Seconds. */
  expiresIn: unknown = 3600
  givesRefreshTokens = true
  /** What the authorization page adds to its callback. */
  callbackExtras: Record<string, string> = {}
  authorizations: URL[] = []
  readonly accessTokens = new Map<string, string[]>()
  readonly refreshTokens = new Set<string>()
  readonly usedRefreshTokens = new Set<string>()
  readonly clients = new Map<string, Record<string, unknown>>()
  replays = 0
  readonly #codes = new Map<string, Code>()

  constructor(options: ScriptedOptions = {}) {
    this.resource = options.resource ?? 'https://mcp.example.com/mcp'
    this.issuer = options.issuer ?? 'https://as.example.com'
    this.resourceMetadata = { resource: this.resource, authorization_servers: [this.issuer] }
    this.serverMetadata = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    }
    this.callbackExtras = { iss: this.issuer }
  }

  readonly poster: Poster = async (request) => {
    const reply = await this.answer(toScripted(request))
    request.signal?.throwIfAborted()
    return toPostResponse(reply, request.url)
  }

  async answer(request: ScriptedRequest): Promise<ScriptedReply> {
    this.requests.push(request)
    const place = `${request.url.origin}${request.url.pathname}`
    const replaced = this.routes.get(`${request.method} ${place}`)
    if (replaced !== undefined) return replaced(request)
    const { origin, pathname } = new URL(this.resource)
    const as = new URL(this.issuer)
    if (place === this.resource) return this.#answerResource(request)
    if (place === `${origin}/.well-known/oauth-protected-resource${pathname}`) return json(200, this.resourceMetadata)
    if (place === `${as.origin}/.well-known/oauth-authorization-server${as.pathname.replace(/\/$/, '')}`) {
      return json(200, this.serverMetadata)
    }
    if (place === this.serverMetadata['registration_endpoint']) return this.#register(request)
    if (place === this.serverMetadata['token_endpoint']) return this.issueTokens(request)
    return json(404, { error: 'not_found' })
  }

  /** Plays the browser and a user who agrees: the URL that it is sent back to. */
  browse(url: URL): URL {
    this.authorizations.push(url)
    const code = randomUUID()
    this.#codes.set(code, { parameters: url.searchParams })
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    for (const [name, value] of Object.entries(this.callbackExtras)) back.searchParams.set(name, value)
    return back
  }

  /** The token endpoint as it behaves by default. */
  issueTokens({ form }: ScriptedRequest): ScriptedReply {
    const grant = form.get('grant_type')
    if (grant === 'authorization_code') return this.#redeemCode(form)
    if (grant === 'refresh_token') return this.#redeemRefreshToken(form)
    return this.grantTokens(form.get('scope') ?? '')
  }

  grantTokens(scope: string): ScriptedReply {
    const accessToken = `access-${randomUUID()}`
    this.accessTokens.set(accessToken, scope.split(' '))
    const body: Record<string, unknown> = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: this.expiresIn,
    }
    if (scope !== '') body['scope'] = scope
    if (this.givesRefreshTokens) {
      const refreshToken = `refresh-${randomUUID()}`
      this.refreshTokens.add(refreshToken)
      body['refresh_token'] = refreshToken
    }
    return json(200, body)
  }

  /** Makes every access token so far worthless. */
  revokeAccess(): void {
    this.accessTokens.clear()
  }

  /** Requests whose URL ends like this, its query aside. */
  sent(ending: string): ScriptedRequest[] {
    return this.requests.filter(({ url }) => `${url.origin}${url.pathname}`.endsWith(ending))
  }

  /** Requests to the resource itself. */
  get calls(): ScriptedRequest[] {
    return this.requests.filter(({ url }) => `${url.origin}${url.pathname}` === this.resource)
  }

  challenge(error?: string): string {
    const { origin, pathname } = new URL(this.resource)
    const parts = [`resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}"`]
    if (this.requiredScopes.length > 0) parts.push(`scope="${this.requiredScopes.join(' ')}"`)
    if (error !== undefined) parts.push(`error="${error}"`)
    return `Bearer ${parts.join(', ')}`
  }

  #answerResource({ headers }: ScriptedRequest): ScriptedReply {
    const token = headers['authorization']?.replace(/^(Bearer|DPoP) /, '') ?? ''
    const scopes = this.accessTokens.get(token)
    if (scopes === undefined) return { status: 401, headers: { 'www-authenticate': this.challenge() } }
    if (this.requiredScopes.some((scope) => !scopes.includes(scope))) {
      return { status: 403, headers: { 'www-authenticate': this.challenge('insufficient_scope') } }
    }
    return json(200, { ok: true })
  }

  #register({ body }: ScriptedRequest): ScriptedReply {
    const clientId = `client-${randomUUID()}`
    const client = { client_id: clientId, ...(JSON.parse(body) as Record<string, unknown>) }
    this.clients.set(clientId, client)
    return json(201, client)
  }

  #redeemCode(form: URLSearchParams): ScriptedReply {
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    if (code === undefined) return json(400, { error: 'invalid_grant' })
    const digest = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const { parameters } = code
    const isRight =
      digest === parameters.get('code_challenge') &&
      form.get('redirect_uri') === parameters.get('redirect_uri') &&
      form.get('resource') === parameters.get('resource')
    return isRight ? this.grantTokens(parameters.get('scope') ?? '') : json(400, { error: 'invalid_grant' })
  }

  /** Rotates: a refresh token that comes twice costs everything that came of it. */
  #redeemRefreshToken(form: URLSearchParams): ScriptedReply {
    const refreshToken = form.get('refresh_token') ?? ''
    if (this.usedRefreshTokens.has(refreshToken)) {
      this.replays += 1
      this.refreshTokens.clear()
    }
    if (!this.refreshTokens.delete(refreshToken)) return json(400, { error: 'invalid_grant' })
    this.usedRefreshTokens.add(refreshToken)
    return this.grantTokens(form.get('scope') ?? '')
  }
}

export function json(status: number, body: unknown): ScriptedReply {
  return { status, headers: { 'content-type': 'application/json' }, body }
}

export interface ServedOAuth extends AsyncDisposable {
  readonly oauth: ScriptedOAuth
}

/** The same pair on a real port of this machine, for tests with several processes. */
export async function serveScriptedOAuth(): Promise<ServedOAuth> {
  let oauth: ScriptedOAuth | undefined
  const server = createServer(async (incoming, response) => {
    const { port } = server.address() as AddressInfo
    const url = new URL(incoming.url ?? '/', `http://127.0.0.1:${port}`)
    const body = await readBody(incoming)
    const headers = incoming.headers as Record<string, string>
    const request = { method: incoming.method ?? '', url, headers, body, form: new URLSearchParams(body) }
    const reply = await oauth?.answer({ ...request, allowsAddress: undefined })
    response.writeHead(reply?.status ?? 500, { ...reply?.headers })
    response.end(textOf(reply?.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  oauth = new ScriptedOAuth({ resource: `${origin}/mcp`, issuer: `${origin}/as` })
  return {
    oauth,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function toScripted({ method, url, headers, body = '', allowsAddress }: PostRequest): ScriptedRequest {
  return { method, url: new URL(url), headers, body, form: new URLSearchParams(body), allowsAddress }
}

function textOf(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function toPostResponse({ status, headers = {}, body }: ScriptedReply, url: string): PostResponse {
  const text = textOf(body)
  return {
    status,
    url,
    header: (name) => headers[name],
    text: async (limit) => {
      if (text.length > limit) throw new LimitError('bodyBytes', limit)
      return text
    },
    chunks: () => {
      throw new TransportError('not played')
    },
    cancel: () => {},
  }
}
