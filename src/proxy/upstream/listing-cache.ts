// Pages of lists that a source lets its clients keep: served again for as long as it said, to whom it said.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { frontClientOf, isStateless, peerOf, principalKeyOf } from '../base/caller.ts'
import { wayOf } from '../base/passage.ts'
import { cacheHintsOf } from '../crossing/shape-results.ts'

const MAX_PAGES = 256
/** A page that is served again says how long it may still be kept, in so many steps, so that few forms of it are made. */
const STEPS = 8

interface Kept {
  readonly list: ListMethod
  readonly page: ListPage
  readonly at: number
  readonly ttlMs: number
  /** By the steps that are left. */
  readonly forms: Map<number, ListPage>
  /** Callers that the page has been shown to. */
  readonly shownTo: Set<string>
}

export interface ListingCacheOptions {
  /** How long a page is kept where the source says nothing, in milliseconds. */
  readonly listMs: number
  readonly now: () => number
  /** A caller sees a page for the first time. */
  readonly shown: (request: ServerRequestContext, list: ListMethod, page: ListPage) => void
}

export class ListingCache {
  readonly #options: ListingCacheOptions
  /** What any caller may see. */
  readonly #public = new Map<string, Kept>()
  /** By verified caller, or by client where nobody is verified. */
  #private = new WeakMap<object, Map<string, Kept>>()
  readonly #owners = new Map<string, object>()

  constructor(options: ListingCacheOptions) {
    this.#options = options
  }

  /** The page that is kept for this caller; `undefined` where there is none, or no longer. */
  find(request: ServerRequestContext, list: ListMethod, params: JSONObject): ListPage | undefined {
    const key = keyOf(request, list, params)
    if (key === undefined) return undefined
    const kept = this.#keptFor(request, key)
    if (kept === undefined) return undefined
    const stepsLeft = STEPS - 1 - Math.floor(((this.#options.now() - kept.at) * STEPS) / kept.ttlMs)
    return stepsLeft > 0 ? this.#show(kept, request, stepsLeft) : undefined
  }

  /** The last page that this caller could keep, however old. Nobody may keep it any longer. */
  findStale(request: ServerRequestContext, list: ListMethod, params: JSONObject): ListPage | undefined {
    const key = keyOf(request, list, params)
    const kept = key === undefined ? undefined : this.#keptFor(request, key)
    return kept && this.#show(kept, request, 0)
  }

  #keptFor(request: ServerRequestContext, key: string): Kept | undefined {
    return this.#private.get(this.#ownerOf(request))?.get(key) ?? this.#public.get(key)
  }

  #show(kept: Kept, request: ServerRequestContext, stepsLeft: number): ListPage {
    const { list } = kept
    const caller = principalKeyOf(request)
    if (!kept.shownTo.has(caller)) {
      if (kept.shownTo.size < MAX_PAGES) kept.shownTo.add(caller)
      this.#options.shown(request, list, kept.page)
    }
    return formOf(kept, stepsLeft)
  }

  keep(request: ServerRequestContext, list: ListMethod, params: JSONObject, page: ListPage): void {
    const key = keyOf(request, list, params)
    const { ttlMs: given, cacheScope } = cacheHintsOf(page)
    const ttlMs = given === undefined ? this.#options.listMs : given
    if (key === undefined || typeof ttlMs !== 'number' || !Number.isFinite(ttlMs) || ttlMs <= 0) return
    const owner = this.#ownerOf(request)
    const pages = cacheScope === 'public' ? this.#public : (this.#private.get(owner) ?? new Map<string, Kept>())
    this.#private.get(owner)?.delete(key)
    this.#public.delete(key)
    if (pages !== this.#public) this.#private.set(owner, pages)
    for (const oldest of pages.keys()) {
      if (pages.size < MAX_PAGES) break
      pages.delete(oldest)
    }
    const shownTo = new Set([principalKeyOf(request)])
    pages.set(key, { list, page: freeze(page), at: this.#options.now(), ttlMs, forms: new Map(), shownTo })
  }

  /** The source has changed, or may have: nothing is served again. */
  clear(): void {
    this.#public.clear()
    this.#private = new WeakMap()
    this.#owners.clear()
  }

  /** For a verified caller; what anybody may see stays. */
  forget(principal: string): void {
    this.#owners.delete(principal)
  }

  /** Callers who are not verified share what one connection shares. */
  #ownerOf(request: ServerRequestContext): object {
    if (request.auth === undefined && !isStateless(request)) return peerOf(request)
    const principal = principalKeyOf(request)
    const known = this.#owners.get(principal)
    if (known !== undefined) return known
    for (const oldest of this.#owners.keys()) {
      if (this.#owners.size < MAX_PAGES) break
      this.#owners.delete(oldest)
    }
    const owner = {}
    this.#owners.set(principal, owner)
    return owner
  }
}

/** What a page may depend on; `undefined` for a request with params of its own, which nobody here knows. */
function keyOf(request: ServerRequestContext, list: ListMethod, params: JSONObject): string | undefined {
  for (const member in params) if (member !== 'cursor' && member !== '_meta') return undefined
  const { cursor = '' } = params
  if (typeof cursor !== 'string') return undefined
  // What a source in a loop leaves out depends on where the request has been.
  const { via } = wayOf(request)
  return `${list}\n${request.protocolVersion}\n${cursor}\n${via.join(' ')}\n${declaredIn(request)}`
}

const texts = new WeakMap<object, string>()

/** The capabilities of the client as text, made once for each object. */
function declaredIn(request: ServerRequestContext): string {
  const { capabilities } = frontClientOf(request)
  let text = texts.get(capabilities)
  if (text === undefined) {
    text = JSON.stringify(capabilities)
    texts.set(capabilities, text)
  }
  return text
}

function formOf({ page, ttlMs, forms }: Kept, stepsLeft: number): ListPage {
  if ((page as unknown as JSONObject)['ttlMs'] === undefined) return page
  const known = forms.get(stepsLeft)
  if (known !== undefined) return known
  const form = Object.freeze({ ...page, ttlMs: Math.floor((ttlMs * stepsLeft) / STEPS) }) as ListPage
  forms.set(stepsLeft, form)
  return form
}

/** Whoever lists it gets the same objects, so that what is made of them is made once. */
function freeze(page: ListPage): ListPage {
  for (const value of Object.values(page)) {
    if (!Array.isArray(value)) continue
    for (const item of value) if (isPlainObject(item)) Object.freeze(item)
    Object.freeze(value)
  }
  return Object.freeze(page)
}
