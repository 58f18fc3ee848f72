// One call of an API: arguments become a request, which goes to one origin only, within its time; the answer becomes a result.

import { platform } from '#platform'
import { rangeOfHost } from '../../auth/client/network/address-range.ts'
import { createFetchPoster } from '../../http/fetch-poster.ts'
import type { AuthProvider, Poster, PostResponse } from '../../http/poster.ts'
import { readRetryAfter } from '../../http/retry-after.ts'
import type { Context } from '../../mcpserver/handlers/context.ts'
import { limitTotalTime } from '../../primitives/async/abort.ts'
import { helpOf } from '../../primitives/help.ts'
import { serverOfRequest } from '../../server/context.ts'
import { OAuthError, ToolError, TransportError } from '../../types/errors/failures.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'
import { allowsAnyStructure } from '../../wire/revision-facts.ts'
import type { OpenAPIOperation } from '../operations/collect.ts'
import type { Alternatives } from '../operations/security.ts'
import type { Base } from '../operations/servers.ts'
import { type BuiltRequest, buildRequest, type RequestPlan } from '../request/plan.ts'
import { ArgumentRefusal } from '../request/refusal.ts'
import type { StyleSettings } from '../request/styles.ts'
import { type CheckAddress, ClientTokens } from './client-tokens.ts'
import { type Applied, applyCredentials, type OpenAPIAuth } from './credentials.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
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

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_PROGRESS = 1_000

export class ApiClient {
  readonly #settings: ApiSettings
  readonly #tokens: ClientTokens
  readonly #authorized = new WeakMap<AuthProvider, Map<string, Poster>>()
  #poster: Promise<Poster> | undefined

  constructor(settings: ApiSettings, checkAddress: CheckAddress) {
    this.#settings = settings
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

  /** The answer, or a result that says why there is none. */
  async request(call: OperationCall, args: Record<string, unknown>, ctx: Context): Promise<ReadAnswer | Refused> {
    const { timeoutMs } = this.#settings
    const total = limitTotalTime(
      timeoutMs,
      ctx.signal,
      () => new ToolError(`The API did not answer within ${timeoutMs} ms.`),
    )
    try {
      const { base, plan } = call
      const built = buildRequest(plan, base.url, args, this.#settings.style)
      const applied = await applyCredentials(call.alternatives, this.#settings.auth, ctx, call.operation)
      const poster = await this.#posterFor(base, applied)
      const request = await this.#withCredentials(built, applied)
      const response = await send(poster, request, base, total.signal)
      const isAborted = () => total.signal?.aborted === true && !ctx.signal.aborted
      const onItem = (count: number, text: string) =>
        void ctx.reportProgress(count, undefined, text.slice(0, MAX_PROGRESS)).catch(() => {})
      const { maxDownloadBytes } = this.#settings
      return await readAnswer(response, request.method, {
        maxDownloadBytes,
        onItem,
        secrets: applied?.secrets ?? [],
        isAborted,
      })
    } catch (error) {
      if (ctx.signal.aborted) throw ctx.signal.reason
      return this.#explain(error, call.operation, ctx)
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

  async #posterFor(base: Base, applied: Applied | undefined): Promise<Poster> {
    const plain = await this.#plainPoster()
    if (applied === undefined) return plain
    const { protocol, hostname } = new URL(base.url)
    const isSafe = protocol === 'https:' || rangeOfHost(hostname) === 'loopback' || this.#settings.allowInsecureAuth
    if (!isSafe) {
      throw new ToolError(
        `The credential was not sent to ${base.origin}: over plain http, others on the network can read it.`,
      )
    }
    const { provider } = applied
    if (provider === undefined) return plain
    const byBase = this.#authorized.get(provider) ?? new Map<string, Poster>()
    this.#authorized.set(provider, byBase)
    const known = byBase.get(base.url) ?? provider.authorize(plain, new URL(base.url))
    byBase.set(base.url, known)
    return known
  }

  #plainPoster(): Promise<Poster> {
    const { fetch } = this.#settings
    this.#poster ??= (async () => {
      const own = fetch === undefined ? await platform.createPoster() : undefined
      return (own as Poster | undefined) ?? createFetchPoster(fetch)
    })()
    return this.#poster
  }

  async #withCredentials(built: BuiltRequest, applied: Applied | undefined): Promise<BuiltRequest> {
    const headers: Record<string, string> = {
      'user-agent': `mcpwire/${PACKAGE_VERSION}`,
      ...built.headers,
      ...this.#settings.headers,
      ...applied?.headers,
    }
    if (applied === undefined) return { ...built, headers }
    if (applied.client !== undefined) {
      const token = await this.#tokens.get(applied.client, await this.#plainPoster())
      headers['authorization'] = `Bearer ${token}`
      applied.secrets.push(token)
    }
    if (applied.cookies.length > 0)
      headers['cookie'] = [headers['cookie'], ...applied.cookies].filter(Boolean).join('; ')
    const mark = built.url.includes('?') ? '&' : '?'
    const url = applied.query.length === 0 ? built.url : `${built.url}${mark}${applied.query.join('&')}`
    return { ...built, url, headers }
  }

  /** What the model reads has no internals; the cause goes to the log of the server. */
  #explain(error: unknown, { method, path }: OpenAPIOperation, ctx: Context): Refused {
    if (error instanceof ArgumentRefusal || error instanceof ToolError) return new Refused(failure(error.message))
    if (error instanceof RedirectRefusal) return new Refused(failure(error.message))
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

class RedirectRefusal extends Error {}

/** Follows redirects of GET within the origin; everything else would send credentials or bodies elsewhere. */
async function send(
  poster: Poster,
  request: BuiltRequest,
  base: Base,
  signal: AbortSignal | undefined,
): Promise<PostResponse> {
  let { url } = request
  const { method, headers, body } = request
  for (let hops = 0; ; hops++) {
    const response = await poster({
      method,
      url,
      headers,
      ...(typeof body === 'string' ? { body } : body !== undefined && { bytes: body }),
      ...(signal !== undefined && { signal }),
      ...(base.allowsAddress !== undefined && { allowsAddress: base.allowsAddress }),
    })
    if (!REDIRECTS.has(response.status)) {
      if ((response.status >= 200 && response.status < 300) || response.status >= 400) return response
      response.cancel()
      throw new RedirectRefusal(`The API answered HTTP ${response.status}, which is no answer to this request.`)
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
