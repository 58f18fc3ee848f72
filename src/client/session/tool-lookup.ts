// Looks up tools that no listing has named yet: one listing for all calls that need it, each within its own limits.

import type { SendHints } from '../../dispatcher/channel.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { createDeferred, type Deferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { CallToolResult, ListToolsResult } from '../../types/features/tools.ts'
import { isConnectionFailure, statusOf } from '../transports/http-status.ts'
import { eachPage } from './pages.ts'
import type { ListOptions, RequestOptions } from './request-options.ts'

/** Fetches a page of the listing. When it resolves, the catalog knows the tools on it. */
type ListTools = (options: ListOptions) => Promise<ListToolsResult>

/** The limits of the call that causes a listing. */
export type CallLimits = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

/** Names remembered as looked up, so that a tool that is in no listing costs one listing only. */
const MAX_REMEMBERED = 1_000
const DEFAULT_TIMEOUT_MS = 60_000
/** How long a result that has come waits for a page of the listing, and for the whole of it. */
const RESULT_WAITS_MS = 10_000
const RESULT_WAITS_IN_ALL_MS = 60_000

const UNAVAILABLE = 503
const NOT_RETRIED: SendHints = Object.freeze({ isRepeatable: false })

interface ToolLookupOptions {
  listTools: ListTools
  knows(name: string): boolean
  faults: FaultReporter
  /** For calls that name none. */
  timeoutMs?: number | undefined
}

export class ToolLookup {
  readonly #options: ToolLookupOptions
  readonly #timeoutMs: number
  readonly #lookedUp = new Set<string>()
  #listing: SharedListing | undefined

  constructor(options: ToolLookupOptions) {
    this.#options = options
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  }

  /**
   * Lists the tools once for a tool that no listing has named yet. Calls at the same time share the listing. Rejects only at the
   * limits of the call: when the listing fails, nothing is known about the tool.
   */
  async find(name: string, limits: CallLimits): Promise<void> {
    if (this.#lookedUp.has(name)) return
    try {
      await this.#join().wait(name, { ...limits, timeoutMs: limits.timeoutMs ?? this.#timeoutMs })
    } catch (error) {
      limits.signal?.throwIfAborted()
      if (error instanceof ListingTimeout) throw error
    }
    this.#remember(name)
  }

  /**
   * As `find`, for a call whose result has come. The result must not get lost for the sake of its check: rejects only when the caller
   * aborts. When the listing fails or does not come in time, a structured result stays unchecked, which is reported. The listing
   * is not retried: a server that has gone after its last result would keep that result from the caller.
   */
  async findForResult(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    if (this.#lookedUp.has(name)) return
    const { signal, timeoutMs = this.#timeoutMs, maxTotalMs = Infinity } = limits
    try {
      await this.#join(NOT_RETRIED).wait(name, {
        signal,
        timeoutMs: Math.min(timeoutMs, RESULT_WAITS_MS),
        maxTotalMs: Math.min(maxTotalMs, RESULT_WAITS_IN_ALL_MS),
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (Object.hasOwn(result, 'structuredContent')) this.#reportUnchecked(error)
      // The server may be back with the next call.
      if (isAway(error)) return
    }
    this.#remember(name)
  }

  /** Reads the listing again, page by page, until it names the tool. */
  async refresh(name: string, options: ListOptions): Promise<void> {
    const { listTools } = this.#options
    const fetchPage = (cursor: string | undefined) => listTools(cursor === undefined ? options : { ...options, cursor })
    for await (const page of eachPage(fetchPage)) {
      if (page.tools.some((tool) => tool.name === name)) return
    }
  }

  #remember(name: string): void {
    if (this.#lookedUp.size >= MAX_REMEMBERED) this.#lookedUp.clear()
    this.#lookedUp.add(name)
  }

  #reportUnchecked(error: unknown): void {
    const problem = error instanceof ListingTimeout ? 'was not answered in time' : 'failed'
    const message = `A structured result was not checked because tools/list ${problem}.`
    this.#options.faults.report({ kind: 'callback-failed', message, method: 'tools/list', error })
  }

  /** `hints` count where no listing is under way. */
  #join(hints?: SendHints): SharedListing {
    if (this.#listing !== undefined) return this.#listing
    const { listTools, knows } = this.#options
    const listing = new SharedListing({
      listTools,
      knows,
      hints,
      onEnd: () => {
        if (this.#listing === listing) this.#listing = undefined
      },
    })
    this.#listing = listing
    // In a microtask, when the caller waits for it.
    queueMicrotask(() => listing.start())
    return listing
  }
}

interface SharedListingOptions {
  listTools: ListTools
  knows(name: string): boolean
  readonly hints: SendHints | undefined
  /** Called once, when reading has ended and before the waiting calls continue. */
  onEnd(): void
}

/** Reads until all wanted tools are known, to the end of the listing, or until no call waits any more. */
class SharedListing {
  readonly #options: SharedListingOptions
  readonly #wanted = new Set<string>()
  readonly #waiting = new Set<Waiter>()
  readonly #abort = new AbortController()
  #isOver = false

  constructor(options: SharedListingOptions) {
    this.#options = options
  }

  /** Reads nothing where every call has left already. */
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
      if (this.#waiting.size === 0 && !this.#isOver)
        this.#abort.abort(new Error('No call waits for the tools any more.'))
    }
  }

  async #read(): Promise<void> {
    const { listTools, knows, hints } = this.#options
    // No timeout of its own: it ends with the limits of the last call that waits.
    const options = { signal: this.#abort.signal, timeoutMs: Infinity, ...(hints && { hints }) }
    const fetchPage = (cursor: string | undefined) => listTools(cursor === undefined ? options : { ...options, cursor })
    for await (const _page of eachPage(fetchPage)) {
      for (const waiter of this.#waiting) waiter.touch()
      if ([...this.#wanted].every(knows)) return
    }
  }

  #end(settle: (waiter: Waiter) => void): void {
    this.#isOver = true
    this.#options.onEnd()
    for (const waiter of this.#waiting) settle(waiter)
  }
}

/** Whether the server could not be reached, or was too busy. */
function isAway(error: unknown): boolean {
  return isConnectionFailure(error instanceof MCPError ? error.cause : error) || statusOf(error) === UNAVAILABLE
}

/** A limit of the call ended before the listing did. */
export class ListingTimeout extends MCPError {
  constructor(problem: string) {
    super(ErrorCode.RequestTimeout, `The tool could not be looked up: 'tools/list' ${problem}`, undefined, {
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
    this.#total = this.#set(maxTotalMs, 'took longer than maxTotalMs of the call')
    this.touch()
  }

  /** A page has arrived, which resets `timeoutMs`. */
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
