// Requests to a source as they go out: with the envelope, the headers and the level of their caller.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestRow } from '../../wire/method-rows.ts'
import { type BackCall, type BackCallOptions, metaOf } from '../back/back-connection.ts'
import { HOPS_META_KEY } from '../back/open-upstream.ts'
import { frontClientOf, principalKeyOf } from '../base/caller.ts'
import { isPeerError, passOn } from '../base/failures.ts'
import type { ProxyOptions } from '../base/options.ts'
import { hopsOf } from '../pool/hops.ts'
import type { Held, Upstream } from '../pool/upstream.ts'
import type { Annotations } from './annotations.ts'
import type { Levels } from './levels.ts'

export interface SourceCallsOptions {
  readonly options: ProxyOptions
  readonly upstream: Upstream
  readonly annotations: Annotations
  readonly levels: Levels
  list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage>
}

/** One request to the source. */
export interface SourceCall {
  readonly held: Held
  readonly call: BackCall
  readonly request: ServerRequestContext
  readonly signal: AbortSignal
  /** Extensions that this request declares beside those of the caller. */
  readonly extensions?: Readonly<Record<string, JSONObject>> | undefined
}

export class SourceCalls {
  readonly #setting: SourceCallsOptions

  constructor(setting: SourceCallsOptions) {
    this.#setting = setting
  }

  /** Rejects with the error of the source, or with what became of the connection. */
  async send(one: SourceCall, method: string, params: JSONObject): Promise<JSONObject> {
    const { held, call, request } = one
    const { connection } = held
    const { annotations, list } = this.#setting
    const options = await this.#optionsOf(one, method, params)
    const sent =
      connection.era === 'modern'
        ? { ...params, _meta: { ...metaOf(params), [HOPS_META_KEY]: hopsOf(request) + 1 } }
        : params
    try {
      return await connection.call(call, method, sent, options)
    } catch (error) {
      if (!isPeerError(error)) throw error
      if (error.code === ErrorCode.HeaderMismatch && method === 'tools/call' && connection.era === 'modern') {
        // The tools have changed since they were listed: nothing was executed.
        await annotations.relist(principalKeyOf(request), (page) => list('tools/list', request, page))
        const again = await this.#optionsOf(one, method, params)
        return await connection.call(call, method, sent, again).catch((second: unknown) => {
          throw isPeerError(second) ? passOn(second) : second
        })
      }
      throw passOn(error)
    }
  }

  async #optionsOf(one: SourceCall, method: string, params: JSONObject): Promise<BackCallOptions> {
    const { request, signal, extensions } = one
    const { connection } = one.held
    const { upstream, annotations: known, list } = this.#setting
    const { timeoutMs = Infinity, client } = this.#setting.options
    if (connection.era === 'legacy') return { timeoutMs, signal }
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
    const name = isForeign ? request.dispatch.transport.headers?.['mcp-name'] : undefined
    return {
      timeoutMs,
      signal,
      ...(annotations !== undefined && { annotations }),
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
