// Calls that a server may answer with questions or with the result of an extension, continued until the final result.
import { followAny, limitTotalTime, unlessAborted } from '../../primitives/async/abort.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequest, InputRequiredResult, InputResponse } from '../../types/features/input-required.ts'
import type { GetPromptResult } from '../../types/features/prompts.ts'
import type { ReadResourceResult } from '../../types/features/resources.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Fetched } from '../cache/response-cache.ts'
import type { ClientCallOptions } from '../client-options.ts'
import type { ClaimedResult, ResultClaim } from '../extensions/extension.ts'
import { finishRounds, isInputRequired, type RoundInput } from './input-required.ts'
import { internalsOf } from './internals.ts'
import { InvalidAnswer } from './questions.ts'
import type { ClientSession } from './session.ts'

const DEFAULT_MAX_ROUNDS = 10

interface DrivenCallsOptions {
  maxRounds?: number | undefined
  /** By `resultType`. */
  claims?: ReadonlyMap<string, ResultClaim>
}

/** Sends one request of a call: the first, or one more with answers. */
type SendRound<R> = (options: ClientCallOptions) => Promise<R | InputRequiredResult>

const ALLOW_INPUT = { allowInputRequired: true } as const

/** Over a session that has been negotiated. */
export class DrivenCalls {
  readonly #session: ClientSession
  readonly #maxRounds: number
  readonly #claims: ReadonlyMap<string, ResultClaim>
  /** Whether the revision has `resultType`. In others a member of that name means nothing. */
  readonly #hasResultTypes: boolean

  constructor(session: ClientSession, { maxRounds = DEFAULT_MAX_ROUNDS, claims = new Map() }: DrivenCallsOptions = {}) {
    this.#session = session
    this.#maxRounds = maxRounds
    this.#claims = claims
    this.#hasResultTypes = session.discoverResult !== undefined
  }

  callTool(name: string, args: JSONObject | undefined, options: ClientCallOptions): Promise<CallToolResult> {
    if (this.#claims.size > 0) return this.#callClaimable(name, args, options)
    return this.#callUntilFinal('tools/call', options, (round) =>
      this.#session.callTool(name, args, { ...ALLOW_INPUT, ...round }),
    )
  }

  getPrompt(
    name: string,
    args: Record<string, string> | undefined,
    options: ClientCallOptions,
  ): Promise<GetPromptResult> {
    return this.#callUntilFinal('prompts/get', options, (round) =>
      this.#session.getPrompt(name, args, { ...ALLOW_INPUT, ...round }),
    )
  }

  /** Says also whether one plain request was enough, since only such a result may be cached. */
  async readResource(uri: string, options: ClientCallOptions): Promise<Fetched<ReadResourceResult>> {
    const isSeeded = options.inputResponses !== undefined || options.requestState !== undefined
    let rounds = 0
    const result = await this.#callUntilFinal('resources/read', options, (round) => {
      rounds += 1
      return this.#session.readResource(uri, { ...ALLOW_INPUT, ...round })
    })
    return { result, isCacheable: rounds === 1 && !isSeeded }
  }

  async #callUntilFinal<R extends object>(method: string, options: ClientCallOptions, send: SendRound<R>): Promise<R> {
    const startedAt = options.maxTotalMs === undefined ? 0 : monotonicNow()
    const result = await send(options)
    if (!this.#hasResultTypes || !isInputRequired(result)) return result as R
    return this.#answerAndRepeat(method, result, options, send, startedAt)
  }

  async #answerAndRepeat<R extends object>(
    method: string,
    asked: InputRequiredResult,
    options: ClientCallOptions,
    send: SendRound<R>,
    startedAt: number,
  ): Promise<R> {
    const { maxTotalMs } = options
    const leftMs = maxTotalMs === undefined ? undefined : maxTotalMs - (monotonicNow() - startedAt)
    const total = limitTotalTime(leftMs, options.signal, () => notInTime(method, maxTotalMs))
    const { signal } = total
    // Between two rounds no request is open that the end of the connection would reject.
    const between = followAny([internalsOf(this.#session).endSignal, ...(signal ? [signal] : [])])
    const repeated = { ...withoutFirstRound(options), ...(signal && { signal }) }
    try {
      return await finishRounds<R>(asked, {
        maxRounds: this.#maxRounds,
        signal: between.signal,
        send: (input: RoundInput) => send({ ...repeated, ...input }),
        answer: (key, request, answerSignal) => this.#answer(key, request, answerSignal),
      })
    } finally {
      between.stop()
      total.clear()
    }
  }

  async #answer(requestId: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse> {
    try {
      return await this.#session.dispatchInputRequest({ requestId, signal }, request)
    } catch (error) {
      if (!(error instanceof MCPError) || error.local) throw error
      // The protocol has no rejection of a question within a result, so the call fails on this side.
      const { message } = error.cause instanceof InvalidAnswer ? error.cause : error
      throw new MCPError(error.code, message, error.data, { local: true, cause: error })
    }
  }

  async #callClaimable(
    name: string,
    args: JSONObject | undefined,
    options: ClientCallOptions,
  ): Promise<CallToolResult> {
    const startedAt = options.maxTotalMs === undefined ? 0 : monotonicNow()
    const result = await this.#callUntilFinal<CallToolResult | ClaimedResult>('tools/call', options, (round) =>
      this.#session.callTool(name, args, { ...round, ...ALLOW_INPUT, allowClaimed: true }),
    )
    const { resultType } = result
    const claim = this.#hasResultTypes && resultType !== undefined ? this.#claims.get(resultType) : undefined
    return claim === undefined
      ? (result as CallToolResult)
      : this.#finishClaimed(claim, name, result, options, startedAt)
  }

  /** The limits of the call include the time that the extension takes. */
  async #finishClaimed(
    claim: ResultClaim,
    toolName: string,
    claimed: object,
    options: ClientCallOptions,
    startedAt: number,
  ): Promise<CallToolResult> {
    const { maxTotalMs, timeoutMs } = options
    const leftMs = maxTotalMs === undefined ? undefined : maxTotalMs - (monotonicNow() - startedAt)
    const total = limitTotalTime(leftMs, options.signal, () => notInTime('tools/call', maxTotalMs))
    const { signal } = total
    try {
      const work = Promise.resolve(
        claim.resolve(claimed as ClaimedResult, { session: this.#session, toolName, signal }),
      )
      const result = await (signal === undefined ? work : unlessAborted(work, signal))
      await this.#session.validateToolResult(toolName, result, {
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
      return result
    } finally {
      total.clear()
    }
  }
}

/** The options for further rounds: without the id, the input and the resumed stream of the first. */
function withoutFirstRound(options: ClientCallOptions): ClientCallOptions {
  const {
    requestId: _id,
    inputResponses: _responses,
    requestState: _state,
    maxTotalMs: _total,
    hints,
    ...rest
  } = options
  if (hints === undefined) return rest
  const { resumptionToken: _token, ...otherHints } = hints
  return { ...rest, hints: otherHints }
}

/** The error of a call that has used up its time in all. */
export function notInTime(method: string, ms: number | undefined): MCPError {
  const message = `Request '${method}' was not answered within ${ms} ms in all`
  return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
}
