// Calls tools with what their listings tell: repairs a call whose headers were stale, checks structured results.
import type { FaultReporter } from '../dispatcher/fault.ts'
import type { SchemaEngine } from '../schema/engine.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import type { CallToolResult, ListToolsResult } from '../types/tools.ts'
import type { HeaderAnnotation } from '../wire/header-annotations.ts'
import type { Agreement } from './agreement.ts'
import { type Outcome, takeResult } from './outbound.ts'
import type { CallToolOptions, ListOptions, RequestOptions } from './request-options.ts'
import { ToolCatalog } from './tool-catalog.ts'
import { ToolLookup } from './tool-lookup.ts'

/** How a session sends. */
export interface ToolRequests {
  send(method: string, params: JSONObject, options: RequestOptions): Promise<Outcome>
  listTools(options: ListOptions): Promise<ListToolsResult>
}

export class ToolCalls {
  readonly #agreement: Agreement
  readonly #requests: ToolRequests
  readonly #catalog: ToolCatalog
  readonly #lookup: ToolLookup
  readonly #repeatsSafeTools: boolean

  constructor(
    agreement: Agreement,
    requests: ToolRequests,
    engine: SchemaEngine,
    faults: FaultReporter,
    repeatsSafeTools = false,
  ) {
    this.#repeatsSafeTools = repeatsSafeTools
    this.#agreement = agreement
    this.#requests = requests
    this.#catalog = new ToolCatalog(engine, faults)
    this.#lookup = new ToolLookup((options) => requests.listTools(options), faults)
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
    const options = this.#repeatsSafeTools && this.#catalog.isRepeatable(name) ? asRepeatable(given) : given
    let outcome: Outcome
    try {
      outcome = await this.#requests.send('tools/call', params, options)
    } catch (error) {
      outcome = await this.#repeat(error, name, params, options)
    }
    if (outcome.kind !== 'complete') return takeResult('tools/call', outcome, given)
    const lookup = this.validate(name, outcome.result as unknown as CallToolResult)
    if (lookup !== undefined) await lookup
    return outcome.result
  }

  /** Throws or rejects with `InvalidResultError`. There is a promise only where the tool has to be looked up first. */
  validate(name: string, result: CallToolResult): Promise<void> | undefined {
    const { era, serverCapabilities } = this.#agreement
    if (!era.hasOutputSchemas || result.isError === true) return undefined
    const hasContent = Object.hasOwn(result, 'structuredContent')
    if (hasContent && !this.#catalog.knows(name) && serverCapabilities?.tools !== undefined) {
      return this.#lookup.find(name).then(() => this.#catalog.checkResult(name, result))
    }
    this.#catalog.checkResult(name, result)
    return undefined
  }

  /**
   * Spec, Streamable HTTP: a header mismatch is found before the tool runs, and may come from an old listing; so the tools
   * are listed anew and the call is repeated, once. Any other error is the answer.
   */
  async #repeat(error: unknown, name: string, params: JSONObject, options: CallToolOptions): Promise<Outcome> {
    const mayBeStale = this.#agreement.era.mirrorsArguments && isHeaderMismatch(error)
    if (!mayBeStale || !(await this.#refresh(name, options))) throw error
    // The id that the caller chose is used up.
    const { requestId: _requestId, ...again } = options
    return this.#requests.send('tools/call', params, again)
  }

  async #refresh(name: string, { signal }: CallToolOptions): Promise<boolean> {
    try {
      await this.#lookup.refresh(name, signal === undefined ? {} : { signal })
      return true
    } catch {
      signal?.throwIfAborted()
      // The caller should read why its call failed, not why the repair did.
      return false
    }
  }
}

/** What the caller says about this very call goes before what the listing says about the tool. */
function asRepeatable(options: CallToolOptions): CallToolOptions {
  return { ...options, hints: { isRepeatable: true, ...options.hints } }
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.HeaderMismatch
}
