// Pages of a list, and cursors that keep their place while the list changes around them.
import { decodeBase64UrlText, encodeBase64UrlText } from '../../primitives/base64.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'

/** Where an item stands. Items that one registration brings along share its order. */
export interface Place {
  readonly key: string
  readonly order: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

/** Where a page ended, and what stood around it in the same order: there only neighbours can tell where something was. */
interface Bookmark extends Place {
  /** How many came behind it. */
  readonly left: number
  /** Marks of those before it, the nearest first. */
  readonly trail: readonly number[]
}

/** More marks would make cursors long. Without enough of them items may be repeated, never lost. */
const MAX_TRAIL = 128

/** The page that begins at an index of the list. */
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
 * The index to go on at: behind the item that ended the page before or, if that has gone since, behind the last one before it
 * that is still there. A text that is no cursor of this list is `MCPError` -32602.
 */
export function startOf(list: string, items: readonly Place[], cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const last = decodeCursor(list, cursor)
  const known = items.findIndex(({ key, order }) => key === last.key && order === last.order)
  if (known !== -1) return known + 1
  const marks = new Set(last.trail)
  const seen = items.findLastIndex(({ key, order }) => order === last.order && marks.has(markOf(key)))
  if (seen !== -1) return seen + 1
  // All that the cursor remembers has gone. What was left is at the end, as far as it is still there.
  const first = items.findIndex(({ order }) => order >= last.order)
  if (first === -1) return items.length
  return first + Math.max(0, countWhile(items, first, last.order) - last.left)
}

function bookmarkAt(items: readonly Place[], at: number, { key, order }: Place): Bookmark {
  const trail: number[] = []
  for (let i = at - 1; i >= 0 && trail.length < MAX_TRAIL; i -= 1) {
    const place = items[i]
    if (place?.order !== order) break
    trail.push(markOf(place.key))
  }
  return { key, order, left: countWhile(items, at + 1, order), trail }
}

/** How many items from here on have this order. */
function countWhile(items: readonly Place[], from: number, order: number): number {
  let end = from
  while (items[end]?.order === order) end += 1
  return end - from
}

/** FNV-1a: short, and other than that of its neighbours. */
function markOf(key: string): number {
  let mark = 0x811c9dc5
  for (let i = 0; i < key.length; i += 1) mark = Math.imul(mark ^ key.charCodeAt(i), 0x01000193)
  return mark >>> 0
}

function encodeCursor(list: string, { key, order, left, trail }: Bookmark): string {
  return encodeBase64UrlText(JSON.stringify([list, order, left, key, ...trail]))
}

function decodeCursor(list: string, cursor: string): Bookmark {
  const [of, order, left, key, ...trail] = parseList(decodeBase64UrlText(cursor))
  if (of !== list || !isCount(order) || !isCount(left) || typeof key !== 'string' || !trail.every(isCount)) {
    throw new MCPError(ErrorCode.InvalidParams, 'Invalid cursor: begin again without one')
  }
  return { order, left, key, trail }
}

function parseList(text: string | undefined): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
