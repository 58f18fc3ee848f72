// How many components the lists of a source have. A list comes in pages: it is counted when its last page is read.
import type { ListMethod, ListPage } from '../../server/source.ts'

const MAX_CURSORS = 256

export class ListCounts {
  readonly #counts: Record<string, number>
  /** What stands before the page of a cursor. */
  readonly #before = new Map<string, number>()

  /** `counts` gets how many components each list had when it was last read to its end. */
  constructor(counts: Record<string, number>) {
    this.#counts = counts
  }

  /** A page that `cursor` led this caller to; without one it is the first. */
  add(list: ListMethod, caller: string, cursor: string | undefined, page: ListPage): void {
    const items = Object.values(page).find(Array.isArray)
    const before = cursor === undefined ? 0 : this.#before.get(keyOf(list, caller, cursor))
    if (items === undefined || before === undefined) return
    const count = before + items.length
    const { nextCursor } = page
    if (nextCursor === undefined) this.#counts[list] = count
    else this.#keep(keyOf(list, caller, nextCursor), count)
  }

  /** The source has changed: pages that were read belong to no list that there is now. */
  clear(): void {
    this.#before.clear()
  }

  #keep(key: string, count: number): void {
    this.#before.delete(key)
    const [oldest] = this.#before.keys()
    if (this.#before.size >= MAX_CURSORS && oldest !== undefined) this.#before.delete(oldest)
    this.#before.set(key, count)
  }
}

function keyOf(list: ListMethod, caller: string, cursor: string): string {
  return `${list}\n${caller}\n${cursor}`
}
