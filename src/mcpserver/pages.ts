// Pages of a list, and cursors that keep their place while the list changes around them.
import { decodeBase64UrlText, encodeBase64UrlText } from '../primitives/base64.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'

/** Where an item stands. Items that one registration brings along share its order and count their index. */
export interface Place {
  readonly key: string
  readonly order: number
  readonly index: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

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
    : { items: page, nextCursor: encodeCursor(list, last) }
}

/**
 * The index to go on at. The item that ended the page before is looked for by its key; if it has gone since, the first one
 * behind its place comes next. A text that is no cursor of this list is `MCPError` -32602.
 */
export function startOf(list: string, items: readonly Place[], cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const last = decodeCursor(list, cursor)
  const known = items.findIndex(({ key, order }) => key === last.key && order === last.order)
  if (known !== -1) return known + 1
  const next = items.findIndex((place) => isBehind(place, last))
  return next === -1 ? items.length : next
}

function isBehind(place: Place, last: Place): boolean {
  return place.order > last.order || (place.order === last.order && place.index > last.index)
}

function encodeCursor(list: string, { key, order, index }: Place): string {
  return encodeBase64UrlText(JSON.stringify([list, order, index, key]))
}

function decodeCursor(list: string, cursor: string): Place {
  const [of, order, index, key] = parseList(decodeBase64UrlText(cursor))
  if (of !== list || !isCount(order) || !isCount(index) || typeof key !== 'string') {
    throw new MCPError(ErrorCode.InvalidParams, 'Invalid cursor: begin again without one')
  }
  return { order, index, key }
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
