// Requests, responses and notifications on one connection, whatever carries them. Each dispatcher is an `RpcConnection` with a
// link of its own.

import { Deadlines } from '../primitives/async/deadlines.ts'
import { createDeferred } from '../primitives/async/promises.ts'
import { settlesWithin } from '../primitives/async/timer.ts'
import { orderError } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { withExcerpt } from '../primitives/received-excerpt.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { receivedError } from '../types/errors/errors.ts'
import { InvalidResultError } from '../types/errors/failures.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ErrorData, RequestId } from '../types/protocol/jsonrpc.ts'
import type { ReceiveHints, SendHints } from './channel.ts'
import { CANCELLED, PROGRESS } from './context.ts'
import type { CallOptions, CloseOptions, DispatcherOptions, OnNotify, OnRequest } from './dispatcher.ts'
import { asCallError, isUnsent } from './encode.ts'
import { connectionClosedError } from './error-policy.ts'
import { FaultReporter } from './fault.ts'
import type { Responder } from './in-flight.ts'
import { type InboundHost, InboundRequests } from './inbound-requests.ts'
import { type PendingCall, PendingCalls } from './pending.ts'
import { createProgress, withMeta } from './progress.ts'
import { isRequestId } from './request-id.ts'

/** How a connection sends to its peer. A method that throws or rejects could not send. */
export interface Link extends Responder {
  sendRequest(id: RequestId, method: string, params: JSONObject, hints?: SendHints): Promise<void> | undefined
  sendNotification(method: string, params: JSONObject | undefined, hints?: SendHints): Promise<void> | undefined
  /** This side no longer waits for the response, and the peer is not notified. */
  release?(id: RequestId): void
  close(): Promise<void> | void
  /** How long that may take (default: 5 s). */
  readonly closeMs?: number | undefined
}

/** Shared: a new promise would cost more than the rest of a notification. */
const DONE: Promise<void> = Promise.resolve()

const LAST_WRITES_MS = 1_000
const CLOSE_MS = 5_000

export class RpcConnection implements InboundHost {
  readonly faults: FaultReporter
  readonly #link: Link
  readonly #deadlines = new Deadlines()
  readonly #pending: PendingCalls
  readonly #inbound: InboundRequests
  readonly #hearsOwnProgress: boolean
  readonly #ended = createDeferred()
  #state: 'new' | 'running' | 'draining' | 'closed' = 'new'
  /** Why the connection ended, where that came unasked: later calls read it as those do that were under way. */
  #endReason: Error | undefined
  #isClosing = false
  #isLinkClosing = false

  constructor(link: Link, options: DispatcherOptions = {}) {
    this.#link = link
    this.faults = new FaultReporter(options.onFault)
    this.#pending = new PendingCalls({
      deadlines: this.#deadlines,
      maxPending: options.maxPendingRequests ?? 100_000,
      defaultTimeoutMs: options.defaultTimeoutMs ?? 60_000,
      mintId: options.mintId,
      abandoned: (call, reason) => this.#notifyAbandoned(call, reason),
      callbackFailed: (method, callback, error) => {
        const message = `${callback} of '${method}' threw`
        this.faults.reportCallback({ kind: 'callback-failed', message, method, error })
      },
    })
    this.#inbound = new InboundRequests(this, this.#pending, options)
    this.#hearsOwnProgress = options.hearsOwnProgress ?? true
  }

  /** `open()` was not called yet: what arrives has to wait. */
  get isNew(): boolean {
    return this.#state === 'new'
  }

  /** `close()` was called on this side. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Own requests that wait for their answers. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** Settles when the connection has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Starts to serve. Can be called once. */
  open(onRequest: OnRequest, onNotify: OnNotify): void {
    if (this.#state === 'closed') throw orderError('This dispatcher is closed; make a new one')
    if (this.#state !== 'new') throw orderError('This dispatcher runs already')
    this.#state = 'running'
    this.#inbound.open(onRequest, onNotify)
  }

  sendRawRequest(method: string, params?: JSONObject, options: CallOptions = {}): Promise<JSONObject> {
    if (this.#state === 'new') return Promise.reject(orderError(`Cannot send '${method}': run() was not called yet`))
    if (this.#state === 'closed') return Promise.reject(connectionClosedError(this.#endReason))
    if (options.signal?.aborted) return Promise.reject(options.signal.reason)
    try {
      const call = this.#pending.open(method, options)
      // What it was made for has ended by now.
      if (!call.isOpen) return call.promise
      this.#inbound.resumeDelivery()
      this.#write(call, params)
      // An answer that came while the request was written needs no deadline.
      if (call.isOpen) {
        this.#deadlines.add(call)
        call.restartTimeout()
      }
      return call.promise
    } catch (error) {
      return Promise.reject(error)
    }
  }

  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    if (this.#state === 'closed') return DONE
    try {
      const writing = this.#link.sendNotification(method, params, hints)
      return writing === undefined ? DONE : writing.catch((error: unknown) => this.#notificationFailed(method, error))
    } catch (error) {
      this.#notificationFailed(method, error)
      return DONE
    }
  }

  #notificationFailed(method: string, error: unknown): void {
    this.faults.report({ kind: 'write-failed', message: `Notification '${method}' was not sent`, method, error })
  }

  receiveRequest(
    id: RequestId,
    method: string,
    params: JSONObject | undefined,
    hints?: ReceiveHints,
    responder: Responder = this.#link,
  ): Promise<void> | undefined {
    if (this.#state === 'running') return this.#inbound.receive(id, method, params, hints, responder)
    if (this.#state === 'draining')
      this.rejectRequest(responder, id, ErrorCode.InternalError, 'The connection is closing')
    return undefined
  }

  receiveNotification(method: string, params: JSONObject | undefined, hints?: ReceiveHints): Promise<void> | undefined {
    if (this.#state === 'closed') return undefined
    if (method === CANCELLED) this.#receiveCancelled(params)
    else if (method === PROGRESS && this.#receiveProgress(params) && !this.#hearsOwnProgress) return undefined
    return this.#inbound.receiveNotification(method, params, hints)
  }

  /** Whether a call of ours waits for an answer of this id. */
  awaits(id: RequestId): boolean {
    return this.#pending.get(id) !== undefined
  }

  receiveResult(id: RequestId, result: unknown): void {
    const call = this.#callOf(id)
    if (call === undefined) return
    if (isPlainObject(result)) call.resolve(result)
    else call.reject(withExcerpt(new InvalidResultError(`The result of '${call.method}' is not an object`), result))
  }

  receiveError(id: RequestId, error: ErrorData, cause?: unknown): void {
    const call = this.#callOf(id)
    if (call === undefined) return
    const failure = receivedError(error)
    if (cause !== undefined) failure.cause = cause
    call.reject(failure)
  }

  /** An error that names no request: it belongs to the one it came along with, or to nobody. */
  receiveAnonymousError(error: ErrorData, hints: ReceiveHints | undefined): void {
    const related = hints?.relatedRequestId === undefined ? undefined : this.#pending.get(hints.relatedRequestId)
    if (related !== undefined) related.reject(receivedError(error))
    else
      this.faults.report({ kind: 'peer-error', message: error.message, requestId: null, error: receivedError(error) })
  }

  /** The peer answered this call, but not in a form that means anything. */
  receiveMalformedResponse(id: RequestId, problem: string, response: unknown): void {
    const call = this.#callOf(id)
    call?.reject(withExcerpt(new InvalidResultError(`The answer to '${call.method}' ${problem}`), response))
  }

  /** The response to this call arrived and could not be read. */
  receiveLoss(id: RequestId, reason: Error): void {
    this.#callOf(id)?.reject(reason)
  }

  /** Time does not count against this call until the function in return is called. */
  hold(id: RequestId): () => void {
    const call = this.#pending.get(id)
    call?.pauseTimeout()
    return () => call?.resumeTimeout()
  }

  /** Answers a request with an error, without a handler. */
  rejectRequest(
    responder: Responder,
    id: RequestId | undefined,
    code: number,
    message: string,
    data?: JSONObject,
  ): void {
    void this.answer(() => responder.sendError(id, data === undefined ? { code, message } : { code, message, data }))
  }

  /** Writes an answer; resolves when that is over, one way or another. */
  answer(
    write: () => Promise<void> | undefined,
    whenUnsent?: (error: unknown) => Promise<void> | undefined,
  ): Promise<void> | undefined {
    try {
      return write()?.catch((error: unknown) => this.#answerFailed(error, isUnsent(error), whenUnsent))
    } catch (error) {
      // A channel that encodes by itself throws what `JSON.stringify` throws. Later on, `fetch` says it like that, too.
      return this.#answerFailed(error, isUnsent(error) || error instanceof TypeError, whenUnsent)
    }
  }

  /** The peer is gone, with a reason where that came unasked. */
  linkClosed(reason?: Error): void {
    this.#settleEverything(reason)
    void this.#closeLink()
  }

  close(options: CloseOptions = {}): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true
      void this.#shutDown(options)
    }
    return this.#ended.promise
  }

  async #shutDown({ drainMs = 0, lastWords }: CloseOptions): Promise<void> {
    if (this.#state === 'running') {
      this.#state = 'draining'
      if (drainMs > 0) await settlesWithin(this.#inbound.whenIdle(), drainMs)
      if (lastWords !== undefined) await settlesWithin(lastWords, LAST_WRITES_MS)
    }
    // First, because our last answers may be all that the peer needs to answer us: nobody here waits for that any more.
    this.#pending.failAll(connectionClosedError())
    const lastWrites = this.#inbound.rejectAll('The connection is closing')
    if (lastWrites.length > 0) {
      // The peer may go away meanwhile, and then there is nothing to wait for.
      await settlesWithin(Promise.race([Promise.all(lastWrites), this.#ended.promise]), LAST_WRITES_MS)
    }
    this.#settleEverything()
    await this.#closeLink()
  }

  /** Rejects every pending call, and aborts every handler. */
  #settleEverything(reason?: Error): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#endReason = reason
    const error = connectionClosedError(reason)
    for (const call of this.#pending.all()) call.reject(error)
    this.#inbound.close(error)
    this.#deadlines.clear()
  }

  async #closeLink(): Promise<void> {
    if (this.#isLinkClosing) return
    this.#isLinkClosing = true
    const closing = (async () => this.#link.close())()
    closing.catch((error: unknown) =>
      this.faults.report({ kind: 'transport', message: 'The channel failed to close', error }),
    )
    await settlesWithin(closing, this.#link.closeMs ?? CLOSE_MS)
    this.#ended.resolve()
  }

  #write(call: PendingCall, params: JSONObject | undefined): void {
    const { options } = call
    const wantsProgress = options.wantsProgress === true || options.onProgress !== undefined
    call.sent = true
    try {
      const writing = this.#link.sendRequest(
        call.id,
        call.method,
        options.asGiven === true && !wantsProgress
          ? (params as JSONObject)
          : withMeta(params, wantsProgress ? call.id : undefined, options.ownsParams),
        options.hints,
      )
      // A slow write must not eat the time that the peer has for its answer.
      writing?.then(
        () => call.restartTimeout(),
        (error: unknown) => call.reject(asCallError(error)),
      )
    } catch (error) {
      call.reject(asCallError(error))
    }
  }

  #notifyAbandoned(call: PendingCall, reason: string): void {
    // A resumable request lives on at the peer, to be picked up again by its token.
    const isResumable = call.options.hints?.resumptionToken !== undefined || call.options.hints?.onResumptionToken
    if (!call.sent || call.options.cancelOnAbandon === false) return
    if (isResumable) {
      this.#link.release?.(call.id)
      return
    }
    const related = call.options.hints?.relatedRequestId
    const hints = related === undefined ? undefined : { relatedRequestId: related }
    void this.notify(CANCELLED, { requestId: call.id, reason }, hints)
  }

  #callOf(id: RequestId): PendingCall | undefined {
    const call = this.#pending.get(id)
    // A late response to a call that was abandoned is expected and not reported.
    if (call === undefined && !this.#pending.forget(id)) {
      this.faults.report({ kind: 'unmatched-response', message: 'An answer matches no request of ours', requestId: id })
    }
    return call
  }

  #receiveCancelled(params: JSONObject | undefined): void {
    const id = params?.['requestId']
    if (!isRequestId(id)) return
    const reason = params?.['reason']
    this.#inbound.cancel(id, typeof reason === 'string' ? reason : undefined)
  }

  /** Passes progress on to its call. Returns whether the notification is fully handled: valid, and without members for others. */
  #receiveProgress(params: JSONObject | undefined): boolean {
    const { progressToken, progress, total, message, _meta } = params ?? {}
    if (!isRequestId(progressToken) || !isFiniteNumber(progress)) return false
    const call = this.#pending.get(progressToken)
    if (call === undefined) return false
    const isTotalFit = total === undefined || isFiniteNumber(total)
    const isMessageFit = message === undefined || typeof message === 'string'
    call.progress(createProgress(progress, isTotalFit ? total : undefined, isMessageFit ? message : undefined))
    return isTotalFit && isMessageFit && _meta === undefined
  }

  #answerFailed(
    error: unknown,
    wasUnsent: boolean,
    whenUnsent: ((error: unknown) => Promise<void> | undefined) | undefined,
  ): Promise<void> | undefined {
    this.faults.report({ kind: 'write-failed', message: 'An answer was not sent', error })
    // Two answers for one id are worse than none: only if no byte has left may another be tried.
    return wasUnsent && whenUnsent !== undefined ? this.answer(() => whenUnsent(error)) : undefined
  }
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}
