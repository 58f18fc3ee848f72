// Calls tools with what their listings say: repeats a call whose headers were stale, and checks structured results.

import type { FaultReporter } from '../../dispatcher/fault.ts'
import { limitTotalTime } from '../../primitives/async/abort.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { loading } from '../../primitives/loading.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, MissingClientCapabilityError } from '../../types/errors/errors.ts'
import type { CallToolResult, ToolExecution } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { hasCoreTasks } from '../../wire/revision-facts.ts'
import { type AgreedRequests, allowedResult } from './agreed-requests.ts'
import type { Agreement } from './agreement.ts'
import type { Outcome } from './outbound.ts'
import { type CallToolOptions, firstArgumentError } from './request-options.ts'
import type { ToolCatalog } from './tool-catalog.ts'
import { type CallLimits, ListingTimeout, ToolLookup } from './tool-lookup.ts'

interface ToolCallsOptions {
  readonly agreement: Agreement
  readonly requests: AgreedRequests
  readonly catalog: ToolCatalog
  readonly faults: FaultReporter
  /** Time without progress, for calls that name none. */
  readonly timeoutMs?: number | undefined
  readonly repeatSafeTools?: boolean | undefined
}

export class ToolCalls {
  readonly #agreement: Agreement
  readonly #requests: AgreedRequests
  readonly #catalog: ToolCatalog
  readonly #lookup: ToolLookup
  readonly #repeatsSafeTools: boolean

  constructor({ agreement, requests, catalog, faults, timeoutMs, repeatSafeTools = false }: ToolCallsOptions) {
    this.#agreement = agreement
    this.#requests = requests
    this.#catalog = catalog
    this.#repeatsSafeTools = repeatSafeTools
    this.#lookup = new ToolLookup({
      listTools: (options) => requests.list('tools/list', options),
      knows: (name) => catalog.knows(name),
      faults,
      timeoutMs,
    })
  }

  /** Never throws by itself: rejects, also for what can be known without the server. Not async, as all that each call passes. */
  call(name: string, params: JSONObject, given: CallToolOptions): Promise<JSONObject> {
    if (typeof name !== 'string') return Promise.reject(firstArgumentError('callTool', name))
    const options = this.#repeatsSafeTools && this.#catalog.isRepeatable(name) ? asRepeatable(given) : given
    const startedAt = given.maxTotalMs === undefined ? 0 : monotonicNow()
    const finish = (outcome: Outcome) => this.#finish(name, outcome, given, startedAt)
    const repeat = (error: unknown) => this.#repeatStale(error, name, params, options, startedAt).then(finish)
    try {
      return this.#requests.send('tools/call', params, options).then(finish, repeat)
    } catch (error) {
      return repeat(error)
    }
  }

  #finish(name: string, outcome: Outcome, given: CallToolOptions, startedAt: number): MaybePromise<JSONObject> {
    if (outcome.kind !== 'complete') return allowedResult('tools/call', outcome, given)
    const result = outcome.result as unknown as CallToolResult
    const checking = this.#mustLookUp(name, result)
      ? this.checkOwn(name, result, limitsLeft(given, startedAt))
      : this.#check(name, result)
    return checking === undefined ? outcome.result : checking.then(() => outcome.result)
  }

  /** Rejects with `InvalidResultError`, or at the limits when the tool has to be looked up first. */
  async validate(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    if (this.#mustLookUp(name, result)) await this.#lookup.find(name, limits)
    await this.#check(name, result)
  }

  /**
   * For the result of a call of this session, which counts also where its schema can't be had in time. Rejects with
   * `InvalidResultError`, or when the caller aborts.
   */
  async checkOwn(name: string, result: CallToolResult, limits: CallLimits): Promise<void> {
    if (this.#mustLookUp(name, result)) await this.#lookup.findForResult(name, result, limits)
    await this.#check(name, result)
  }

  /** What the listing says about calling the tool as a task; looked up first for a tool that no listing has named yet. */
  async taskSupport(name: string, limits: CallLimits): Promise<ToolExecution['taskSupport']> {
    if (!this.#catalog.knows(name)) await this.#lookup.find(name, limits)
    return this.#catalog.taskSupportOf(name)
  }

  /** Also for a result without structured content: an output schema would make it invalid. */
  #mustLookUp(name: string, { isError }: CallToolResult): boolean {
    const { era, serverCapabilities } = this.#agreement
    if (isError === true || this.#catalog.knows(name)) return false
    return era.hasOutputSchemas && serverCapabilities?.tools !== undefined
  }

  /** Spec 2025-11-25, Tasks: -32601 is the answer to a plain call of a tool that runs as a task only. */
  #mayNeedTask(name: string): boolean {
    const { era, serverCapabilities } = this.#agreement
    if (this.#catalog.knows(name)) return this.#catalog.taskSupportOf(name) === 'required'
    return hasCoreTasks(era.version) && serverCapabilities?.tasks?.requests?.tools?.call !== undefined
  }

  #check(name: string, result: CallToolResult): Promise<void> | undefined {
    const hasSchema = this.#agreement.era.hasOutputSchemas && result.isError !== true
    return hasSchema ? this.#catalog.checkResult(name, result) : undefined
  }

  /**
   * Spec, Streamable HTTP: a header mismatch is found before the tool runs and may come from an old listing. The tools are
   * listed again and the call is repeated, once. Any other error goes to the caller.
   */
  async #repeatStale(
    error: unknown,
    name: string,
    params: JSONObject,
    options: CallToolOptions,
    startedAt: number,
  ): Promise<Outcome> {
    const mayBeStale = this.#agreement.era.mirrorsArguments && isHeaderMismatch(error)
    if (!mayBeStale || !(await this.#refresh(name, limitsLeft(options, startedAt)))) {
      throw await withRemedy(error, params['task'] === undefined && this.#mayNeedTask(name))
    }
    // The caller's id was used by the first request, and some of the time has passed.
    const { requestId: _requestId, ...again } = options
    return this.#requests.send('tools/call', params, { ...again, ...limitsLeft(options, startedAt) })
  }

  async #refresh(name: string, limits: CallLimits): Promise<boolean> {
    const { maxTotalMs, signal } = limits
    const total = limitTotalTime(
      maxTotalMs,
      signal,
      () => new ListingTimeout('took longer than maxTotalMs of the call'),
    )
    try {
      await this.#lookup.refresh(name, { ...limits, ...(total.signal && { signal: total.signal }) })
      return true
    } catch {
      signal?.throwIfAborted()
      // The caller gets the error of its call, not that of the listing.
      return false
    } finally {
      total.clear()
    }
  }
}

/** What is left of the limits of a call. */
function limitsLeft({ signal, timeoutMs, maxTotalMs }: CallLimits, startedAt: number): CallLimits {
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxTotalMs !== undefined && { maxTotalMs: Math.max(0, maxTotalMs - (monotonicNow() - startedAt)) }),
  }
}

/** The caller's own hint wins over the listing. */
function asRepeatable(options: CallToolOptions): CallToolOptions {
  return { ...options, hints: { ...options.hints, isRepeatable: options.hints?.isRepeatable ?? true } }
}

/** The error with what to add to the client, where that is known. Loaded here: few calls fail for lack of it. */
export async function withRemedy(error: unknown, isTaskRequired = false): Promise<unknown> {
  const isAboutTasks = isTaskRequired && error instanceof MCPError && error.code === ErrorCode.MethodNotFound
  if (!isAboutTasks && !(error instanceof MissingClientCapabilityError)) return error
  const { addRemedy } = await loading(import('./missing-capability.ts'))
  return addRemedy(error)
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof MCPError && !error.local && error.code === ErrorCode.HeaderMismatch
}
