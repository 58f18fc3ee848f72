// Calls tools with what their listings tell: repairs a call whose headers were stale, checks structured results.
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { limitTotalTime } from '../../primitives/async/abort.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import type { SchemaEngine } from '../../schema/engine.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { CallToolResult, ListToolsResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { Agreement } from './agreement.ts'
import { type Outcome, takeResult } from './outbound.ts'
import { eachPage } from './pages.ts'
import type { CallToolOptions, ListOptions, RequestOptions } from './request-options.ts'
import { type CallLimits, ListingTimeout, type ListTools, SharedListing } from './shared-listing.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { wrongFirst } from './wrong-first.ts'

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

class ToolLookup {
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

/** How a session sends. */
export interface ToolRequests {
  send(method: string, params: JSONObject, options: RequestOptions): Promise<Outcome>
  listTools(options: ListOptions): Promise<ListToolsResult>
}

export interface ToolCallsOptions {
  readonly engine: SchemaEngine
  readonly faults: FaultReporter
  /** Time without a sign of life, for calls that name none. */
  readonly timeoutMs?: number | undefined
  readonly repeatSafeTools?: boolean | undefined
}

export class ToolCalls {
  readonly #agreement: Agreement
  readonly #requests: ToolRequests
  readonly #catalog: ToolCatalog
  readonly #lookup: ToolLookup
  readonly #repeatsSafeTools: boolean

  constructor(agreement: Agreement, requests: ToolRequests, options: ToolCallsOptions) {
    const { engine, faults, timeoutMs, repeatSafeTools = false } = options
    this.#repeatsSafeTools = repeatSafeTools
    this.#agreement = agreement
    this.#requests = requests
    const catalog = new ToolCatalog(engine, faults)
    this.#catalog = catalog
    const listTools = (listing: ListOptions) => requests.listTools(listing)
    this.#lookup = new ToolLookup({ listTools, knows: (name) => catalog.knows(name), faults, timeoutMs })
  }

  annotationsOf(toolName: unknown): readonly HeaderAnnotation[] {
    return this.#catalog.annotationsOf(toolName)
  }

  /** Learns from a listing and returns the part of it that can be called. */
  absorb(listing: ListToolsResult, isComplete: boolean): ListToolsResult {
    return this.#catalog.absorb(listing, { isComplete, dropsMisannotated: this.#agreement.era.mirrorsArguments })
  }

  /** Throws what can be known without the server, too, only by the promise. */
  async call(name: string, params: JSONObject, given: CallToolOptions): Promise<JSONObject> {
    if (typeof name !== 'string') throw wrongFirst('callTool')
    const options = this.#repeatsSafeTools && this.#catalog.isRepeatable(name) ? asRepeatable(given) : given
    const startedAt = given.maxTotalMs === undefined ? 0 : monotonicNow()
    let outcome: Outcome
    try {
      outcome = await this.#requests.send('tools/call', params, options)
    } catch (error) {
      outcome = await this.#repeat(error, name, params, options, startedAt)
    }
    if (outcome.kind !== 'complete') return takeResult('tools/call', outcome, given)
    const result = outcome.result as unknown as CallToolResult
    if (this.#mustLookUp(name, result)) await this.#lookup.find(name, result, limitsLeft(given, startedAt))
    this.#check(name, result)
    return outcome.result
  }

  /** Rejects with `InvalidResultError`, and at the limits where the tool has to be looked up first. */
  async validate(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    if (this.#mustLookUp(name, result)) await this.#lookup.find(name, result, limits)
    this.#check(name, result)
  }

  /** A result without structured content may lack what its tool has an output schema for. */
  #mustLookUp(name: string, { isError }: CallToolResult): boolean {
    const { era, serverCapabilities } = this.#agreement
    if (isError === true || this.#catalog.knows(name)) return false
    return era.hasOutputSchemas && serverCapabilities?.tools !== undefined
  }

  #check(name: string, result: CallToolResult): void {
    if (this.#agreement.era.hasOutputSchemas && result.isError !== true) this.#catalog.checkResult(name, result)
  }

  /**
   * Spec, Streamable HTTP: a header mismatch is found before the tool runs, and may come from an old listing; so the tools
   * are listed anew and the call is repeated, once. Any other error is the answer.
   */
  async #repeat(
    error: unknown,
    name: string,
    params: JSONObject,
    options: CallToolOptions,
    startedAt: number,
  ): Promise<Outcome> {
    const mayBeStale = this.#agreement.era.mirrorsArguments && isHeaderMismatch(error)
    if (!mayBeStale || !(await this.#refresh(name, limitsLeft(options, startedAt)))) throw error
    // The id that the caller chose is used up, and so is some of the time.
    const { requestId: _requestId, ...again } = options
    return this.#requests.send('tools/call', params, { ...again, ...limitsLeft(options, startedAt) })
  }

  async #refresh(name: string, limits: CallLimits): Promise<boolean> {
    const { maxTotalMs, signal } = limits
    const total = limitTotalTime(maxTotalMs, signal, () => new ListingTimeout('took all the time that the call has'))
    try {
      await this.#lookup.refresh(name, { ...limits, ...(total.signal && { signal: total.signal }) })
      return true
    } catch {
      signal?.throwIfAborted()
      // The caller should read why its call failed, not why the repair did.
      return false
    } finally {
      total.clear()
    }
  }
}

/** What a call leaves of its limits to something that it causes. */
function limitsLeft({ signal, timeoutMs, maxTotalMs }: CallLimits, startedAt: number): CallLimits {
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxTotalMs !== undefined && { maxTotalMs: Math.max(0, maxTotalMs - (monotonicNow() - startedAt)) }),
  }
}

/** What the caller says about this very call goes before what the listing says about the tool. */
function asRepeatable(options: CallToolOptions): CallToolOptions {
  return { ...options, hints: { isRepeatable: true, ...options.hints } }
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.HeaderMismatch
}
