// The lists of a source: asked for, kept as long as the source allows, and read for what calls need of them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { principalKeyOf } from '../base/caller.ts'
import type { Annotations } from './annotations.ts'
import { ListingCache } from './listing-cache.ts'

type Ask = (request: ServerRequestContext, method: string, params: JSONObject) => Promise<JSONObject>

export class UpstreamLists {
  readonly #ask: Ask
  readonly #annotations: Annotations
  readonly #counts: Record<string, number>
  readonly #cache: ListingCache

  /** `counts` gets how many components each list had at last; `listMs` is how long a page is kept where the source says nothing. */
  constructor(ask: Ask, annotations: Annotations, counts: Record<string, number>, listMs = 0) {
    this.#ask = ask
    this.#annotations = annotations
    this.#counts = counts
    const shown = (request: ServerRequestContext, list: ListMethod, page: ListPage) => this.#learn(request, list, page)
    this.#cache = new ListingCache({ listMs, now: monotonicNow, shown })
  }

  /** A list that its client asked for may be one that the source lets clients keep; what a call needs is always asked anew. */
  page(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    const isAskedFor = request.method === list
    const { cursor: _cursor, ...rest } = (isAskedFor ? request.params : undefined) ?? {}
    const params = cursor === undefined ? rest : { ...rest, cursor }
    const kept = isAskedFor ? this.#cache.find(request, list, params) : undefined
    return kept ?? this.#fetch(list, request, params, cursor)
  }

  clear(): void {
    this.#cache.clear()
  }

  forget(principal: string): void {
    this.#cache.forget(principal)
  }

  async #fetch(
    list: ListMethod,
    request: ServerRequestContext,
    params: JSONObject,
    cursor: string | undefined,
  ): Promise<ListPage> {
    const page = (await this.#ask(request, list, params)) as unknown as ListPage
    this.#learn(request, list, page)
    const items = Object.values(page).find(Array.isArray)
    if (items !== undefined && cursor === undefined) this.#counts[list] = items.length
    if (request.method === list) this.#cache.keep(request, list, params, page)
    return page
  }

  #learn(request: ServerRequestContext, list: ListMethod, page: ListPage): void {
    if (list === 'tools/list') this.#annotations.learn(principalKeyOf(request), page)
  }
}
