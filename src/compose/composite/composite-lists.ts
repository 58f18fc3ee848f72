// The lists of several sources as one: whose each name is, pages over all of them, and pages that are made once.

import { principalKey, principalOf } from '../../http/principal.ts'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { type ComponentList, factsOf, itemsOf, keyOf } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { wholeList } from '../sources/whole-list.ts'
import { type Bookmark, decodeCursor, encodeCursor, placeAfter } from './cursors.ts'
import { mergeRest } from './merged-members.ts'
import { type Owned, OwnerTable } from './owner-table.ts'
import type { FrontName, Part, Search } from './part.ts'

/** How long a source is not listed again for names that it does not have. */
const SEARCH_PAUSE_MS = 5_000
const MAX_SEARCHERS = 1_024

export interface ListsOptions {
  /** Most items on a page; without it the pages of the sources decide. */
  readonly pageSize?: number | undefined
  /** A source could not be listed. What it throws is the answer; else the source is left out. */
  readonly onListFailure: (part: Part, error: unknown, list: ComponentList) => void
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

export class CompositeLists {
  readonly #parts: () => readonly Part[]
  readonly #options: ListsOptions
  readonly #tables = new Map<ComponentList, OwnerTable<Part>>()
  readonly #pages = new PreparedPages()
  /** Changes whenever a name changes its owner. */
  #version = 0

  constructor(parts: () => readonly Part[], options: ListsOptions) {
    this.#parts = parts
    this.#options = options
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
    const place = decodeCursor(list, cursor)
    const first = parts.findIndex(({ id }) => id === place.part)
    const part = parts[first]
    if (part === undefined) return decodeCursor(list, '') as never
    const rest = parts.slice(first)
    return whenDone(this.#askOne(list, request, part, place.cursor), (page) => {
      const skip = page === undefined ? 0 : placeAfter(itemsOf(list, page), (item) => keyOf(list, item), place)
      if (page?.nextCursor !== undefined || rest.length === 1) {
        return this.#assemble(list, request, rest, [page], skip, place.cursor)
      }
      return whenDone(this.#ask(list, request, rest.slice(1)), (others) =>
        this.#assemble(list, request, rest, [page, ...others], skip, place.cursor),
      )
    })
  }

  /** Whose a name is. A name that is in no table is looked for in the sources that could have it. */
  resolve(list: ComponentList, front: string, request: ServerRequestContext): MaybePromise<Owned<Part> | undefined> {
    const known = this.table(list).get(front)
    return known ?? this.#search(list, front, request)
  }

  /** What a source has may have changed. */
  changed(part: Part): void {
    part.searches.clear()
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
    cursor?: string,
  ): MaybePromise<ListPage | undefined> {
    const fail = (error: unknown): ListPage | undefined => {
      if (isMethodMissing(error)) return LACKING
      if (cursor !== undefined) throw error
      this.#options.onListFailure(part, error, list)
      return undefined
    }
    try {
      const page = part.source.list(list, request, cursor)
      return isThenable(page) ? Promise.resolve(page).catch(fail) : page
    } catch (error) {
      return fail(error)
    }
  }

  #assemble(
    list: ComponentList,
    request: ServerRequestContext,
    parts: readonly Part[],
    pages: readonly (ListPage | undefined)[],
    skip: number,
    startCursor?: string,
  ): ListPage | undefined {
    const isMissing = pages.length > 0 && pages.every((page) => page === LACKING)
    // A caller who may not see a source must not learn what it lacks.
    if (isMissing && parts.length === this.#parts().length) return undefined
    const stretches: Stretch[] = []
    let next: Bookmark | undefined
    let room = this.#options.pageSize ?? Number.POSITIVE_INFINITY
    for (const [at, page] of pages.entries()) {
      const part = parts[at]
      if (page === undefined || page === LACKING || part === undefined) continue
      const from = at === 0 ? skip : 0
      const items = itemsOf(list, page)
      stretches.push({ part, page, skip: from })
      room -= items.length - from
      if (room < 0) {
        const last = items[items.length + room - 1]
        const cursor = at === 0 ? startCursor : undefined
        next = { part: part.id, cursor, count: items.length + room, key: last && keyOf(list, last) }
        break
      }
      if (page.nextCursor !== undefined) {
        next = { part: part.id, cursor: page.nextCursor, count: 0, key: undefined }
        break
      }
    }
    const cut = Math.min(0, room)
    const facts = [list, this.#version, skip, cut, ...stretches.map(({ part }) => part.id)].join(' ')
    const keys = stretches.map(({ page }) => page)
    return this.#pages.get(keys, facts, () => {
      const page = this.#make(list, request, stretches, cut, next)
      serverOfRequest(request).prepared.add(page)
      return page
    })
  }

  #make(
    list: ComponentList,
    request: ServerRequestContext,
    stretches: readonly Stretch[],
    cut: number,
    next: Bookmark | undefined,
  ): ListPage {
    const shown = stretches.map(({ part, page, skip }, at) => {
      const items = itemsOf(list, page)
      return { part, items: items.slice(skip, at === stretches.length - 1 ? items.length + cut : items.length) }
    })
    const items = this.#name(list, shown)
    const rest = mergeRest(list, request, stretches)
    return Object.freeze({
      ...rest,
      [factsOf(list).member]: Object.freeze(items),
      ...(next !== undefined && { nextCursor: encodeCursor(list, next) }),
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
    const wanted = part.frontName(list, own)
    const { owner, own: ownedAs } = this.#take(list, part, own, wanted)
    if (owner === part && ownedAs === own) return wanted.front
    const isNamed = factsOf(list).key === 'name'
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

  /** The longest namespace first. Each source is listed with all its pages. */
  #search(list: ComponentList, front: string, request: ServerRequestContext): MaybePromise<Owned<Part> | undefined> {
    const isNamed = factsOf(list).key === 'name'
    const candidates = this.#parts()
      .filter(
        (part) => part.isListed(request) && (!isNamed || part.mayHave(front) || part.naming.onCollision === 'prefix'),
      )
      .toSorted((a, b) => (b.namespace?.length ?? 0) - (a.namespace?.length ?? 0))
    const lookIn = (index: number): MaybePromise<Owned<Part> | undefined> => {
      const part = candidates[index]
      if (part === undefined) return undefined
      const found = () => this.table(list).get(front) ?? lookIn(index + 1)
      const listed = this.#listForSearch(list, part, request)
      return isThenable(listed) ? Promise.resolve(listed).then(found) : found()
    }
    return lookIn(0)
  }

  #listForSearch(list: ComponentList, part: Part, request: ServerRequestContext): MaybePromise<void> {
    const caller = callerKey(request)
    const now = serverOfRequest(request).clock.monotonic()
    const key = `${list} ${caller}`
    const last = part.searches.get(key)
    // Who asks while the source is being listed waits for that list.
    if (last !== undefined && now - last.at < SEARCH_PAUSE_MS) return last.running
    const take = (pages: readonly ListPage[]) => {
      this.#name(list, [{ part, items: pages.flatMap((page) => itemsOf(list, page)) }])
    }
    try {
      const pages = wholeList(part.source, list, request)
      if (!isThenable(pages)) return take(pages)
      // What answers at once costs nothing; what does not is asked now and then.
      if (part.searches.size >= MAX_SEARCHERS) part.searches.clear()
      const running = Promise.resolve(pages)
        .then(take, (error) => this.#failedSearch(part, error, list))
        .finally(() => {
          search.running = undefined
        })
      const search: Search = { at: now, running }
      part.searches.set(key, search)
      return running
    } catch (error) {
      return this.#failedSearch(part, error, list)
    }
  }

  #failedSearch(part: Part, error: unknown, list: ComponentList): void {
    if (!isMethodMissing(error)) this.#options.onListFailure(part, error, list)
  }
}

function callerKey({ auth }: ServerRequestContext): string {
  const principal = principalOf(auth)
  return principal === undefined ? '' : principalKey(principal)
}
