// Cursors over the pages of several sources: the source, its own cursor, and how far its page was shown.
import { encodeBase64Url, encodeBase64UrlText } from '../../primitives/base64.ts'
import { hmacSHA256 } from '../../primitives/hmac.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { isCount, partsOfCursor } from '../sources/cursor-parts.ts'

export interface Bookmark {
  /** The id of the part. */
  readonly part: number
  /** The part's own cursor of the page; `undefined` for its first one. */
  readonly cursor: string | undefined
  /** How many items of that page were shown. */
  readonly count: number
  /** The last of them, which counts more than their number: the list may have changed since. */
  readonly key: string | undefined
  /** How many pages of the part came before that page. */
  readonly pages: number
  /** How many items were on them. */
  readonly items: number
  /** Whether the pages before are for their caller alone: then all others are, too. */
  readonly isPerCaller: boolean
}

/** For this purpose only: a secret of the author's seals other things, too. */
const PURPOSE = new TextEncoder().encode('mcpwire cursor of several sources')
const TAG_BYTES = 16

/**
 * Writes and reads cursors. Each has a tag, so that one that nobody here has made is refused. With secrets, which all nodes of a server
 * share, nobody else can make one. Without any, any node must take what another one made, so that a tag only shows what was damaged, or
 * belongs to another list; a position that somebody makes up leads to nothing that its caller could not list anyway.
 */
export class Cursors {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]]

  /** The first one signs, all of them verify. */
  constructor(secrets: readonly Uint8Array[] = []) {
    const [first = hmacSHA256(new Uint8Array(0), PURPOSE), ...others] = secrets.map((one) => hmacSHA256(one, PURPOSE))
    this.#keys = [first, ...others]
  }

  write(list: string, place: Bookmark): string {
    const { part, cursor, count, key, pages, items, isPerCaller } = place
    const body = encodeBase64UrlText(
      JSON.stringify([part, cursor ?? null, count, key ?? null, pages, items, isPerCaller]),
    )
    return `${body}.${tagOf(this.#keys[0], list, body)}`
  }

  /** `MCPError` -32602 if the text is not a cursor of this list. */
  read(list: string, text: string): Bookmark {
    const [body = '', tag = '', ...rest] = text.split('.', 3)
    if (rest.length > 0 || !this.#keys.some((key) => isSameText(tagOf(key, list, body), tag))) throw invalidCursor()
    const [part, cursor, count, key, pages, items, isPerCaller] = partsOfCursor(body)
    const areCounts = isCount(part) && isCount(count) && isCount(pages) && isCount(items)
    if (!areCounts || !isText(cursor) || !isText(key) || typeof isPerCaller !== 'boolean') throw invalidCursor()
    return { part, cursor: cursor ?? undefined, count, key: key ?? undefined, pages, items, isPerCaller }
  }
}

function tagOf(key: Uint8Array, list: string, body: string): string {
  return encodeBase64Url(hmacSHA256(key, new TextEncoder().encode(`${list}\n${body}`)).subarray(0, TAG_BYTES))
}

/** In a time that does not say where they differ. */
function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}

export function invalidCursor(): MCPError {
  return new MCPError(ErrorCode.InvalidParams, 'Invalid cursor. List again from the start, without a cursor.')
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

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
