// The lists of a source: asked for, kept as long as the source allows, and read for what calls need of them.
import { withoutNullCursor } from '../../client/session/pages.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { principalKeyOf } from '../base/caller.ts'
import { isAway } from '../base/failures.ts'
import { ListCounts } from './list-counts.ts'
import { ListingCache } from './listing-cache.ts'

/** What reads the list of tools for what calls need of it. */
export interface ListReader {
  learn(caller: string, page: ListPage): void
}

export interface ListsHost {
  /** How many components each list had when it was last read to its end. */
  readonly counts: Record<string, number>
  /** Lists of a source that is away are served from memory from now on, until it is back. */
  onStale(error: unknown): void
}

type Ask = (request: ServerRequestContext, method: string, params: JSONObject) => Promise<JSONObject>

export class UpstreamLists {
  readonly #ask: Ask
  readonly #readers: readonly ListReader[]
  readonly #host: ListsHost
  readonly #counts: ListCounts
  #isStale = false
  readonly #cache: ListingCache | undefined

  /** `listMs` is how long a page is kept where the source says nothing; without it none is kept. */
  constructor(ask: Ask, readers: readonly ListReader[], host: ListsHost, listMs: number | undefined) {
    this.#ask = ask
    this.#host = host
    this.#readers = readers
    this.#counts = new ListCounts(host.counts)
    const shown = (request: ServerRequestContext, list: ListMethod, page: ListPage) => this.#learn(request, list, page)
    this.#cache = listMs === undefined ? undefined : new ListingCache({ listMs, now: monotonicNow, shown })
  }

  /** A list that its client asked for may be one that the source lets clients keep; what a call needs is always asked anew. */
  page(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    const isAskedFor = request.method === list
    const { cursor: _cursor, ...rest } = (isAskedFor ? request.params : undefined) ?? {}
    const params = cursor === undefined ? rest : { ...rest, cursor }
    const kept = isAskedFor ? this.#cache?.find(request, list, params) : undefined
    if (kept !== undefined) return kept
    const page = this.#fetch(list, request, params, cursor)
    return isAskedFor ? page.catch((error: unknown) => this.#lastOf(list, request, params, error)) : page
  }

  /** While the source is away its lists are those that it let be kept at last. */
  #lastOf(list: ListMethod, request: ServerRequestContext, params: JSONObject, error: unknown): ListPage {
    const last = isAway(error) ? this.#cache?.findStale(request, list, params) : undefined
    if (last === undefined) throw error
    if (!this.#isStale) this.#host.onStale(error)
    this.#isStale = true
    return last
  }

  clear(): void {
    this.#isStale = false
    this.#counts.clear()
    this.#cache?.clear()
  }

  forget(principal: string): void {
    this.#cache?.forget(principal)
  }

  async #fetch(
    list: ListMethod,
    request: ServerRequestContext,
    params: JSONObject,
    cursor: string | undefined,
  ): Promise<ListPage> {
    const page = withoutNullCursor(await this.#ask(request, list, params)) as unknown as ListPage
    this.#learn(request, list, page)
    this.#counts.add(list, principalKeyOf(request), cursor, page)
    if (request.method === list) this.#cache?.keep(request, list, params, page)
    return page
  }

  #learn(request: ServerRequestContext, list: ListMethod, page: ListPage): void {
    if (list !== 'tools/list') return
    for (const reader of this.#readers) reader.learn(principalKeyOf(request), page)
  }
}
