// Cursors over the pages of several sources: the source, its own cursor, and how far its page was shown.
import { decodeBase64UrlText, encodeBase64UrlText } from '../../primitives/base64.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'

export interface Bookmark {
  /** The id of the part. */
  readonly part: number
  /** The part's own cursor of the page; `undefined` for its first one. */
  readonly cursor: string | undefined
  /** How many items of that page were shown. */
  readonly count: number
  /** The last of them, which counts more than their number: the list may have changed since. */
  readonly key: string | undefined
}

export function encodeCursor(list: string, { part, cursor, count, key }: Bookmark): string {
  return encodeBase64UrlText(JSON.stringify([list, part, cursor ?? null, count, key ?? null]))
}

/** `MCPError` -32602 if the text is not a cursor of this list. */
export function decodeCursor(list: string, text: string): Bookmark {
  const [of, part, cursor, count, key] = parseList(decodeBase64UrlText(text))
  if (of !== list || !isCount(part) || !isCount(count) || !isText(cursor) || !isText(key)) {
    throw new MCPError(ErrorCode.InvalidParams, 'Invalid cursor. List again from the start, without a cursor.')
  }
  return { part, cursor: cursor ?? undefined, count, key: key ?? undefined }
}

/** The index of the first item that was not shown yet. */
export function placeAfter<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { count, key }: Bookmark,
): number {
  if (key === undefined) return Math.min(count, items.length)
  const last = items.findIndex((item) => keyOf(item) === key)
  return last === -1 ? Math.min(count, items.length) : last + 1
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

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
