// Calls that a server may answer with questions or with the result of an extension, continued until the final result.

import { followAny, limitTotalTime } from '../../primitives/async/abort.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { loading } from '../../primitives/loading.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { GetPromptResult } from '../../types/features/prompts.ts'
import type { ReadResourceResult } from '../../types/features/resources.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { requestFacts } from '../../wire/method-rows.ts'
import type { Fetched } from '../cache/response-cache.ts'
import type { ClientCallOptions, ClientToolCallOptions } from '../client-options.ts'
import type { ClaimedResult, ResultClaim } from '../extensions/extension.ts'
import { internalsOf } from '../session/internals.ts'
import { totalPatience } from '../session/patience.ts'
import type { ClientSession } from '../session/session.ts'
import { answerQuestion } from './answer-question.ts'
import { callWithin } from './call-scope.ts'
import type { ClaimedCalls } from './claimed-calls.ts'
import { notInTime, withoutFirstRequest } from './further-requests.ts'
import { finishRounds, isInputRequired, type RoundInput } from './input-required.ts'
import type { TaskCalls } from './task-calls.ts'
import type { UnusedTaskOptions } from './task-options.ts'

const DEFAULT_MAX_ROUNDS = 10

/** The key under which an extension names its own `resultType`, to finish such a result itself. No option has it. */
export const UNFINISHED = Symbol('unfinished')

interface UnfinishedOptions extends ClientToolCallOptions {
  readonly [UNFINISHED]?: string
}

interface DrivenCallsOptions {
  maxRounds?: number | undefined
  /** By `resultType`. */
  claims?: ReadonlyMap<string, ResultClaim>
  /** For a server that offers tasks of revision 2025-11-25. */
  taskCalls?: TaskCalls | undefined
  /** Finishes the results of `claims`. */
  claimed?: ClaimedCalls | undefined
}

/** Sends one request of a call: the first, or one more with answers. */
type SendRound<R> = (options: ClientCallOptions) => Promise<R | InputRequiredResult>

const ALLOW_INPUT = { allowInputRequired: true } as const

/** Over a session that has been negotiated. */
export class DrivenCalls {
  readonly #session: ClientSession
  readonly #maxRounds: number
  readonly #claims: ReadonlyMap<string, ResultClaim>
  readonly #claimed: ClaimedCalls | undefined
  readonly #taskCalls: TaskCalls | undefined
  /** Whether the revision has `resultType`. In others a member of that name means nothing. */
  readonly #hasResultTypes: boolean
  #unusedOptions: UnusedTaskOptions | undefined

  constructor(session: ClientSession, options: DrivenCallsOptions = {}) {
    this.#session = session
    this.#maxRounds = options.maxRounds ?? DEFAULT_MAX_ROUNDS
    this.#claims = options.claims ?? new Map()
    this.#claimed = options.claimed
    this.#taskCalls = options.taskCalls
    this.#hasResultTypes = session.discoverResult !== undefined
  }

  /** Ends the calls that extensions still work on. Takes no longer than extensions may take to clean up. */
  async close(): Promise<void> {
    await this.#claimed?.close()
  }

  callTool(name: string, args: JSONObject | undefined, options: ClientToolCallOptions): Promise<CallToolResult> {
    if (hasTaskOptions(options)) return this.#callChecked(name, args, options)
    return this.#call(name, args, options)
  }

  async #callChecked(
    name: string,
    args: JSONObject | undefined,
    options: ClientToolCallOptions,
  ): Promise<CallToolResult> {
    const { checkTaskOptions, UnusedTaskOptions } = await loading(import('./task-options.ts'))
    checkTaskOptions(options)
    this.#unusedOptions ??= new UnusedTaskOptions(internalsOf(this.#session).faults)
    if (this.#claims.size === 0 && this.#taskCalls === undefined) this.#unusedOptions.report(options, 'no tasks')
    return this.#call(name, args, options)
  }

  #call(name: string, args: JSONObject | undefined, options: ClientToolCallOptions): Promise<CallToolResult> {
    const { within } = options
    if (within !== undefined) return callWithin({ ...options, within }, (own) => this.#call(name, args, own))
    if (this.#taskCalls !== undefined) return this.#callAsTask(this.#taskCalls, name, args, options)
    if (this.#claims.size > 0) return this.#callClaimable(name, args, options)
    return this.#callPlainly(name, args, options)
  }

  async #callAsTask(
    tasks: TaskCalls,
    name: string,
    args: JSONObject | undefined,
    options: ClientToolCallOptions,
  ): Promise<CallToolResult> {
    const onPlain = hasTaskOptions(options) ? () => this.#unusedOptions?.report(options, 'plain call') : undefined
    return (await tasks.call({ name, args, options, onPlain })) ?? this.#callPlainly(name, args, options)
  }

  #callPlainly(name: string, args: JSONObject | undefined, options: ClientToolCallOptions): Promise<CallToolResult> {
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

  /** Not async, for what the frame of an async function costs each call. */
  #callUntilFinal<R extends object>(method: string, options: ClientCallOptions, send: SendRound<R>): Promise<R> {
    const startedAt = options.maxTotalMs === undefined ? 0 : monotonicNow()
    const sent = send(options)
    if (!this.#hasResultTypes) return sent as Promise<R>
    return sent.then((result) =>
      isInputRequired(result) ? this.#answerAndRepeat(method, result, options, send, startedAt) : result,
    )
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
    const repeated = { ...withoutFirstRequest(options), ...(signal && { signal }) }
    try {
      return await finishRounds<R>(asked, {
        maxRounds: this.#maxRounds,
        signal: between.signal,
        send: (input: RoundInput) => send({ ...repeated, ...patienceLeft(method, options, startedAt), ...input }),
        answer: (key, request, answerSignal) => answerQuestion(this.#session, key, request, answerSignal),
      })
    } finally {
      between.stop()
      total.clear()
    }
  }

  async #callClaimable(
    name: string,
    args: JSONObject | undefined,
    options: UnfinishedOptions,
  ): Promise<CallToolResult> {
    const startedAt = options.maxTotalMs === undefined ? 0 : monotonicNow()
    const result = await this.#callUntilFinal<CallToolResult | ClaimedResult>('tools/call', options, (round) =>
      this.#session.callTool(name, args, { ...round, ...ALLOW_INPUT, allowClaimed: true }),
    )
    const { resultType } = result
    const claim = this.#hasResultTypes && resultType !== undefined ? this.#claims.get(resultType) : undefined
    return claim === undefined || this.#claimed === undefined || resultType === options[UNFINISHED]
      ? (result as CallToolResult)
      : this.#claimed.finish(claim, result as ClaimedResult, { toolName: name, options, startedAt })
  }
}

/** How long the caller still waits, for a further round, whose request has no `maxTotalMs` of its own. */
function patienceLeft(
  method: string,
  { maxTotalMs, meta }: ClientCallOptions,
  startedAt: number,
): Pick<ClientCallOptions, 'meta'> {
  if (maxTotalMs === undefined || requestFacts(method)?.longRunning !== true) return {}
  const patience = totalPatience(maxTotalMs - (monotonicNow() - startedAt))
  return patience === undefined ? {} : { meta: { ...patience, ...meta } }
}

/** Whether a call names an option that only its task can use. Most calls don't. */
function hasTaskOptions({ task, onStatus, onStop, leaveAfterMs }: ClientToolCallOptions): boolean {
  return task !== undefined || onStatus !== undefined || onStop !== undefined || leaveAfterMs !== undefined
}
