// All pages of a list of one source, within limits, and one component of it.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { Component, ListPage, Source } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ComponentList, factsOf, itemsOf, keyOf, pageOf, restOf } from './lists.ts'

/** A source that repeats cursors, or has no end, is not listed any further. */
const MAX_PAGES = 1_000
const MAX_ITEMS = 100_000
/** For all pages that one call needs. Each of them has a limit of its own. */
const MAX_MS = 60_000

/** What one source has shown of a list so far. */
export interface Shown {
  readonly pages: number
  readonly items: number
}

/**
 * A page of a source as far as it is shown, after what was shown before it. `flaw` says why there is no more: the page is no list, or
 * the list has no end.
 */
export function boundPage(
  list: ComponentList,
  page: ListPage,
  before: Shown,
  cursor: string | undefined,
): { readonly page: ListPage | undefined; readonly flaw?: MCPError } {
  const { member } = factsOf(list)
  if (!Array.isArray((page as unknown as JSONObject)[member])) {
    const flaw = new MCPError(ErrorCode.InternalError, `The result of '${list}' has no list '${member}'`)
    return { page: undefined, flaw }
  }
  const room = MAX_ITEMS - before.items
  const items = itemsOf(list, page)
  const isOver = items.length > room
  const { nextCursor } = page
  const isEndless = nextCursor !== undefined && (nextCursor === cursor || before.pages + 1 >= MAX_PAGES)
  if (!isOver && !isEndless) return { page }
  return { page: pageOf(list, isOver ? items.slice(0, room) : items, restOf(list, page)), flaw: endless(list) }
}

/** The pages of a list, in order. Rejects for a list without end. At once where the source answers at once. */
export function wholeList(
  source: Source,
  list: ComponentList,
  request: ServerRequestContext,
): MaybePromise<readonly ListPage[]> {
  return wholePages(list, request, (cursor) => source.list(list, request, cursor))
}

/** As `wholeList`, for whoever gets the pages in another way. */
export function wholePages(
  list: ComponentList,
  request: ServerRequestContext,
  ask: (cursor?: string) => MaybePromise<ListPage>,
): MaybePromise<readonly ListPage[]> {
  return whenDone(ask(), (first) => (first.nextCursor === undefined ? [first] : collect(list, request, ask, first)))
}

async function collect(
  list: ComponentList,
  request: ServerRequestContext,
  ask: (cursor: string) => MaybePromise<ListPage>,
  first: ListPage,
): Promise<readonly ListPage[]> {
  const pages = [first]
  const seen = new Set<string>()
  const { clock } = serverOfRequest(request)
  const giveUpAt = clock.monotonic() + MAX_MS
  let count = itemsOf(list, first).length
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    if (clock.monotonic() > giveUpAt) throw tooSlow(list)
    if (seen.has(cursor) || pages.length >= MAX_PAGES || count > MAX_ITEMS) throw endless(list)
    seen.add(cursor)
    const page = await ask(cursor)
    pages.push(page)
    count += itemsOf(list, page).length
    cursor = page.nextCursor
  }
  return pages
}

function tooSlow(list: ComponentList): MCPError {
  return new MCPError(ErrorCode.InternalError, `'${list}' was not there after ${MAX_MS / 1000} s, with all its pages`)
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
