// Looks up tools that no listing has named yet: one listing for all calls that need it, each within its own limits.

import type { FaultReporter } from '../../dispatcher/fault.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { CallToolResult, ListToolsResult } from '../../types/features/tools.ts'
import { eachPage } from './pages.ts'
import type { ListOptions, RequestOptions } from './request-options.ts'

/** Fetches a page of the listing, which the catalog learns from on the way. */
export type ListTools = (options: ListOptions) => Promise<ListToolsResult>

/** The limits of the call that causes a listing. */
export type CallLimits = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

/** How many names are remembered as looked up, so that a tool that is in no listing costs one listing only. */
const MAX_REMEMBERED = 1_000
const DEFAULT_TIMEOUT_MS = 60_000

interface ToolLookupOptions {
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

export interface SharedListingOptions {
  listTools: ListTools
  knows(name: string): boolean
  /** Nothing is read any more. Called once, before anybody is told of the outcome. */
  onEnd(): void
}

/** Reads until everything that is waited for is known, or to the end; no longer than anybody waits. */
export class SharedListing {
  readonly #options: SharedListingOptions
  readonly #wanted = new Set<string>()
  readonly #waiting = new Set<Waiter>()
  readonly #abort = new AbortController()
  #isOver = false

  constructor(options: SharedListingOptions) {
    this.#options = options
  }

  /** Whoever was to wait for it may have left by then. */
  start(): void {
    const reading = this.#waiting.size === 0 ? Promise.resolve() : this.#read()
    reading.then(
      () => this.#end((waiter) => waiter.outcome.resolve()),
      (error: unknown) => this.#end((waiter) => waiter.outcome.reject(error)),
    )
  }

  /** Rejects with `ListingTimeout` or the signal's reason at the caller's limits, otherwise with the failure of the listing. */
  async wait(name: string, limits: CallLimits): Promise<void> {
    limits.signal?.throwIfAborted()
    const waiter = new Waiter(limits)
    this.#wanted.add(name)
    this.#waiting.add(waiter)
    try {
      await waiter.outcome.promise
    } finally {
      waiter.stop()
      this.#waiting.delete(waiter)
      if (this.#waiting.size === 0 && !this.#isOver) this.#abort.abort(new Error('Nobody waits for the tools any more'))
    }
  }

  async #read(): Promise<void> {
    const { listTools, knows } = this.#options
    // Those who wait have limits of their own, and with the last of them this one ends.
    const options = { signal: this.#abort.signal, timeoutMs: Infinity }
    const fetchPage = (cursor: string | undefined) => listTools(cursor === undefined ? options : { ...options, cursor })
    for await (const _page of eachPage(fetchPage)) {
      for (const waiter of this.#waiting) waiter.touch()
      if ([...this.#wanted].every(knows)) return
    }
  }

  #end(tell: (waiter: Waiter) => void): void {
    this.#isOver = true
    this.#options.onEnd()
    for (const waiter of this.#waiting) tell(waiter)
  }
}

/** A limit of the call has ended the listing. */
export class ListingTimeout extends MCPError {
  constructor(problem: string) {
    super(ErrorCode.RequestTimeout, `The result could not be checked: 'tools/list' ${problem}`, undefined, {
      local: true,
    })
  }
}

class Waiter {
  readonly outcome: Deferred<void> = createDeferred()
  readonly #limits: CallLimits
  readonly #total: Timer | undefined
  readonly #leave = () => this.outcome.reject(this.#limits.signal?.reason)
  #idle: Timer | undefined

  constructor(limits: CallLimits) {
    this.#limits = limits
    const { signal, maxTotalMs } = limits
    if (signal !== undefined) listenForAbort(signal, this.#leave)
    this.#total = this.#set(maxTotalMs, 'was not answered in the time that the call has in all')
    this.touch()
  }

  /** A page has come: a sign of life. */
  touch(): void {
    const { timeoutMs } = this.#limits
    clearTimeout(this.#idle)
    this.#idle = this.#set(timeoutMs, `timed out after ${timeoutMs} ms without a sign of life`)
  }

  stop(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#idle)
    if (this.#limits.signal !== undefined) forgetAbort(this.#limits.signal, this.#leave)
  }

  #set(ms: number | undefined, problem: string): Timer | undefined {
    if (ms === undefined || ms > MAX_TIMER_MS) return undefined
    return setTimeout(() => this.outcome.reject(new ListingTimeout(problem)), Math.max(0, ms))
  }
}
