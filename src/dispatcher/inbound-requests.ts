// The inbound half of a connection: requests and notifications are queued, started, answered or rejected here.

import { LinkedQueue } from '../primitives/async/linked-queue.ts'
import { createDeferred, type Deferred, isThenable } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { RequestId } from '../types/protocol/jsonrpc.ts'
import { DeliveryPause, estimateBytes } from './backpressure.ts'
import type { ReceiveHints } from './channel.ts'
import { InboundContext, transportOf } from './context.ts'
import { type DispatcherOptions, type OnNotify, type OnRequest, type Outbound, UNANSWERED } from './dispatcher.ts'
import { disclose, unsentError } from './error-policy.ts'
import type { FaultReporter } from './fault.ts'
import { type InboundRequest, InFlight, type Responder } from './in-flight.ts'
import { InboundNotifications } from './inbound-notifications.ts'
import type { PendingCall, PendingCalls } from './pending.ts'

const BUSY = 'Too many requests in flight; try again later'
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Open requests that get an error when the connection closes. For the rest, the end of the connection is the answer. */
export const MAX_CLOSE_REJECTIONS = 1_024

/** A message that waits because it came after an inline request that is not done yet. */
interface BlockedMessage {
  readonly weight: number
  proceed(): void
}

/** What the inbound half needs from the connection as a whole. */
export interface InboundHost extends Outbound {
  readonly faults: FaultReporter
  rejectRequest(responder: Responder, id: RequestId | undefined, code: number, message: string, data?: JSONObject): void
  answer(
    write: () => Promise<void> | undefined,
    whenUnsent?: (error: unknown) => Promise<void> | undefined,
  ): Promise<void> | undefined
}

const NONE: readonly string[] = []

export class InboundRequests {
  readonly #host: InboundHost
  readonly #pending: PendingCalls
  readonly #inFlight: InFlight
  readonly #notifications: InboundNotifications
  readonly #inlineMethods: readonly string[]
  readonly #urgentMethods: readonly string[]
  readonly #maxWaitingBytes: number
  readonly #pausesAllTimeouts: boolean
  readonly #blocked = new LinkedQueue<BlockedMessage>()
  readonly #pause = new DeliveryPause(() => this.#hasRoom())
  /** The estimated bytes of all messages that wait, for a place or behind an inline request. */
  #waitingBytes = 0
  #inline: InboundRequest | undefined
  #isResuming = false
  #idle: Deferred<void> | undefined
  #onRequest: OnRequest = throwNotRunning

  constructor(host: InboundHost, pending: PendingCalls, options: DispatcherOptions) {
    this.#host = host
    this.#pending = pending
    this.#maxWaitingBytes = options.maxWaitingBytes ?? MAX_WAITING_BYTES
    this.#inFlight = new InFlight(options.maxConcurrentRequests ?? 256)
    this.#inlineMethods = options.inlineMethods ?? NONE
    this.#urgentMethods = options.urgentMethods ?? NONE
    this.#notifications = new InboundNotifications(host, options.maxNotificationHandlers ?? 1_024, () =>
      this.#pause.endIfPossible(),
    )
    this.#pausesAllTimeouts = options.holdTimeoutsWhileAnswering ?? false
  }

  open(onRequest: OnRequest, onNotify: OnNotify): void {
    this.#onRequest = onRequest
    this.#notifications.open(onNotify)
  }

  receive(
    id: RequestId,
    method: string,
    params: JSONObject | undefined,
    hints: ReceiveHints | undefined,
    responder: Responder,
  ): Promise<void> | undefined {
    if (this.#inFlight.has(id)) {
      this.#host.rejectRequest(responder, id, ErrorCode.InvalidRequest, 'A request with this id is in flight')
      return undefined
    }
    const isBlocked = this.#isBlocking()
    let isWaiting = isBlocked || this.#inFlight.isFull
    const isUrgent = isWaiting && this.#urgentMethods.includes(method) && this.#inFlight.hasUrgentPlace
    if (isUrgent) isWaiting = false
    const weight = isWaiting ? estimateBytes(params, this.#maxWaitingBytes) : 0
    if (isWaiting && !this.#addWaiting(weight)) {
      const data = { limit: 'maxWaitingBytes', max: this.#maxWaitingBytes }
      this.#host.rejectRequest(responder, id, ErrorCode.InternalError, BUSY, data)
      return this.#pressure()
    }
    const context = new InboundContext(this.#host, transportOf(hints), id, params, hints?.relatedRequestId)
    const request: InboundRequest = {
      id,
      method,
      params,
      context,
      hints,
      responder,
      isSettled: false,
      isStarted: false,
      isUrgent,
      isAbandoned: false,
      place: undefined,
      weight,
      pausedCalls: NO_CALLS,
    }
    this.#inFlight.register(request)
    if (isBlocked && !isUrgent) request.place = this.#blocked.push({ weight, proceed: () => this.#admit(request) })
    else this.#admit(request)
    return this.#pressure()
  }

  receiveNotification(
    method: string,
    params: JSONObject | undefined,
    hints: ReceiveHints | undefined,
  ): Promise<void> | undefined {
    if (!this.#isBlocking()) return this.#notifications.offer(method, params, hints) ?? this.#pressure()
    this.#blockNotification(method, params, hints)
    return this.#pressure()
  }

  cancel(id: RequestId, reason: string | undefined): void {
    const request = this.#inFlight.cancel(id)
    if (request === undefined) return
    this.#removeWaiting(request)
    this.#resumeTimeouts(request)
    request.context.abort(new DOMException(reason ?? 'The peer cancelled the request', 'AbortError'))
    this.#reportUnanswered(request)
    if (!request.isStarted && this.#inline === request) this.#deliverBlocked()
    this.#startSoon(this.#inFlight.abandon(request))
    this.#pause.endIfPossible()
  }

  /** Lets the channel deliver again, if it was asked to pause. */
  resumeDelivery(): void {
    this.#pause.end()
  }

  /** Resolves when no handler of a request is at work. */
  whenIdle(): Promise<void> {
    if (this.#inFlight.isIdle) return Promise.resolve()
    this.#idle ??= createDeferred()
    return this.#idle.promise
  }

  /** Answers open requests with an error, the oldest first. Returns the writes. */
  rejectAll(message: string): (Promise<void> | undefined)[] {
    const error = { code: ErrorCode.InternalError, message }
    const open = this.#inFlight.all().slice(0, MAX_CLOSE_REJECTIONS)
    return open.map((request) => {
      if (!this.#inFlight.settle(request)) return undefined
      request.context.abort(new DOMException(message, 'AbortError'))
      return this.#host.answer(() => request.responder.sendError(request.id, error))
    })
  }

  /** The peer is gone: aborts every handler and drops what waits. */
  close(reason: unknown): void {
    for (const request of this.#inFlight.all()) {
      this.#inFlight.settle(request)
      request.context.abort(reason)
    }
    this.#notifications.close(reason)
    this.#blocked.clear()
    this.resumeDelivery()
    this.#idle?.resolve()
  }

  #isBlocking(): boolean {
    return this.#inline !== undefined || this.#isResuming
  }

  #blockNotification(method: string, params: JSONObject | undefined, hints: ReceiveHints | undefined): void {
    const weight = estimateBytes(params, this.#maxWaitingBytes)
    if (!this.#addWaiting(weight)) {
      this.#notifications.drop(method)
      return
    }
    const proceed = () => {
      this.#waitingBytes -= weight
      void this.#notifications.offer(method, params, hints)
    }
    this.#blocked.push({ weight, proceed })
  }

  #admit(request: InboundRequest): void {
    if (request.isSettled) return
    if (this.#inlineMethods.includes(request.method)) this.#inline = request
    if (this.#inFlight.admit(request)) this.#start(request)
  }

  /** Counts a message that waits. False where it would exceed the limit. */
  #addWaiting(weight: number): boolean {
    if (weight > 0 && this.#waitingBytes + weight > this.#maxWaitingBytes) return false
    this.#waitingBytes += weight
    return true
  }

  /** The request no longer waits. */
  #removeWaiting(request: InboundRequest): void {
    this.#waitingBytes -= request.weight
    request.weight = 0
  }

  #start(request: InboundRequest): void {
    if (request.weight > 0) this.#removeWaiting(request)
    // Cancelled or rejected since it was taken from the queue.
    if (request.isSettled) {
      this.#finish(request)
      return
    }
    const { context, method, params } = request
    if (this.#pending.size > 0) request.pausedCalls = this.#pauseTimeouts(request)
    try {
      const outcome = this.#onRequest(context, method, params)
      if (isThenable(outcome)) {
        outcome.then(
          (result) => this.#succeed(request, result),
          (error: unknown) => this.#fail(request, error),
        )
      } else {
        this.#succeed(request, outcome)
      }
    } catch (error) {
      this.#fail(request, error)
    }
  }

  #succeed(request: InboundRequest, result: unknown): void {
    const { id, responder, method } = request
    if (isPlainObject(result)) {
      this.#finish(request, () => responder.sendResult(id, result))
    } else if (result === UNANSWERED) {
      if (this.#inFlight.settle(request)) this.#reportUnanswered(request)
      this.#finish(request)
    } else {
      this.#fail(
        request,
        typeError('wrong-result', `The handler of '${method}' returned something that is not an object`),
      )
    }
  }

  #reportUnanswered({ id, responder, hints }: InboundRequest): void {
    try {
      responder.unanswered?.(id)
      hints?.onUnanswered?.()
    } catch (error) {
      this.#host.faults.report({ kind: 'transport', message: 'The transport failed to end a request', error })
    }
  }

  #fail(request: InboundRequest, error: unknown): void {
    // Cancelled meanwhile: a handler that was aborted may throw, and the peer no longer waits for the answer.
    if (request.isSettled) {
      this.#finish(request)
      return
    }
    const { id, responder, method } = request
    const { data, hidden } = disclose(error)
    if (hidden) {
      const message = `The handler of '${method}' failed`
      const isRaised = request.context.transport.raisesExceptions === true
      const fault = { kind: 'handler-failed', message, method, requestId: id, error } as const
      this.#host.faults.report(isRaised ? { ...fault, isRaised } : fault)
    }
    this.#finish(request, () => responder.sendError(id, data, hidden ? error : undefined))
  }

  /** The handler is done. Its place is free when the answer has been written: a peer that does not read must not pile them up. */
  #finish(request: InboundRequest, write?: () => Promise<void> | undefined): void {
    const { id, responder } = request
    const writing =
      write !== undefined && this.#inFlight.settle(request)
        ? this.#host.answer(write, (reason) => responder.sendError(id, unsentError(reason)))
        : undefined
    request.context.seal()
    if (request.pausedCalls.length > 0) this.#resumeTimeouts(request)
    if (this.#inline === request) this.#deliverBlocked()
    if (writing === undefined) this.#leave(request)
    else void writing.then(() => this.#leave(request))
  }

  #leave(request: InboundRequest): void {
    const next = this.#inFlight.leave(request)
    if (next !== undefined) this.#startSoon(next)
    this.#pause.endIfPossible()
    if (this.#inFlight.isIdle) {
      this.#idle?.resolve()
      this.#idle = undefined
    }
  }

  /** Not at once: a queue of handlers that answer synchronously would overflow the stack. */
  #startSoon(request: InboundRequest | undefined): void {
    if (request === undefined) return
    this.#removeWaiting(request)
    queueMicrotask(() => this.#start(request))
  }

  #deliverBlocked(): void {
    this.#inline = undefined
    // One of those that are being resumed was inline itself, and is done already.
    if (this.#isResuming) return
    this.#isResuming = true
    // Another inline request among them: the rest waits for that one.
    while (this.#inline === undefined && this.#blocked.size > 0) this.#blocked.shift()?.proceed()
    this.#isResuming = false
    this.#pause.endIfPossible()
  }

  /** What to wait for before more is delivered. Never while a call of ours is pending: its response must get through. */
  #pressure(): Promise<void> | undefined {
    return this.#hasRoom() || this.#pending.size > 0 ? undefined : this.#pause.begin()
  }

  #hasRoom(): boolean {
    return this.#waitingBytes * 2 <= this.#maxWaitingBytes && !this.#notifications.isCrowded
  }

  /** While we answer, time does not count against the call that the peer asks for, where that is known, or any call. */
  #pauseTimeouts({ hints }: InboundRequest): readonly PendingCall[] {
    const related = hints?.relatedRequestId === undefined ? undefined : this.#pending.get(hints.relatedRequestId)
    const calls = related !== undefined ? [related] : this.#pausesAllTimeouts ? this.#pending.all() : NO_CALLS
    for (const call of calls) call.pauseTimeout()
    return calls
  }

  #resumeTimeouts(request: InboundRequest): void {
    for (const call of request.pausedCalls) call.resumeTimeout()
    request.pausedCalls = NO_CALLS
  }
}

const NO_CALLS: readonly PendingCall[] = []

function throwNotRunning(): never {
  throw new Error('run() was not called')
}
