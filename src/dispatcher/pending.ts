// Our own requests that wait for an answer: each settles exactly once, by answer, error, timeout, abort or close.

import { checkSignal, forgetAbort, listenForAbort } from '../primitives/async/abort.ts'
import { callBack } from '../primitives/async/call-back.ts'
import type { Deadlines, Due } from '../primitives/async/deadlines.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import { rangeError, typeError } from '../primitives/help.ts'
import { IdTable } from '../primitives/id-table.ts'
import { LazySet } from '../primitives/lazy-collections.ts'
import { assertDuration } from '../primitives/options.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import { LimitError } from '../types/errors/failures.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import type { CallOptions, Progress } from './dispatcher.ts'
import { correlationKey, isRequestId } from './request-id.ts'

/** How many calls we remember having given up, so that their late answers are expected rather than strange. */
const REMEMBERED_CALLS = 1_024

interface PendingHost {
  readonly deadlines: Deadlines
  readonly maxPending: number
  readonly defaultTimeoutMs: number
  /** Makes ids in place of numbers. It never makes one twice. */
  readonly mintId: (() => RequestId) | undefined
  /** A call was given up on this side; the peer may want to know. */
  abandoned(call: PendingCall, reason: string): void
  callbackFailed(method: string, callback: 'onProgress' | 'onRequestId', error: unknown): void
}

/** One request under way. */
export class PendingCall implements Due {
  readonly id: RequestId
  readonly key: RequestId
  readonly method: string
  readonly options: CallOptions
  /** Nothing has settled it yet. */
  isOpen = true
  /** A started write counts as sent: only then may the peer be told of a cancellation. */
  sent = false
  dueAt = Infinity
  place: number | undefined = undefined
  readonly #table: PendingCalls
  readonly #timeoutMs: number
  readonly #totalDueAt: number
  #promise: Promise<JSONObject> | undefined = undefined
  #resolve: ((result: JSONObject) => void) | undefined = undefined
  #reject: ((reason: unknown) => void) | undefined = undefined
  #onAbort: (() => void) | undefined = undefined
  #pauses = 0
  #lastProgress = -Infinity

  constructor(table: PendingCalls, id: RequestId, method: string, options: CallOptions) {
    this.#table = table
    this.id = id
    this.key = correlationKey(id)
    this.method = method
    this.options = options
    this.#timeoutMs = options.timeoutMs ?? table.host.defaultTimeoutMs
    this.#totalDueAt = options.maxTotalMs === undefined ? Infinity : monotonicNow() + options.maxTotalMs
  }

  /** Made when first asked for: an answer that is there by then costs a promise without the two functions that settle one. */
  get promise(): Promise<JSONObject> {
    this.#promise ??= new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    return this.#promise
  }

  resolve(result: JSONObject): void {
    if (!this.#table.remove(this)) return
    if (this.#resolve === undefined) this.#promise = Promise.resolve(result)
    else this.#resolve(result)
  }

  reject(reason: unknown): void {
    if (this.#table.remove(this)) this.#fail(reason)
  }

  #fail(reason: unknown): void {
    if (this.#reject === undefined) this.#promise = Promise.reject(reason)
    else this.#reject(reason)
  }

  /** When the call times out from now on, if nothing more is heard. */
  nextDueAt(): number {
    const idle = this.#pauses > 0 ? Infinity : monotonicNow() + this.#timeoutMs
    return Math.min(idle, this.#totalDueAt)
  }

  /** The peer was active: the idle timeout starts again. */
  restartTimeout(): void {
    this.#table.host.deadlines.move(this, this.nextDueAt())
  }

  /** The idle timeout does not run while we owe the peer something. */
  pauseTimeout(): void {
    this.#pauses += 1
    this.restartTimeout()
  }

  resumeTimeout(): void {
    this.#pauses -= 1
    this.restartTimeout()
  }

  onDue(): void {
    const total = monotonicNow() >= this.#totalDueAt
    const ms = total ? this.options.maxTotalMs : this.#timeoutMs
    const what = total ? `was not answered within ${ms} ms in all` : `timed out after ${ms} ms without a sign of life`
    this.abandon(`timed out after ${ms} ms`, timeoutError(this.method, what))
  }

  /** Gives the call up on this side. */
  abandon(notice: string, reason: unknown): void {
    if (!this.#table.remove(this)) return
    this.#table.remember(this.key)
    this.#fail(reason)
    this.#table.host.abandoned(this, notice)
  }

  /** Made when first asked for, which is where there is a signal. */
  get onAbort(): () => void {
    this.#onAbort ??= () => this.abandon('caller cancelled', this.options.signal?.reason)
    return this.#onAbort
  }

  progress(progress: Progress): void {
    this.restartTimeout()
    const { onProgress } = this.options
    // Spec, Progress: the value must increase with each notification.
    if (onProgress === undefined || progress.progress <= this.#lastProgress) return
    this.#lastProgress = progress.progress
    callBack(onProgress, progress, (error) => this.#table.host.callbackFailed(this.method, 'onProgress', error))
  }
}

/** The table of calls under way, by what their ids are compared by. */
export class PendingCalls {
  readonly host: PendingHost
  readonly #calls = new IdTable<PendingCall>()
  readonly #remembered = new LazySet<RequestId>()
  #lastId = 0

  constructor(host: PendingHost) {
    assertDuration('defaultTimeoutMs', host.defaultTimeoutMs)
    this.host = host
  }

  get size(): number {
    return this.#calls.size
  }

  /** Registers a call before anything is written: the answer could come first. */
  open(method: string, options: CallOptions): PendingCall {
    if (options.timeoutMs !== undefined) assertDuration('timeoutMs', options.timeoutMs)
    if (options.maxTotalMs !== undefined) assertDuration('maxTotalMs', options.maxTotalMs)
    checkSignal(options.signal)
    if (this.#calls.size >= this.host.maxPending) throw new LimitError('pending requests', this.host.maxPending)
    const call = new PendingCall(this, this.#chooseId(options.requestId), method, options)
    const { onRequestId } = options
    if (onRequestId !== undefined) {
      callBack(onRequestId, call.id, (error) => this.host.callbackFailed(method, 'onRequestId', error))
    }
    this.#calls.set(call.key, call)
    if (options.signal !== undefined) listenForAbort(options.signal, call.onAbort)
    options.until?.onAbort((reason) => call.abandon('caller cancelled', reason))
    return call
  }

  get(id: RequestId): PendingCall | undefined {
    return this.#calls.get(correlationKey(id))
  }

  /** True for the one who gets to settle the call. */
  remove(call: PendingCall): boolean {
    if (this.#calls.get(call.key) !== call) return false
    this.#calls.delete(call.key)
    call.isOpen = false
    this.host.deadlines.delete(call)
    const { signal } = call.options
    if (signal !== undefined) forgetAbort(signal, call.onAbort)
    return true
  }

  remember(key: RequestId): void {
    this.#remembered.add(key)
    if (this.#remembered.size <= REMEMBERED_CALLS) return
    for (const oldest of this.#remembered) {
      this.#remembered.delete(oldest)
      break
    }
  }

  /** Whether a call of this id was given up here: once, since there is one late answer to it. */
  forget(id: RequestId): boolean {
    return this.#remembered.delete(correlationKey(id))
  }

  all(): PendingCall[] {
    return this.#calls.values()
  }

  /** Nobody waits for anything any more; answers that come all the same are expected. */
  failAll(reason: Error): void {
    for (const call of this.all()) {
      this.remember(call.key)
      call.reject(reason)
    }
  }

  #chooseId(given: RequestId | undefined): RequestId {
    if (given === undefined) return this.#mintId()
    if (!isRequestId(given)) throw typeError('wrong-argument', 'A request id is a string or a safe integer')
    if (this.#calls.has(correlationKey(given)))
      throw rangeError('wrong-argument', `Request id ${JSON.stringify(given)} is in flight`)
    return given
  }

  #mintId(): RequestId {
    if (this.host.mintId !== undefined) return this.host.mintId()
    do this.#lastId += 1
    while (this.#isTaken(this.#lastId))
    return this.#lastId
  }

  /** In flight, or given up: then a late answer to it must not be taken for the answer to another call. */
  #isTaken(id: number): boolean {
    return this.#calls.has(id) || this.#remembered.has(id)
  }
}

function timeoutError(method: string, what: string): MCPError {
  return new MCPError(ErrorCode.RequestTimeout, `Request '${method}' ${what}`, undefined, { local: true })
}
