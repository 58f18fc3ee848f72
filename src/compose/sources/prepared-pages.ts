// Pages that are made of other pages: kept as long as those are the same ones.
import type { ListPage } from '../../server/source.ts'

interface Kept {
  readonly pages: readonly ListPage[]
  readonly facts: string
  readonly made: ListPage
}

/** By the first page that one was made of: how many with other facts, or other pages after it. */
const MAX_KEPT = 64

export class PreparedPages {
  readonly #kept = new WeakMap<ListPage, Kept[]>()

  /** What was made of these very pages under the same facts; made now where there is none. Only frozen pages stay as they are. */
  get(pages: readonly ListPage[], facts: string, make: () => ListPage): ListPage {
    const [first] = pages
    if (first === undefined || !pages.every(Object.isFrozen)) return make()
    const kept = this.#kept.get(first) ?? []
    const found = kept.find((one) => one.facts === facts && isSame(one.pages, pages))
    if (found !== undefined) return found.made
    const made = make()
    if (kept.length >= MAX_KEPT) kept.shift()
    kept.push({ pages, facts, made })
    this.#kept.set(first, kept)
    return made
  }
}

function isSame(a: readonly ListPage[], b: readonly ListPage[]): boolean {
  return a.length === b.length && a.every((page, at) => page === b[at])
}
