// List results: each page is made once per set of items that a caller can see, and reused for all callers who see the same.
import type { ServerRequestContext } from '../../server/context.ts'
import type { Context } from '../handlers/context.ts'
import type { Host } from '../handlers/host.ts'
import { calling } from '../values/calling.ts'
import { type ByStructure, type Structure, structureOf } from '../values/listed.ts'
import { type CompiledAccess, hasScopes, isGuarded, isVisible } from './access.ts'
import type { Place } from './pages.ts'
import type { Registry, Slot } from './registry.ts'

/** Maximum number of different sets of visible items that are kept; the oldest is dropped. */
const MAX_VIEWS = 64
/** Maximum number of pages that are kept of one set, in each structure. */
const MAX_PAGES = 1024

export interface Listable {
  readonly access: CompiledAccess
}

export interface ListingOptions<Item, Result> {
  /** The name of the list, which its cursors contain. */
  readonly list: string
  /** Whether an item belongs to this list, for a registry that has several. */
  readonly includes?: (item: Item) => boolean
  /** Whether an item that is none of this list brings others into it. */
  readonly extendedBy?: (item: Item) => boolean
  /** Which of those that the caller can see are listed, where items share a key. `key` stands for the same choice. */
  readonly choose?: (request: ServerRequestContext) => Choice<Item> | undefined
  readonly toResult: (items: readonly Item[], structure: Structure, nextCursor: string | undefined) => Result
}

export interface Choice<Item> {
  readonly key: string
  readonly from: (slots: readonly Slot<Item>[]) => readonly Slot<Item>[]
}

/** The items that a set of callers can see, and the pages made of them. */
interface View<Item, Result> {
  readonly places: readonly (Place & { readonly item: Item })[]
  /** By the index of their first item. */
  readonly pages: ByStructure<Map<number, Result>>
}

export class Listing<Item extends Listable, Result extends object> {
  readonly #host: Host
  readonly #registry: Registry<Item>
  readonly #options: ListingOptions<Item, Result>
  readonly #views = new Map<string, View<Item, Result>>()
  /** What the registry had when the views were made. */
  #enabled: readonly Slot<Item>[] = []
  #slots: readonly Slot<Item>[] = []
  /** Items whose visibility depends on the caller. */
  #guarded: readonly Slot<Item>[] = []
  #isPerCaller = false

  constructor(host: Host, registry: Registry<Item>, options: ListingOptions<Item, Result>) {
    this.#host = host
    this.#registry = registry
    this.#options = options
  }

  page(request: ServerRequestContext, cursor: string | undefined): Result {
    const view = this.#viewOf(request)
    const start = calling.loaded.startOf(this.#options.list, view.places, cursor)
    const structure = structureOf(request.protocolVersion)
    if (!this.#isPageStart(start)) return this.#make(view, start, structure)
    const pages = view.pages[structure]
    const known = pages.get(start)
    if (known !== undefined) return known
    const page = this.#make(view, start, structure)
    this.#host.server.prepared.add(page)
    dropOldest(pages, MAX_PAGES)
    pages.set(start, page)
    return page
  }

  /** One item, if the list shows it to the caller. */
  find(key: string, request: ServerRequestContext): Item | undefined {
    const item = this.#registry.find(key)
    if (item === undefined || this.#options.includes?.(item) === false) return undefined
    return this.shows(item, request) ? item : undefined
  }

  /** Whether the list shows an item to the caller. */
  shows(item: Item, request: ServerRequestContext): boolean {
    if (!isGuarded(item.access)) return true
    return !this.#isHidden(item, request, calling.loaded.createHandlerContext(this.#host, request))
  }

  /** Whether callers see different items: then no cache may show the list of one to another. */
  get isPerCaller(): boolean {
    this.#refresh()
    return this.#isPerCaller
  }

  /** The keys of all enabled items, whoever can see them. */
  keys(): readonly string[] {
    this.#refresh()
    return this.#slots.map(({ key }) => key)
  }

  /** All items that the caller can see, in order. */
  visible(request: ServerRequestContext): View<Item, Result>['places'] {
    return this.#viewOf(request).places
  }

  #make({ places }: View<Item, Result>, start: number, structure: Structure): Result {
    const { list, toResult } = this.#options
    const { items, nextCursor } = calling.loaded.pageFrom(list, places, start, this.#host.pageSize)
    const page = toResult(
      items.map(({ item }) => item),
      structure,
      nextCursor,
    )
    return this.#isPerCaller ? Object.freeze({ ...page, cacheScope: 'private' }) : page
  }

  /** Only pages that a client reaches from the first one are kept. An invented cursor can start anywhere. */
  #isPageStart(start: number): boolean {
    const { pageSize } = this.#host
    return start === 0 || (pageSize !== undefined && start % pageSize === 0)
  }

  #viewOf(request: ServerRequestContext): View<Item, Result> {
    this.#refresh()
    const hidden = this.#hiddenFrom(request)
    const choice = this.#options.choose?.(request)
    const key = (hidden.size === 0 ? '' : [...hidden].map(({ order }) => order).join(' ')) + (choice?.key ?? '')
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const seen = this.#slots.filter((slot) => !hidden.has(slot))
    const slots = choice === undefined ? seen : choice.from(seen)
    const view = {
      places: slots.map(({ key, order, item }) => ({ key, order, item })),
      pages: { objects: new Map<number, Result>(), anything: new Map<number, Result>() },
    }
    dropOldest(this.#views, MAX_VIEWS)
    this.#views.set(key, view)
    return view
  }

  #refresh(): void {
    const { enabled } = this.#registry
    if (enabled === this.#enabled) return
    const { includes = () => true, extendedBy = () => false } = this.#options
    this.#enabled = enabled
    this.#slots = enabled.filter(({ item }) => includes(item))
    this.#guarded = this.#slots.filter(({ item }) => isGuarded(item.access))
    this.#isPerCaller =
      this.#guarded.length > 0 || enabled.some(({ item }) => extendedBy(item) && isGuarded(item.access))
    this.#views.clear()
  }

  #hiddenFrom(request: ServerRequestContext): ReadonlySet<Slot<Item>> {
    if (this.#guarded.length === 0) return NOTHING
    const ctx = calling.loaded.createHandlerContext(this.#host, request)
    return new Set(this.#guarded.filter(({ item }) => this.#isHidden(item, request, ctx)))
  }

  #isHidden({ access }: Item, request: ServerRequestContext, ctx: Context): boolean {
    return access.isListedTo?.(request) === false || !hasScopes(access, request) || !isVisible(access, ctx, this.#host)
  }
}

/** A frozen page, which can be shared by all callers. */
export function freezePage<Member extends string, T>(member: Member, values: T[], nextCursor: string | undefined) {
  const items = { [member]: Object.freeze(values) as T[] } as { [M in Member]: T[] }
  return Object.freeze(nextCursor === undefined ? items : { ...items, nextCursor })
}

const NOTHING: ReadonlySet<never> = new Set()

function dropOldest<Key>(map: Map<Key, unknown>, max: number): void {
  if (map.size < max) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
