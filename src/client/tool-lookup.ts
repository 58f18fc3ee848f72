// Lists tools on a caller's behalf, when a call shows that too little is known about its tool.
import type { FaultReporter } from '../dispatcher/fault.ts'
import type { ListToolsResult } from '../types/tools.ts'
import { eachPage } from './pages.ts'
import type { ListOptions } from './request-options.ts'

/** How many names are remembered as looked up, so that a tool that is in no listing costs one listing only. */
const MAX_REMEMBERED = 1_000

/** Fetches a page of the listing, which the catalog learns from on the way. */
export type ListTools = (options: ListOptions) => Promise<ListToolsResult>

export class ToolLookup {
  readonly #listTools: ListTools
  readonly #faults: FaultReporter
  /** Lookups by name, under way and done. */
  readonly #lookups = new Map<string, Promise<void>>()

  constructor(listTools: ListTools, faults: FaultReporter) {
    this.#listTools = listTools
    this.#faults = faults
  }

  /** Looks once for a tool that no listing has named yet. Never rejects: the call that wants to know is done already. */
  find(name: string): Promise<void> {
    const known = this.#lookups.get(name)
    if (known !== undefined) return known
    if (this.#lookups.size >= MAX_REMEMBERED) this.#lookups.clear()
    const lookup = this.refresh(name, {}).catch((error: unknown) => {
      const message = 'The tools could not be listed, so a structured result was not checked'
      this.#faults.report({ kind: 'callback-failed', message, method: 'tools/list', error })
    })
    this.#lookups.set(name, lookup)
    return lookup
  }

  /** Reads the listing anew, page by page, until it has named the tool. */
  async refresh(name: string, options: ListOptions): Promise<void> {
    const fetchPage = (cursor: string | undefined) =>
      this.#listTools(cursor === undefined ? options : { ...options, cursor })
    for await (const page of eachPage(fetchPage)) {
      if (page.tools.some((tool) => tool.name === name)) return
    }
  }
}
