// Requests to a source as they go out: with the envelope, the headers and the level of their caller.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { findExtras, type ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestRow } from '../../wire/method-rows.ts'
import { hasStructuredContent } from '../../wire/revision-facts.ts'
import { type BackCall, type BackCallOptions, metaOf } from '../back/back-call.ts'
import { forwardedHeaders, frontClientOf, principalKeyOf } from '../base/caller.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import type { ProxyOptions } from '../base/options.ts'
import type { Held } from '../pool/connections.ts'
import type { Upstream } from '../pool/upstream.ts'
import type { Annotations } from './annotations.ts'
import type { CheckedResults } from './checked-results.ts'
import type { Levels } from './levels.ts'

export interface SourceCallsOptions {
  readonly options: ProxyOptions
  readonly upstream: Upstream
  readonly annotations: Annotations
  readonly levels: Levels
  /** Where results are held against what the source lists. */
  readonly checked: CheckedResults | undefined
  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage>
}

/** One request to the source. */
export interface SourceCall {
  readonly held: Held
  readonly call: BackCall
  readonly request: ServerRequestContext
  /** What ends it early (default: what ends the request that it is made for). */
  readonly signal?: AbortSignal
  /** Extensions that this request declares beside those of the caller. */
  readonly extensions?: Readonly<Record<string, JSONObject>> | undefined
}

export class SourceCalls {
  readonly #setting: SourceCallsOptions

  constructor(setting: SourceCallsOptions) {
    this.#setting = setting
  }

  /** What the caller can be asked, as far as such questions cross. */
  capabilitiesOf({ request }: SourceCall): ClientCapabilities {
    return this.#setting.upstream.capabilitiesOf(request)
  }

  /** Rejects with the error of the source, or with what became of the connection. */
  async send(one: SourceCall, method: string, params: JSONObject): Promise<JSONObject> {
    const answer = await this.#send(one, method, params)
    await this.#check(one, method, params, answer)
    return answer
  }

  async #send(one: SourceCall, method: string, params: JSONObject): Promise<JSONObject> {
    const { held, request } = one
    const { connection } = held
    const options = await this.#optionsOf(one, method, params)
    const sent =
      connection.era === 'modern'
        ? { ...params, _meta: { ...metaOf(params), ...this.#setting.upstream.passage.marksFor(request) } }
        : params
    try {
      return await this.#pass(one, method, sent, options)
    } catch (error) {
      if (!isPeerError(error)) throw error
      if (error.code === ErrorCode.HeaderMismatch && method === 'tools/call' && connection.era === 'modern') {
        // The tools have changed since they were listed: nothing was executed.
        await this.#relist(request)
        const again = await this.#optionsOf(one, method, params)
        return await this.#pass(one, method, sent, again).catch((second: unknown) => {
          throw isPeerError(second) ? passOn(second) : second
        })
      }
      throw passOn(error)
    }
  }

  /** Where requests are traced, with the context of a span of its own. */
  #pass(
    { held: { connection }, call, request }: SourceCall,
    method: string,
    params: JSONObject,
    options: BackCallOptions,
  ): Promise<JSONObject> {
    const around = findExtras(request)?.forwarding
    if (around === undefined) return connection.call(call, method, params, options)
    const { name: source } = this.#setting.upstream
    const { protocolVersion } = connection.client
    return around({ method, params, source, protocolVersion }, (given, onRequestId) =>
      connection.call(call, method, given, { ...options, onRequestId }),
    )
  }

  async #check({ held, request }: SourceCall, method: string, params: JSONObject, answer: JSONObject): Promise<void> {
    const { checked } = this.#setting
    // Older revisions know nothing of structured content.
    if (checked === undefined || !hasStructuredContent(held.connection.client.protocolVersion)) return
    const caller = principalKeyOf(request)
    await checked.check({ caller, method, params, relist: () => this.#relist(request) }, answer)
  }

  /** Reads the tools of this caller anew. */
  #relist(request: ServerRequestContext): Promise<void> {
    const { annotations, list } = this.#setting
    return annotations.relist(principalKeyOf(request), (page) => list('tools/list', request, page))
  }

  async #optionsOf(one: SourceCall, method: string, params: JSONObject): Promise<BackCallOptions> {
    const { request, signal, extensions } = one
    const until = signal === undefined ? request : undefined
    const { connection } = one.held
    const { upstream, annotations: known, list } = this.#setting
    const { timeoutMs = Infinity, client, forwardHeaders } = this.#setting.options
    const forwarded = forwardHeaders && forwardedHeaders(request, forwardHeaders)
    if (connection.era === 'legacy') return { timeoutMs, signal, until, forwarded }
    const { clientInfo } = frontClientOf(request)
    const logLevel = this.#setting.levels.of(request)
    const capabilities = upstream.capabilitiesOf(request)
    const annotations =
      method === 'tools/call'
        ? await known.need(principalKeyOf(request), String(ownMember(params, 'name')), (page) =>
            list('tools/list', request, page),
          )
        : undefined
    const info = client?.clientInfo ?? clientInfo
    const isForeign = requestRow(method, connection.client.protocolVersion, 'client') === undefined
    // Of a request that is passed on: those that the proxy makes itself have a name of their own.
    const isPassedOn = isForeign && method === request.method
    const name = isPassedOn ? request.dispatch.transport.headers?.['mcp-name'] : undefined
    return {
      timeoutMs,
      signal,
      until,
      forwarded,
      annotations,
      // A method of an extension may have a name in its headers, of which only its two ends know the place.
      ...(name !== undefined && { headers: { 'Mcp-Name': name } }),
      ...(isForeign && name === undefined && typeof params['taskId'] === 'string' && { nameParam: 'taskId' }),
      envelope: {
        clientCapabilities:
          extensions === undefined
            ? capabilities
            : { ...capabilities, extensions: { ...capabilities.extensions, ...extensions } },
        ...(info !== undefined && { clientInfo: info }),
        ...(logLevel !== undefined && { logLevel }),
      },
    }
  }
}
