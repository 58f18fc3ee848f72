// All pages of a list of one source, within limits, and one component of it.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component, ListPage, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { type ComponentList, itemsOf, keyOf } from './lists.ts'

/** A source that repeats cursors, or has no end, is not listed any further. */
const MAX_PAGES = 1_000
const MAX_ITEMS = 100_000

/** The pages of a list, in order. Rejects for a list without end. At once where the source answers at once. */
export function wholeList(
  source: Source,
  list: ComponentList,
  request: ServerRequestContext,
): MaybePromise<readonly ListPage[]> {
  return whenDone(source.list(list, request), (first) =>
    first.nextCursor === undefined ? [first] : collect(source, list, request, first),
  )
}

async function collect(
  source: Source,
  list: ComponentList,
  request: ServerRequestContext,
  first: ListPage,
): Promise<readonly ListPage[]> {
  const pages = [first]
  const seen = new Set<string>()
  let count = itemsOf(list, first).length
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    if (seen.has(cursor) || pages.length >= MAX_PAGES || count > MAX_ITEMS) throw endless(list)
    seen.add(cursor)
    const page = await source.list(list, request, cursor)
    pages.push(page)
    count += itemsOf(list, page).length
    cursor = page.nextCursor
  }
  return pages
}

function endless(list: ComponentList): MCPError {
  const most = `${MAX_PAGES} pages and ${MAX_ITEMS} items`
  return new MCPError(ErrorCode.InternalError, `'${list}' has no end: cursors repeat, or there are more than ${most}`)
}

/** By key: what the pages of a list hold. Made once for pages that are handed out again. */
const indexes = new WeakMap<ListPage, Map<ComponentList, ReadonlyMap<string, Component>>>()

function indexOf(list: ComponentList, page: ListPage): ReadonlyMap<string, Component> {
  const known = indexes.get(page)?.get(list)
  if (known !== undefined) return known
  const index = new Map(itemsOf(list, page).map((item) => [keyOf(list, item), item]))
  if (!Object.isFrozen(page)) return index
  const lists = indexes.get(page) ?? new Map<ComponentList, ReadonlyMap<string, Component>>()
  lists.set(list, index)
  indexes.set(page, lists)
  return index
}

/** One component as the caller sees it. A source that can't find it is listed. */
export function findComponent(
  source: Source,
  list: ComponentList,
  key: string,
  request: ServerRequestContext,
): MaybePromise<Component | undefined> {
  return source.find === undefined ? searchLists(source, list, key, request) : source.find(list, key, request)
}

/** As `findComponent`, by its lists. */
export function searchLists(
  source: Source,
  list: ComponentList,
  key: string,
  request: ServerRequestContext,
): MaybePromise<Component | undefined> {
  const pages = wholeList(source, list, request)
  return isThenable(pages) ? Promise.resolve(pages).then((all) => search(list, all, key)) : search(list, pages, key)
}

function search(list: ComponentList, pages: readonly ListPage[], key: string): Component | undefined {
  for (const page of pages) {
    const found = indexOf(list, page).get(key)
    if (found !== undefined) return found
  }
  return undefined
}
