// The calls whose results can be cached: listings by their first page, reads by their URI.

import { limitTotalTime } from '../../primitives/async/abort.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ListPromptsResult } from '../../types/features/prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '../../types/features/resources.ts'
import type { ListToolsResult } from '../../types/features/tools.ts'
import type { PagedMethod } from '../../wire/methods.ts'
import type { DrivenCalls } from '../calls/driven-calls.ts'
import { notInTime } from '../calls/further-requests.ts'
import type { ClientListOptions, ClientReadOptions } from '../client-options.ts'
import { internalsOf } from '../session/internals.ts'
import type { ListOptions, RequestOptions } from '../session/request-options.ts'
import type { ClientSession } from '../session/session.ts'
import { cacheModeOf } from './cache-config.ts'
import type { CachedCall, ResponseCache } from './response-cache.ts'
import { slotOf } from './response-store.ts'

type Listing = ListToolsResult | ListResourcesResult | ListResourceTemplatesResult | ListPromptsResult

/** How to fetch a page of one listing. */
interface ListingCall<R extends Listing> {
  method: PagedMethod
  fetch(options: ListOptions): Promise<R>
  onHit?(result: R): void
}

/** Options that do not change the request, so that the call can share a request with others. */
const SHAREABLE_OPTIONS: ReadonlySet<string> = new Set(['signal', 'cacheMode'])

/** Over a negotiated session; without a cache every call goes to the server. */
export class CachedCalls {
  readonly #session: ClientSession
  readonly #calls: DrivenCalls
  readonly #cache: ResponseCache | undefined

  constructor(session: ClientSession, calls: DrivenCalls, cache: ResponseCache | undefined) {
    this.#session = session
    this.#calls = calls
    this.#cache = cache
  }

  listTools(options: ClientListOptions): Promise<ListToolsResult> {
    return this.#list(options, {
      method: 'tools/list',
      fetch: (plain) => this.#session.listTools(plain),
      // The session needs the output schemas of the listing, and may not have listed the tools itself.
      onHit: (listing) => internalsOf(this.#session).learnTools(listing, listing.nextCursor === undefined),
    })
  }

  listResources(options: ClientListOptions): Promise<ListResourcesResult> {
    return this.#list(options, { method: 'resources/list', fetch: (plain) => this.#session.listResources(plain) })
  }

  listResourceTemplates(options: ClientListOptions): Promise<ListResourceTemplatesResult> {
    return this.#list(options, {
      method: 'resources/templates/list',
      fetch: (plain) => this.#session.listResourceTemplates(plain),
    })
  }

  listPrompts(options: ClientListOptions): Promise<ListPromptsResult> {
    return this.#list(options, { method: 'prompts/list', fetch: (plain) => this.#session.listPrompts(plain) })
  }

  async readResource(uri: string, options: ClientReadOptions): Promise<ReadResourceResult> {
    const mode = cacheModeOf(options)
    const { cacheMode: _mode, ...plain } = options
    // Spec, Caching: the result of a further round belongs to that call alone.
    const isFurtherRound = options.inputResponses !== undefined || options.requestState !== undefined
    const cache = this.#cache
    if (cache === undefined || isFurtherRound) return (await this.#calls.readResource(uri, plain)).result
    return serveWithinLimits('resources/read', options, (limits) =>
      cache.serve<ReadResourceResult>({
        ...limits,
        slot: slotOf('resources/read', uri),
        mode,
        isShareable: hasShareableOptions(options),
        fetch: (signal) => this.#calls.readResource(uri, withSignal(plain, signal)),
      }),
    )
  }

  async #list<R extends Listing>(options: ClientListOptions, call: ListingCall<R>): Promise<R> {
    const mode = cacheModeOf(options)
    const { cacheMode: _mode, ...plain } = options
    const cache = this.#cache
    if (cache === undefined) return call.fetch(plain)
    const slot = slotOf(call.method)
    if (options.cursor !== undefined)
      return this.#evictOnInvalidCursor(call.fetch(plain), mode === 'bypass' ? undefined : slot)
    const { onHit } = call
    return serveWithinLimits(call.method, options, (limits) =>
      cache.serve<R>({
        ...limits,
        slot,
        mode,
        isShareable: hasShareableOptions(options),
        fetch: async (signal) => ({ result: await call.fetch(withSignal(plain, signal)), isCacheable: true }),
        ...(onHit && { onHit }),
      }),
    )
  }

  /** Further pages are not cached. When the server rejects their cursor, the cached first page is stale. */
  async #evictOnInvalidCursor<R>(fetching: Promise<R>, slot: string | undefined): Promise<R> {
    try {
      return await fetching
    } catch (error) {
      if (slot !== undefined && isInvalidCursor(error)) await this.#cache?.evict(slot)
      throw error
    }
  }
}

type StoreLimits = Pick<CachedCall<unknown>, 'signal' | 'waitMs'>

/** The limits of the call include the time that the store takes. */
async function serveWithinLimits<R>(
  method: string,
  { signal, timeoutMs, maxTotalMs }: RequestOptions,
  serve: (limits: StoreLimits) => Promise<R>,
): Promise<R> {
  if (maxTotalMs === undefined) return serve({ signal, waitMs: timeoutMs })
  const total = limitTotalTime(maxTotalMs, signal, () => notInTime(method, maxTotalMs))
  try {
    return await serve({ signal: total.signal, waitMs: timeoutMs })
  } finally {
    total.clear()
  }
}

function hasShareableOptions(options: object): boolean {
  return Object.keys(options).every((name) => SHAREABLE_OPTIONS.has(name))
}

function withSignal<O extends RequestOptions>({ signal: _own, ...options }: O, signal: AbortSignal | undefined) {
  return signal === undefined ? options : { ...options, signal }
}

function isInvalidCursor(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.InvalidParams
}
