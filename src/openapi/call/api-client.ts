// One call of an API: arguments become a request, which goes to one origin only, within its time; the answer becomes a result.

import { platform } from '#platform'
import { rangeOfHost } from '../../auth/client/network/address-range.ts'
import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import { createFetchPoster } from '../../http/fetch-poster.ts'
import type { AuthProvider, Poster } from '../../http/poster.ts'
import { readRetryAfter } from '../../http/retry-after.ts'
import type { Context } from '../../mcpserver/handlers/context.ts'
import { limitTotalTime } from '../../primitives/async/abort.ts'
import { helpOf } from '../../primitives/help.ts'
import { serverOfRequest } from '../../server/context.ts'
import { OAuthError, ToolError, TransportError } from '../../types/errors/failures.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'
import { allowsAnyStructure } from '../../wire/revision-facts.ts'
import { OpenAPIError } from '../document/openapi-error.ts'
import type { OpenAPIOperation } from '../operations/collect.ts'
import type { Alternatives } from '../operations/security.ts'
import type { Base } from '../operations/servers.ts'
import { type BuiltRequest, buildRequest, type RequestPlan } from '../request/plan.ts'
import { ArgumentRefusal } from '../request/refusal.ts'
import type { StyleSettings } from '../request/styles.ts'
import { type CheckAddress, ClientTokens } from './client-tokens.ts'
import { type Applied, applyCredentials, headersFor, type OpenAPIAuth } from './credentials.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import { createHider, type Hider, isSecretHeader, secretsOfHeader } from './secrets.ts'
import { RedirectRefusal, send } from './send.ts'
import { askToSignIn } from './sign-in.ts'
import { failure, type ResultRules, textBlock, toFailure, toResult } from './to-result.ts'

/** Everything about an operation that a call needs. */
export interface OperationCall {
  readonly operation: OpenAPIOperation
  readonly base: Base
  readonly plan: RequestPlan
  readonly alternatives: Alternatives
  readonly fits: ResultRules['fits']
  readonly listsOutput: boolean
  readonly onMisfit: () => void
  /** The arguments of the next page, out of an answer. */
  readonly next?: ((answer: OpenAPIAnswer) => object | undefined) | undefined
}

/** An answer of the API, for `next`. */
export interface OpenAPIAnswer {
  /** The HTTP status. */
  readonly status: number
  /** The JSON value of the body, its text, or `undefined` for bytes and for no body. */
  readonly body: unknown
  /** The arguments of the call. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** A header by its lower-case name. */
  header(name: string): string | undefined
}

export interface ApiSettings {
  readonly auth: Readonly<Record<string, OpenAPIAuth>>
  readonly fetch: typeof globalThis.fetch | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly maxDownloadBytes: number
  readonly pick: ((body: unknown, operation: OpenAPIOperation) => unknown) | undefined
  readonly strictResponses: boolean
  readonly allowInsecureAuth: boolean
  readonly style: StyleSettings
}

const MAX_PROGRESS = 1_000

export class ApiClient {
  readonly #settings: ApiSettings
  readonly #checkAddress: CheckAddress
  readonly #tokens: ClientTokens
  readonly #authorized = new WeakMap<AuthProvider, Map<string, Poster>>()
  readonly #sent = new WeakMap<
    AbortSignal,
    { readonly headers: Readonly<Record<string, string>>; readonly secrets: string[] }
  >()
  #poster: Promise<Poster> | undefined

  constructor(settings: ApiSettings, checkAddress: CheckAddress) {
    this.#settings = settings
    this.#checkAddress = checkAddress
    this.#tokens = new ClientTokens(checkAddress)
  }

  /** Of a result, as text. */
  get maxBytes(): number {
    return this.#settings.maxBytes
  }

  async call(call: OperationCall, args: Record<string, unknown>, ctx: Context): Promise<CallToolResult> {
    const outcome = await this.request(call, args, ctx)
    return outcome instanceof Refused ? outcome.result : this.#toResult(call, args, outcome, ctx)
  }

  /** The answer, or a result that says why there is none. A user who has to sign in for it is asked to. */
  async request(call: OperationCall, args: Record<string, unknown>, ctx: Context): Promise<ReadAnswer | Refused> {
    try {
      return await this.#attempt(call, args, ctx)
    } catch (error) {
      const signIn = SignInRequired.find(error)
      if (signIn === undefined) throw error
      const refusal = await askToSignIn(ctx, signIn)
      return refusal === undefined ? this.#attempt(call, args, ctx, true) : new Refused(failure(refusal))
    }
  }

  /** Throws `SignInRequired`, the first time. */
  async #attempt(
    call: OperationCall,
    args: Record<string, unknown>,
    ctx: Context,
    isLast = false,
  ): Promise<ReadAnswer | Refused> {
    const { timeoutMs } = this.#settings
    const total = limitTotalTime(
      timeoutMs,
      ctx.signal,
      () => new ToolError(`The API did not answer within ${timeoutMs} ms.`),
    )
    let secrets: string[] = []
    try {
      const { base, plan } = call
      const built = buildRequest(plan, base.url, args, this.#settings.style)
      const applied = await applyCredentials(call, this.#settings.auth, ctx)
      secrets = this.#secretsFor(base, applied)
      const poster = await this.#posterFor(base, applied)
      const request = await this.#withCredentials(built, base, applied, secrets)
      const signal = total.signal ?? ctx.signal
      this.#sent.set(signal, { headers: request.headers, secrets })
      const response = await send(poster, request, base, signal)
      const isAborted = () => total.signal?.aborted === true && !ctx.signal.aborted
      const onItem = (count: number, text: string) =>
        void ctx.reportProgress(count, undefined, text.slice(0, MAX_PROGRESS)).catch(() => {})
      const { maxDownloadBytes } = this.#settings
      return await readAnswer(response, request.method, {
        maxDownloadBytes,
        onItem,
        hider: createHider(secrets),
        isAborted,
      })
    } catch (error) {
      if (ctx.signal.aborted) throw ctx.signal.reason
      if (!isLast && SignInRequired.find(error) !== undefined) throw error
      return this.#explain(error, call.operation, ctx, createHider(secrets))
    } finally {
      total.clear()
    }
  }

  #toResult(call: OperationCall, args: Record<string, unknown>, answer: ReadAnswer, ctx: Context): CallToolResult {
    if (answer.status >= 400) return toFailure(answer, readRetryAfter(answer.header('retry-after')))
    const { maxBytes, pick, strictResponses } = this.#settings
    const result = toResult(answer, {
      maxBytes,
      pick: pick === undefined ? undefined : (body) => pick(body, call.operation),
      fits: call.fits,
      onMisfit: call.onMisfit,
      isStrict: strictResponses,
      takesAnything: allowsAnyStructure(ctx.protocolVersion),
      listsOutput: call.listsOutput,
    })
    const next = call.next?.({
      status: answer.status,
      body: answer.json === undefined ? answer.text || undefined : answer.json.value,
      arguments: args,
      header: answer.header,
    })
    if (next === undefined) return result
    return {
      ...result,
      content: [...result.content, textBlock(`There is a next page. Its arguments: ${JSON.stringify(next)}`)],
    }
  }

  /** Headers of the author may hold a credential as well. */
  #secretsFor(base: Base, applied: Applied | undefined): string[] {
    const headers = Object.entries(headersFor(base, this.#settings.headers))
    const own = headers.flatMap(([name, value]) => (isSecretHeader(name) ? secretsOfHeader(name, value) : []))
    return [...own, ...(applied?.secrets ?? [])]
  }

  async #posterFor(base: Base, applied: Applied | undefined): Promise<Poster> {
    const plain = await this.#plainPoster()
    if (applied === undefined) return plain
    const { protocol, hostname } = new URL(base.url)
    const isSafe = protocol === 'https:' || rangeOfHost(hostname) === 'loopback' || this.#settings.allowInsecureAuth
    if (!isSafe) {
      throw new ToolError(
        `The credential was not sent to ${base.origin}: over plain http, others on the network can read it. ` +
          'Set baseUrl to an https address, or allowInsecureAuth.',
      )
    }
    if (applied.provider === undefined) return plain
    const { auth, scheme } = applied.provider
    const metadataUrl = this.#confirmed(scheme.metadataUrl)
    const byBase = this.#authorized.get(auth) ?? new Map<string, Poster>()
    this.#authorized.set(auth, byBase)
    const key = `${base.url} ${metadataUrl}`
    const known = byBase.get(key) ?? auth.authorize(this.#watched(plain), new URL(base.url), { metadataUrl })
    byBase.set(key, known)
    return known
  }

  /** The user logs in where this leads: only to an origin that the author confirmed. */
  #confirmed(url: string | undefined): string | undefined {
    try {
      return url === undefined ? undefined : this.#checkAddress(url).url
    } catch (error) {
      if (error instanceof OpenAPIError) return undefined
      throw error
    }
  }

  /** Under the poster of a provider: the headers that it adds are seen here only, and belong to the call that has this signal. */
  #watched(plain: Poster): Poster {
    const watched: Poster = (request) => {
      const sent = request.signal === undefined ? undefined : this.#sent.get(request.signal)
      for (const [name, value] of Object.entries(sent === undefined ? {} : request.headers)) {
        if (sent?.headers[name] !== value) sent?.secrets.push(...secretsOfHeader(name, value))
      }
      return plain(request)
    }
    return Object.assign(watched, { close: () => plain.close?.() })
  }

  #plainPoster(): Promise<Poster> {
    const { fetch } = this.#settings
    this.#poster ??= (async () => {
      const own = fetch === undefined ? await platform.createPoster() : undefined
      return (own as Poster | undefined) ?? createFetchPoster(fetch)
    })()
    return this.#poster
  }

  async #withCredentials(
    built: BuiltRequest,
    base: Base,
    applied: Applied | undefined,
    secrets: string[],
  ): Promise<BuiltRequest> {
    const headers: Record<string, string> = {
      'user-agent': `mcpwire/${PACKAGE_VERSION}`,
      ...built.headers,
      ...headersFor(base, this.#settings.headers),
      ...applied?.headers,
    }
    if (applied === undefined) return { ...built, headers }
    if (applied.client !== undefined) {
      const token = await this.#tokens.get(applied.client, await this.#plainPoster())
      headers['authorization'] = `Bearer ${token}`
      secrets.push(token)
    }
    if (applied.cookies.length > 0)
      headers['cookie'] = [headers['cookie'], ...applied.cookies].filter(Boolean).join('; ')
    const mark = built.url.includes('?') ? '&' : '?'
    const url = applied.query.length === 0 ? built.url : `${built.url}${mark}${applied.query.join('&')}`
    return { ...built, url, headers }
  }

  /** What the model reads has no internals; the cause goes to the log of the server. */
  #explain(error: unknown, { method, path }: OpenAPIOperation, ctx: Context, hider: Hider): Refused {
    const isForCaller = [ArgumentRefusal, ToolError, RedirectRefusal, OpenAPIError].some(
      (kind) => error instanceof kind,
    )
    if (isForCaller) return new Refused(failure(hider.text((error as Error).message)))
    const message = `The request ${method.toUpperCase()} ${path} failed before there was an answer`
    serverOfRequest(ctx.request).faults.report({ kind: 'transport', message, method: ctx.request.method, error })
    return new Refused(failure(`The API could not be called: ${reasonOf(error)}.`))
  }
}

/** A call that got no answer. */
export class Refused {
  readonly result: CallToolResult

  constructor(result: CallToolResult) {
    this.result = result
  }
}

const KINDS: Readonly<Record<string, string>> = {
  'connection-refused': 'nothing accepts connections at its address',
  'host-not-found': 'the name of its host is not known',
  'host-unreachable': 'its host cannot be reached',
  tls: 'no secure connection could be made',
  'redirect-refused': 'it redirects to another place',
}

function reasonOf(error: unknown): string {
  if (error instanceof OAuthError) return `signing in failed (${error.code})`
  const slug = /errors\/([\w-]+)\.md$/.exec(helpOf(error) ?? '')?.[1] ?? ''
  if (Object.hasOwn(KINDS, slug)) return KINDS[slug] as string
  if (error instanceof TransportError && /is not allowed: none of its addresses/.test(error.message)) {
    return 'its address is in a private network'
  }
  return error instanceof TransportError ? 'the connection was cut' : 'the request failed'
}
