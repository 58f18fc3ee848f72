// The lists of several sources as one: whose each name is, pages over all of them, and pages that are made once.

import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { type ComponentList, factsOf, itemsOf, keyOf, restOf } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { boundPage, type Shown } from '../sources/whole-list.ts'
import { type Bookmark, Cursors, invalidCursor, placeAfter } from './cursors.ts'
import { fittingPage } from './fitting.ts'
import { mergeRest } from './merged-members.ts'
import { ownerByNamespace } from './namespaces.ts'
import { type Found, OwnerSearch } from './owner-search.ts'
import { type Owned, OwnerTable } from './owner-table.ts'
import type { FrontName, Part } from './part.ts'

export interface ListsOptions {
  /** Most items on a page; without it the pages of the sources decide. */
  readonly pageSize?: number | undefined
  /** Lists sources before a resource is read that none is known to have (default: no). */
  readonly learnsResources?: boolean | undefined
  /** Secrets for the tags of cursors, the same on all nodes (default: none). */
  readonly cursorSecrets?: readonly Uint8Array[] | undefined
  /** A source could not be listed. What it throws is the answer; else the source is left out. */
  readonly onListFailure: (part: Part, error: unknown, list: ComponentList) => void
  /** A component is left out, since the caller's revision has none of this form. */
  readonly onMisfit: (part: Part, list: ComponentList, item: Component, problem: string) => void
  /** A name belongs to another source already. */
  readonly onCollision: (list: ComponentList, front: string, newer: Part, owner: Part) => void
}

/** A page of one part, from where on it is shown. */
interface Stretch {
  readonly part: Part
  readonly page: ListPage
  readonly skip: number
}

/** A page of a source that lacks the list. It does not count when a method is found to be missing everywhere. */
const LACKING: ListPage = Object.freeze({ tools: Object.freeze([]) as never[] })

const NOTHING: Shown = { pages: 0, items: 0 }

export class CompositeLists {
  readonly #parts: () => readonly Part[]
  readonly #options: ListsOptions
  readonly #tables = new Map<ComponentList, OwnerTable<Part>>()
  readonly #pages = new PreparedPages()
  readonly #cursors: Cursors
  readonly #search: OwnerSearch
  /** A source has gone. A client that knows its lists finds them empty, and not gone. */
  hasLost = false
  /** Changes whenever a name changes its owner. */
  #version = 0

  constructor(parts: () => readonly Part[], options: ListsOptions) {
    this.#parts = parts
    this.#options = options
    this.#cursors = new Cursors(options.cursorSecrets)
    this.#search = new OwnerSearch({
      parts,
      table: (list) => this.table(list),
      learn: (list, part, items) => void this.#name(list, [{ part, items }]),
      onListFailure: options.onListFailure,
    })
  }

  table(list: ComponentList): OwnerTable<Part> {
    const known = this.#tables.get(list)
    if (known !== undefined) return known
    const table = new OwnerTable<Part>()
    this.#tables.set(list, table)
    return table
  }

  /** `undefined` where no source has this list at all. */
  page(list: ComponentList, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage | undefined> {
    const parts = this.#parts().filter((part) => part.isListed(request))
    if (cursor === undefined) {
      return whenDone(this.#ask(list, request, parts), (pages) => this.#assemble(list, request, parts, pages, 0))
    }
    const place = this.#cursors.read(list, cursor)
    const first = parts.findIndex(({ id }) => id === place.part)
    const part = parts[first]
    if (part === undefined) throw invalidCursor()
    const rest = parts.slice(first)
    return whenDone(this.#askOne(list, request, part, place), (page) => {
      const skip = page === undefined ? 0 : placeAfter(itemsOf(list, page), (item) => keyOf(list, item), place)
      if (page?.nextCursor !== undefined || rest.length === 1) {
        return this.#assemble(list, request, rest, [page], skip, place)
      }
      return whenDone(this.#ask(list, request, rest.slice(1)), (others) =>
        this.#assemble(list, request, rest, [page, ...others], skip, place),
      )
    })
  }

  /** Whose a name is. A name that is in no table is looked for in the sources that could have it. */
  resolve(list: ComponentList, front: string, request: ServerRequestContext): MaybePromise<Found | undefined> {
    const known = this.table(list).get(front)
    return known ?? this.#search.find(list, front, request)
  }

  /** Before a resource is read: whose it is, where no source is known to have it. */
  async learnOwner(uri: string, request: ServerRequestContext): Promise<void> {
    if (this.#options.learnsResources === true) await this.#search.learnOwner(uri, request)
  }

  /** What a source has may have changed. */
  changed(part: Part): void {
    part.searches.clear()
    part.isResourcesSeen = false
    for (const table of this.#tables.values()) table.markStale(part)
  }

  forget(part: Part): void {
    this.#version += 1
    part.searches.clear()
    for (const table of this.#tables.values()) table.drop(part)
  }

  /** The name is that of this part from here on. */
  give(list: ComponentList, part: Part, own: string): void {
    const { full, front } = part.frontName(list, own)
    this.#version += 1
    this.table(list).take(front, part, own, full)
  }

  #ask(
    list: ComponentList,
    request: ServerRequestContext,
    parts: readonly Part[],
  ): MaybePromise<readonly (ListPage | undefined)[]> {
    const pages = parts.map((part) => this.#askOne(list, request, part))
    return pages.some(isThenable) ? Promise.all(pages) : (pages as (ListPage | undefined)[])
  }

  /** `undefined` for a source that fails; an error of a cursor is the answer to the whole list. */
  #askOne(
    list: ComponentList,
    request: ServerRequestContext,
    part: Part,
    place?: Bookmark,
  ): MaybePromise<ListPage | undefined> {
    const cursor = place?.cursor
    const fail = (error: unknown): ListPage | undefined => {
      if (isMethodMissing(error)) return LACKING
      if (cursor !== undefined) throw error
      this.#options.onListFailure(part, error, list)
      return undefined
    }
    // A source without end must not keep those after it out of the list.
    const bound = (given: ListPage | undefined): ListPage | undefined => {
      if (given === undefined || given === LACKING) return given
      const { page, flaw } = boundPage(list, given, place ?? NOTHING, cursor)
      if (flaw !== undefined) this.#options.onListFailure(part, flaw, list)
      const { protocolVersion } = request
      return page && fittingPage(list, page, protocolVersion, (...args) => this.#options.onMisfit(part, list, ...args))
    }
    let asked: MaybePromise<ListPage | undefined>
    try {
      asked = part.source.list(list, request, cursor)
    } catch (error) {
      asked = fail(error)
    }
    return isThenable(asked) ? Promise.resolve(asked).catch(fail).then(bound) : bound(asked)
  }

  #assemble(
    list: ComponentList,
    request: ServerRequestContext,
    parts: readonly Part[],
    pages: readonly (ListPage | undefined)[],
    skip: number,
    start?: Bookmark,
  ): ListPage | undefined {
    const isMissing = pages.length > 0 && pages.every((page) => page === LACKING)
    // A caller who may not see a source must not learn what it lacks.
    if (isMissing && !this.hasLost && parts.length === this.#parts().length) return undefined
    const stretches: Stretch[] = []
    let next: Omit<Bookmark, 'isPerCaller'> | undefined
    let room = this.#options.pageSize ?? Number.POSITIVE_INFINITY
    for (const [at, page] of pages.entries()) {
      const part = parts[at]
      if (page === undefined || page === LACKING || part === undefined) continue
      const from = at === 0 ? skip : 0
      const before: Shown = at === 0 && start !== undefined ? { pages: start.pages, items: start.items } : NOTHING
      const items = itemsOf(list, page)
      stretches.push({ part, page, skip: from })
      room -= items.length - from
      if (room < 0) {
        const last = items[items.length + room - 1]
        const cursor = at === 0 ? start?.cursor : undefined
        next = { part: part.id, cursor, count: items.length + room, key: last && keyOf(list, last), ...before }
        break
      }
      if (page.nextCursor !== undefined) {
        const shown = { pages: before.pages + 1, items: before.items + items.length }
        next = { part: part.id, cursor: page.nextCursor, count: 0, key: undefined, ...shown }
        break
      }
    }
    const cut = Math.min(0, room)
    const isPerCaller = start?.isPerCaller === true || this.#isPerCaller(list, pages)
    const facts = [
      list,
      this.#version,
      skip,
      cut,
      start?.pages,
      start?.items,
      isPerCaller,
      ...stretches.map(({ part }) => part.id),
    ].join(' ')
    const keys = stretches.map(({ page }) => page)
    return this.#pages.get(keys, facts, () => {
      const page = this.#make(list, request, stretches, cut, next, isPerCaller)
      serverOfRequest(request).prepared.add(page)
      return page
    })
  }

  /**
   * Whether this list may be another one for another caller: some may not see a part, a source says so, or one has failed, which may be
   * because of the caller. All pages of a list say the same.
   */
  #isPerCaller(list: ComponentList, pages: readonly (ListPage | undefined)[]): boolean {
    if (this.#parts().some(({ isEnabled, guard }) => isEnabled && guard !== undefined)) return true
    return pages.some((page) => page === undefined || restOf(list, page)['cacheScope'] === 'private')
  }

  #make(
    list: ComponentList,
    request: ServerRequestContext,
    stretches: readonly Stretch[],
    cut: number,
    next: Omit<Bookmark, 'isPerCaller'> | undefined,
    isPerCaller: boolean,
  ): ListPage {
    const shown = stretches.map(({ part, page, skip }, at) => {
      const items = itemsOf(list, page)
      return { part, items: items.slice(skip, at === stretches.length - 1 ? items.length + cut : items.length) }
    })
    const items = this.#name(list, shown)
    const rest = mergeRest(list, request, stretches, isPerCaller)
    return Object.freeze({
      ...rest,
      [factsOf(list).member]: Object.freeze(items),
      ...(next !== undefined && { nextCursor: this.#cursors.write(list, { ...next, isPerCaller }) }),
    }) as unknown as ListPage
  }

  /** Those who have a name keep it; after that, names go to who comes first. */
  #name(list: ComponentList, shown: readonly { part: Part; items: readonly Component[] }[]): Component[] {
    const table = this.table(list)
    const seen = new Set<string>()
    for (const { part, items } of shown) {
      for (const item of items) {
        const front = table.frontOf(part, keyOf(list, item))
        if (front !== undefined) table.claim(front, part, keyOf(list, item), table.get(front)?.full ?? front)
      }
    }
    return shown.flatMap(({ part, items }) =>
      items.flatMap((item) => {
        const front = this.#claim(list, part, keyOf(list, item))
        if (front === undefined || seen.has(front)) return []
        seen.add(front)
        return [part.show(list, item, front)]
      }),
    )
  }

  /** The name of a component in front; `undefined` where another source has it. */
  #claim(list: ComponentList, part: Part, own: string): string | undefined {
    const table = this.table(list)
    const known = table.frontOf(part, own)
    if (known !== undefined && table.get(known)?.owner === part) return known
    const isNamed = factsOf(list).key === 'name'
    const wanted = part.frontName(list, own)
    const nearer = isNamed && part.namespace !== undefined ? ownerByNamespace(this.#parts(), list, wanted.front) : part
    if (nearer !== undefined && nearer !== part && nearer.namespace !== part.namespace) {
      this.#options.onCollision(list, wanted.front, part, nearer)
      return undefined
    }
    const { owner, own: ownedAs } = this.#take(list, part, own, wanted)
    if (owner === part && ownedAs === own) return wanted.front
    if (isNamed && part.naming.onCollision === 'prefix' && part.namespace !== part.name) {
      const other = part.frontName(list, own, part.name)
      if (this.#take(list, part, own, other).owner === part) return other.front
    }
    this.#options.onCollision(list, wanted.front, part, owner)
    return undefined
  }

  #take(list: ComponentList, part: Part, own: string, { front, full }: FrontName): Owned<Part> {
    const table = this.table(list)
    const before = table.get(front)
    const entry = table.claim(front, part, own, full)
    if (before !== undefined && before.owner !== entry.owner) this.#version += 1
    return entry
  }
}
