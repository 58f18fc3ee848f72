// Reads a listing page by page, and stops where the pages do not end.
import { monotonicNow } from '../../primitives/async/timer.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { Cursor, PaginatedResult } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** A listing with more pages is taken for an endless one. */
export const MAX_PAGES = 1_000

/** Fetches one page; without a cursor the first one. */
export type FetchPage<Page extends PaginatedResult> = (cursor: Cursor | undefined) => Promise<Page>

/** All pages of a listing, in order, each fetched when the reader wants it. */
export async function* eachPage<Page extends PaginatedResult>(fetchPage: FetchPage<Page>): AsyncGenerator<Page, void> {
  const seen = new Set<Cursor>()
  let cursor: Cursor | undefined
  for (let count = 1; ; count += 1) {
    const page = await fetchPage(cursor)
    yield page
    // Spec, Pagination: only a missing cursor ends the list. An empty one continues it.
    cursor = page.nextCursor ?? undefined
    if (cursor === undefined) return
    if (seen.has(cursor)) throw repeatedCursor()
    if (count === MAX_PAGES) throw new LimitError('pages of one listing', MAX_PAGES)
    seen.add(cursor)
  }
}

/** All items of a listing, in order. */
export async function* eachItem<Page extends PaginatedResult, Item>(
  fetchPage: FetchPage<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void> {
  for await (const page of eachPage(fetchPage)) yield* itemsOf(page)
}

/** `maxTotalMs` counts for all pages together, without the time that the reader takes between them. */
export function pagesWithin<Options extends { maxTotalMs?: number | undefined }, Page extends PaginatedResult>(
  options: Options,
  list: (options: Options & { cursor?: Cursor }) => Promise<Page>,
): FetchPage<Page> {
  let { maxTotalMs: leftMs } = options
  return async (cursor) => {
    const startedAt = leftMs === undefined ? 0 : monotonicNow()
    const page = await list({
      ...options,
      ...(cursor !== undefined && { cursor }),
      ...(leftMs !== undefined && { maxTotalMs: leftMs }),
    })
    if (leftMs !== undefined) leftMs = Math.max(0, leftMs - (monotonicNow() - startedAt))
    return page
  }
}

/** Spec, Pagination: a list goes on where a cursor is there that is not null. Many servers write `null` on the last page. */
export function withoutNullCursor(page: JSONObject): JSONObject {
  if (page['nextCursor'] !== null) return page
  const { nextCursor: _none, ...rest } = page
  return rest
}

function repeatedCursor(): LimitError {
  return new LimitError(
    'uses of one cursor',
    1,
    'The server sent a cursor that it had sent before, so its listing would never end. Report this to the author of the server.',
  )
}
