// Lists tools on a caller's behalf, when a call shows that too little is known about its tool.
import type { FaultReporter } from '../dispatcher/fault.ts'
import type { CallToolResult } from '../types/tools.ts'
import { eachPage } from './pages.ts'
import type { ListOptions } from './request-options.ts'
import { type CallLimits, ListingTimeout, type ListTools, SharedListing } from './shared-listing.ts'

/** How many names are remembered as looked up, so that a tool that is in no listing costs one listing only. */
const MAX_REMEMBERED = 1_000
const DEFAULT_TIMEOUT_MS = 60_000

export interface ToolLookupOptions {
  listTools: ListTools
  knows(name: string): boolean
  faults: FaultReporter
  /** For calls that name none. 60 s unless given. */
  timeoutMs?: number | undefined
}

export class ToolLookup {
  readonly #options: ToolLookupOptions
  readonly #timeoutMs: number
  /** Names that were looked for. */
  readonly #asked = new Set<string>()
  #listing: SharedListing | undefined

  constructor(options: ToolLookupOptions) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  }

  /**
   * Looks once for a tool that no listing has named yet, together with all who look at the same time. Rejects at the limits of
   * the call alone: where the listing fails, the result is taken as it is, and that is reported if it has structured content.
   */
  async find(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    if (this.#asked.has(name)) return
    try {
      await this.#join().wait(name, { timeoutMs: this.#timeoutMs, ...limits })
    } catch (error) {
      limits.signal?.throwIfAborted()
      if (error instanceof ListingTimeout) throw error
      if (Object.hasOwn(result, 'structuredContent')) this.#reportUnchecked(error)
    }
    if (this.#asked.size >= MAX_REMEMBERED) this.#asked.clear()
    this.#asked.add(name)
  }

  /** Reads the listing anew, page by page, until it has named the tool. */
  async refresh(name: string, options: ListOptions): Promise<void> {
    const { listTools } = this.#options
    const fetchPage = (cursor: string | undefined) => listTools(cursor === undefined ? options : { ...options, cursor })
    for await (const page of eachPage(fetchPage)) {
      if (page.tools.some((tool) => tool.name === name)) return
    }
  }

  #reportUnchecked(error: unknown): void {
    const message = 'The tools could not be listed, so a structured result was not checked'
    this.#options.faults.report({ kind: 'callback-failed', message, method: 'tools/list', error })
  }

  #join(): SharedListing {
    if (this.#listing !== undefined) return this.#listing
    const { listTools, knows } = this.#options
    const listing = new SharedListing({
      listTools,
      knows,
      onEnd: () => {
        if (this.#listing === listing) this.#listing = undefined
      },
    })
    this.#listing = listing
    // Not before somebody waits for it.
    queueMicrotask(() => listing.start())
    return listing
  }
}
