// Pages of a list, and cursors that stay valid while the list changes.
import { isCount, partsOfCursor } from '../../compose/sources/cursor-parts.ts'
import { encodeBase64UrlText } from '../../primitives/base64.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'

/** The position of an item. Items of one registration share its order. */
export interface Place {
  readonly key: string
  readonly order: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** Where a page ended. Among items of the same order, only their neighbours say where an item was. */
interface Bookmark extends Place {
  /** How many items of the same order came after it. */
  readonly left: number
  /** Hashes of the items before it, the nearest first. */
  readonly trail: readonly number[]
}

/** Keeps cursors short. If all of these items have gone, some items may be repeated, but none is lost. */
const MAX_TRAIL = 128

/** The page that starts at this index. */
export function pageFrom<Item extends Place>(
  list: string,
  items: readonly Item[],
  start: number,
  pageSize: number | undefined,
): Page<Item> {
  const end = pageSize === undefined ? items.length : start + pageSize
  const page = items.slice(start, end)
  const last = page.at(-1)
  return last === undefined || end >= items.length
    ? { items: page }
    : { items: page, nextCursor: encodeCursor(list, bookmarkAt(items, end - 1, last)) }
}

/**
 * The index of the next page: after the last item of the page before or, if it has gone, after the last one before it that is
 * still there. `MCPError` -32602 if the text is not a cursor of this list.
 */
export function startOf(list: string, items: readonly Place[], cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const last = decodeCursor(list, cursor)
  const known = items.findIndex(({ key, order }) => key === last.key && order === last.order)
  if (known !== -1) return known + 1
  const marks = new Set(last.trail)
  const seen = items.findLastIndex(({ key, order }) => order === last.order && marks.has(hashKey(key)))
  if (seen !== -1) return seen + 1
  // All items that the cursor knows have gone. The items that were left are the last ones of this order.
  const first = items.findIndex(({ order }) => order >= last.order)
  if (first === -1) return items.length
  return first + Math.max(0, countWhile(items, first, last.order) - last.left)
}

function bookmarkAt(items: readonly Place[], at: number, { key, order }: Place): Bookmark {
  const trail: number[] = []
  for (let i = at - 1; i >= 0 && trail.length < MAX_TRAIL; i -= 1) {
    const place = items[i]
    if (place?.order !== order) break
    trail.push(hashKey(place.key))
  }
  return { key, order, left: countWhile(items, at + 1, order), trail }
}

/** How many items from this index on have this order. */
function countWhile(items: readonly Place[], from: number, order: number): number {
  let end = from
  while (items[end]?.order === order) end += 1
  return end - from
}

/** FNV-1a: short, and different from that of its neighbours. */
function hashKey(key: string): number {
  let mark = 0x811c9dc5
  for (let i = 0; i < key.length; i += 1) mark = Math.imul(mark ^ key.charCodeAt(i), 0x01000193)
  return mark >>> 0
}

function encodeCursor(list: string, { key, order, left, trail }: Bookmark): string {
  return encodeBase64UrlText(JSON.stringify([list, order, left, key, ...trail]))
}

function decodeCursor(list: string, cursor: string): Bookmark {
  const [of, order, left, key, ...trail] = partsOfCursor(cursor)
  if (of !== list || !isCount(order) || !isCount(left) || typeof key !== 'string' || !trail.every(isCount)) {
    throw new MCPError(ErrorCode.InvalidParams, 'Invalid cursor. List again from the start, without a cursor.')
  }
  return { order, left, key, trail }
}
