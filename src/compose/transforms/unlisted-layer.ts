// Components that are in no list, and can be used by those who know their names.
import { whenDone } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListMethod, ListPage, Source } from '../../server/source.ts'
import { withItems } from '../sources/changed-page.ts'
import { type ComponentList, itemsOf, listFacts } from '../sources/lists.ts'
import { PreparedPages } from '../sources/prepared-pages.ts'
import type { ExpectedNames } from './expected-names.ts'
import { Layer } from './layer.ts'
import type { Matcher } from './match.ts'

export class UnlistedLayer extends Layer {
  readonly #matcher: Matcher
  readonly #expected: ExpectedNames | undefined
  readonly #pages = new PreparedPages()

  constructor(inner: Source, matcher: Matcher, expected: ExpectedNames | undefined) {
    super(inner)
    this.#expected = expected
    this.#matcher = matcher
  }

  override list(list: ListMethod, request: ServerRequestContext, cursor?: string) {
    const page = this.inner.list(list, request, cursor)
    if (listFacts(list) === undefined || !this.#matcher.concerns(list as ComponentList)) return page
    return whenDone(page, (found) =>
      whenDone(this.#expected?.see(list, found, request, this.inner), () =>
        this.#without(list as ComponentList, found, request),
      ),
    )
  }

  #without(list: ComponentList, page: ListPage, request: ServerRequestContext): ListPage {
    const { test, isPerCaller } = this.#matcher
    const make = () => {
      const items = itemsOf(list, page).filter((item) => !test(list, item, request))
      return withItems(list, page, items, isPerCaller, request)
    }
    return isPerCaller ? make() : this.#pages.get([page], list, make)
  }
}
