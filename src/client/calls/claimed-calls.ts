// Calls whose result belongs to an extension, finished by it: within the limits of the call, and with time to clean up.
import { followAny, limitTotalTime, listenForAbort, pause, unlessAborted } from '../../primitives/async/abort.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { monotonicNow, unref } from '../../primitives/async/timer.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { quoteShort } from '../../primitives/quote.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { InputRequest, InputRequests, InputResponse } from '../../types/features/input-required.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { ClientToolCallOptions } from '../client-options.ts'
import type { ClaimContext, ClaimOptions } from '../extensions/extension.ts'
import { internalsOf, type SessionInternals } from '../session/internals.ts'
import type { ClientSession } from '../session/session.ts'
import { answerQuestion } from './answer-question.ts'
import { notInTime, withoutFirstRequest } from './further-requests.ts'

/** How long an extension may go on after its call was given up, to cancel work on the server for instance. */
export const CLEAN_UP_MS = 1_000

/** The call that a claimed result answers. */
export interface ClaimedCall {
  readonly toolName: string
  readonly options: ClientToolCallOptions
  /** By the monotonic clock. Counts where the call has `maxTotalMs`. */
  readonly startedAt: number
}

/** The part of an extension that turns what the server answered into the result of the call. */
interface Finisher<Claimed> {
  resolve(claimed: Claimed, context: ClaimContext): MaybePromise<CallToolResult>
}

/** An extension that still works on a call that was given up. */
interface Leftover {
  /** Never rejects. */
  readonly settled: Promise<unknown>
  readonly until: number
}

export class ClaimedCalls {
  readonly #session: ClientSession
  readonly #internals: SessionInternals
  readonly #leftovers = new Set<Leftover>()
  readonly #closing = new AbortController()

  constructor(session: ClientSession) {
    this.#session = session
    this.#internals = internalsOf(session)
  }

  /** Rejects at the limits of the call and when the client closes, whatever the extension does. */
  async finish<Claimed extends object>(
    claim: Finisher<Claimed>,
    claimed: Claimed,
    call: ClaimedCall,
  ): Promise<CallToolResult> {
    const { options, startedAt } = call
    const { maxTotalMs } = options
    const endsAt = maxTotalMs === undefined ? undefined : startedAt + maxTotalMs
    const leftMs = endsAt === undefined ? undefined : endsAt - monotonicNow()
    const total = limitTotalTime(leftMs, options.signal, () => notFinished(claimed, call))
    const limits = [this.#closing.signal, this.#internals.endSignal, ...(total.signal ? [total.signal] : [])]
    const ended = followAny(limits)
    const { signal } = ended
    const context = new CallOfClaim(this.#session, call.toolName, optionsLeft(options, signal, endsAt))
    const work = finishBy(claim, claimed, context)
    let result: CallToolResult
    const leave = () => this.#leave(work, signal, call.toolName)
    if (signal.aborted) leave()
    else listenForAbort(signal, leave)
    try {
      result = await unlessAborted(work, signal)
    } finally {
      ended.stop()
      total.clear()
    }
    await this.#check(result, context, options.signal)
    return result
  }

  /** From here on only the caller and `close()` end the call: no limit and no lost connection may cost it the result. */
  async #check(result: CallToolResult, context: CallOfClaim, caller: AbortSignal | undefined): Promise<void> {
    const ended = followAny([this.#closing.signal, ...(caller ? [caller] : [])])
    try {
      await context.checkWithin(result, ended.signal)
    } finally {
      ended.stop()
    }
  }

  /** Ends all calls, and gives their extensions time to clean up, while the connection is still open. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The client was closed.'))
    if (this.#leftovers.size === 0) return
    const over = new AbortController()
    const leftovers = [...this.#leftovers]
    const all = Promise.all(leftovers.map(({ settled }) => settled))
    const untilMs = Math.max(...leftovers.map(({ until }) => until)) - monotonicNow()
    const timeUp = pause(Math.max(0, untilMs), { signal: over.signal }).catch(() => {})
    await Promise.race([all, timeUp])
    over.abort()
  }

  /** The call was given up: from now on nobody waits for the extension but `close()`. */
  #leave(work: Promise<unknown>, signal: AbortSignal, toolName: string): void {
    const failed = (error: unknown) => {
      if (error === signal.reason || this.#internals.endSignal.aborted) return
      const message = `An extension failed to end the call of '${toolName.slice(0, 128)}' that was given up.`
      this.#internals.faults.report({ kind: 'callback-failed', message, method: 'tools/call', error })
    }
    const leftover = { settled: work.then(() => {}, failed), until: monotonicNow() + CLEAN_UP_MS }
    this.#leftovers.add(leftover)
    const forget = () => this.#leftovers.delete(leftover)
    const timer = setTimeout(forget, CLEAN_UP_MS)
    unref(timer)
    void leftover.settled.then(() => {
      clearTimeout(timer)
      forget()
    })
  }
}

/** The error of a call whose time in all was over while its task ran, or what else an extension makes of a result. */
function notFinished(claimed: object, { toolName, options: { maxTotalMs, onStop } }: ClaimedCall): MCPError {
  const taskId = ownMember(claimed, 'taskId') ?? ownMember(ownMember(claimed, 'task'), 'taskId')
  if (typeof taskId !== 'string') return notInTime('tools/call', maxTotalMs)
  const fate = onStop === 'leave' ? 'It goes on.' : 'It is cancelled.'
  const message = `The task of the tool ${quoteShort(toolName)} did not end within ${maxTotalMs} ms in all. ${fate}`
  return new MCPError(ErrorCode.RequestTimeout, message, { taskId }, { local: true })
}

async function finishBy<Claimed>(
  claim: Finisher<Claimed>,
  claimed: Claimed,
  context: ClaimContext,
): Promise<CallToolResult> {
  return claim.resolve(claimed, context)
}

class CallOfClaim implements ClaimContext {
  readonly session: ClientSession
  readonly toolName: string
  readonly options: ClaimOptions

  constructor(session: ClientSession, toolName: string, options: ClaimOptions) {
    this.session = session
    this.toolName = toolName
    this.options = options
  }

  get signal(): AbortSignal {
    return this.options.signal
  }

  ask(questions: InputRequests, given?: AbortSignal): ReadonlyMap<string, Promise<InputResponse>> {
    if (!isPlainObject(questions)) throw new InvalidResultError('The questions of the server are not an object.')
    const asked = Object.entries(questions).map(([key, request]) => {
      const answer = this.#answer(key, request, given)
      // The extension may never look at an answer.
      answer.catch(() => {})
      return [key, answer] as const
    })
    return new Map(asked)
  }

  checkResult(result: CallToolResult): Promise<void> {
    return this.checkWithin(result, this.signal)
  }

  async checkWithin(result: CallToolResult, signal: AbortSignal): Promise<void> {
    const { timeoutMs, maxTotalMs } = this.options
    await internalsOf(this.session).checkToolResult(this.toolName, result, { signal, timeoutMs, maxTotalMs })
  }

  async #answer(key: string, request: InputRequest, given: AbortSignal | undefined): Promise<InputResponse> {
    const either = followAny(given === undefined ? [this.signal] : [this.signal, given])
    try {
      either.signal.throwIfAborted()
      return await unlessAborted(answerQuestion(this.session, key, request, either.signal), either.signal)
    } finally {
      either.stop()
    }
  }
}

/** The options of a call without what belonged to its first request. `maxTotalMs` is what is left of it when it is read. */
function optionsLeft(options: ClientToolCallOptions, signal: AbortSignal, endsAt: number | undefined): ClaimOptions {
  const { onRequestId: _onId, ...rest } = withoutFirstRequest(options)
  if (endsAt === undefined) return { ...rest, signal }
  return {
    ...rest,
    signal,
    get maxTotalMs() {
      return Math.max(0, endsAt - monotonicNow())
    },
  }
}
