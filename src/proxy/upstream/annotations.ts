// The header annotations of the tools of a source, as each caller has seen them listed.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ListPage } from '../../server/source.ts'
import { type HeaderAnnotation, readHeaderAnnotations } from '../../wire/headers/header-annotations.ts'
import { ByCaller } from './by-caller.ts'

const MAX_PAGES = 1_000

type FetchPage = (cursor: string | undefined) => MaybePromise<ListPage>

export class Annotations {
  readonly #tables = new ByCaller<Map<string, readonly HeaderAnnotation[]>>(() => new Map())

  /** From a page of the list of tools. */
  learn(caller: string, page: object): void {
    const { tools } = page as { tools?: unknown }
    if (!Array.isArray(tools)) return
    const table = this.#tables.of(caller)
    for (const tool of tools) {
      if (!isPlainObject(tool) || typeof tool['name'] !== 'string') continue
      const reading = readHeaderAnnotations(tool['inputSchema'])
      table.set(tool['name'], reading.ok ? reading.annotations : [])
    }
  }

  find(caller: string, tool: string): readonly HeaderAnnotation[] | undefined {
    return this.#tables.find(caller)?.get(tool)
  }

  /** As `find`; a tool that no listing has named is looked up once. */
  async need(caller: string, tool: string, fetch: FetchPage): Promise<readonly HeaderAnnotation[]> {
    const known = this.find(caller, tool)
    if (known !== undefined) return known
    if (this.#tables.find(caller) !== undefined) return []
    await this.relist(caller, fetch).catch(() => {})
    return this.find(caller, tool) ?? []
  }

  /** Reads the whole list anew. `fetch` teaches this table. */
  async relist(caller: string, fetch: FetchPage): Promise<void> {
    this.#tables.forget(caller)
    this.#tables.of(caller)
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { nextCursor } = (await fetch(cursor)) as { nextCursor?: string }
      if (nextCursor === undefined || nextCursor === cursor) return
      cursor = nextCursor
    }
  }

  forget(caller: string): void {
    this.#tables.forget(caller)
  }
}
