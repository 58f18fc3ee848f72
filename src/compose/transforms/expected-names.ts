// Names that a transform was given, where nobody knew at that time which names there are: told once, when the lists are seen.
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { quote } from '../../schema/json-schema.ts'
import { findExtras, type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { ListMethod, ListPage, Source } from '../../server/source.ts'
import { type ComponentList, factsOf, itemsOf, keyOf, NAMED_LISTS, type NamedList } from '../sources/lists.ts'
import { isMethodMissing } from '../sources/unknown.ts'
import { wholeList } from '../sources/whole-list.ts'
import { checkNames } from './match.ts'

/** So often a list is asked for that the caller did not ask for. */
const MAX_TRIES = 3
const REMEDY = 'Use names as they are listed there: those of a gateway, and of a mount with a namespace, begin with it.'

export class ExpectedNames {
  readonly #owner: string
  readonly #lists: readonly NamedList[]
  readonly #missing: Set<string>
  #tries = 0

  constructor(owner: string, names: readonly string[], lists: readonly NamedList[]) {
    this.#owner = owner
    this.#lists = lists
    this.#missing = new Set(names)
  }

  /** `inner` gave this page. Waits only where a name is not in it, and could be in another list. */
  see(list: ListMethod, page: ListPage, request: ServerRequestContext, inner: Source): MaybePromise<unknown> {
    if (this.#missing.size === 0 || !this.#lists.includes(list as NamedList)) return undefined
    this.#take(list as ComponentList, page)
    const isOver = page.nextCursor === undefined && !isShort(request)
    if (this.#missing.size === 0 || !isOver || this.#tries >= MAX_TRIES) return undefined
    this.#tries += 1
    const others = this.#lists.filter((one) => one !== list).map((one) => this.#look(one, request, inner))
    if (!others.some(isThenable)) return this.#report(others as boolean[], request)
    return Promise.all(others).then((known) => this.#report(known, request))
  }

  #take(list: ComponentList, page: ListPage): void {
    for (const item of itemsOf(list, page)) this.#missing.delete(keyOf(list, item))
  }

  /** Whether that list is known now. */
  #look(list: NamedList, request: ServerRequestContext, inner: Source): MaybePromise<boolean> {
    try {
      const taken = whenDone(wholeList(inner, list, request), (pages) => {
        for (const page of pages) this.#take(list, page)
        return !isShort(request)
      })
      return isThenable(taken) ? Promise.resolve(taken).catch(isMethodMissing) : taken
    } catch (error) {
      return isMethodMissing(error)
    }
  }

  #report(isKnown: readonly boolean[], request: ServerRequestContext): void {
    if (!isKnown.every(Boolean)) return
    const kinds = this.#lists.map((list) => factsOf(list).kind).join(' or ')
    for (const name of this.#missing) {
      const message = `${this.#owner} names ${quote(name)}, but no ${kinds} has that name.`
      serverOfRequest(request).faults.report({ kind: 'configuration-warning', message, remedy: REMEDY })
    }
    this.#missing.clear()
  }
}

/** A layer behind shows less than there is. */
function isShort(request: ServerRequestContext): boolean {
  return findExtras(request)?.isShortened === true
}

/** Throws for names that are not there; where nobody knows that yet, it is told later. */
export function expectNames(
  owner: string,
  source: Source,
  names: readonly string[],
  lists: readonly NamedList[] = NAMED_LISTS,
): ExpectedNames | undefined {
  if (names.length === 0 || checkNames(owner, source, names, lists)) return undefined
  return new ExpectedNames(owner, names, lists)
}
