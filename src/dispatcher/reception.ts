// The inbound half of a connection: what comes in is admitted, held back, started, answered or refused here.
import { createDeferred, type Deferred } from '../primitives/deferred.ts'
import { isPlainObject } from '../primitives/objects.ts'
import { ErrorCode } from '../types/error-codes.ts'
import type { JSONObject } from '../types/json.ts'
import type { RequestId } from '../types/jsonrpc.ts'
import type { ReceiveHints } from './channel.ts'
import { InboundContext, transportOf } from './context.ts'
import type { DispatcherOptions, OnNotify, OnRequest, Outbound } from './dispatcher.ts'
import { disclose, INTERNAL_ERROR } from './error-policy.ts'
import type { FaultReporter } from './fault.ts'
import { type AnswerSink, type InboundRequest, InFlight } from './in-flight.ts'
import { Notices } from './notices.ts'
import type { PendingCall, PendingCalls } from './pending.ts'

const BUSY = 'Too many requests in flight; try again later'

/** What the inbound half needs from the connection as a whole. */
export interface ReceptionHost extends Outbound {
  readonly faults: FaultReporter
  refuse(sink: AnswerSink, id: RequestId | undefined, code: number, message: string): void
  answer(
    write: () => Promise<void> | undefined,
    whenUnsent?: () => Promise<void> | undefined,
  ): Promise<void> | undefined
}

export class Reception {
  readonly #host: ReceptionHost
  readonly #pending: PendingCalls
  readonly #inFlight: InFlight
  readonly #notices: Notices
  readonly #inlineMethods: ReadonlySet<string>
  readonly #maxWaiting: number
  readonly #holdsAllTimeouts: boolean
  /** What came after an inline request that is still at work. */
  #held: (() => void)[] = []
  #inlineRunning: InboundRequest | undefined
  #room: Deferred<void> | undefined
  #idle: Deferred<void> | undefined
  #onRequest: OnRequest = refuseRequest

  constructor(host: ReceptionHost, pending: PendingCalls, options: DispatcherOptions) {
    this.#host = host
    this.#pending = pending
    this.#maxWaiting = options.maxWaitingRequests ?? 1_024
    this.#inFlight = new InFlight(options.maxConcurrentRequests ?? 256, this.#maxWaiting)
    this.#inlineMethods = new Set(options.inlineMethods)
    this.#notices = new Notices(host, options.maxNotificationHandlers ?? 1_024, () => this.#relieveIfPossible())
    this.#holdsAllTimeouts = options.holdTimeoutsWhileAnswering ?? false
  }

  open(onRequest: OnRequest, onNotify: OnNotify): void {
    this.#onRequest = onRequest
    this.#notices.open(onNotify)
  }

  request(
    id: RequestId,
    method: string,
    params: JSONObject | undefined,
    hints: ReceiveHints | undefined,
    sink: AnswerSink,
  ): Promise<void> | undefined {
    if (this.#inFlight.has(id)) {
      this.#host.refuse(sink, id, ErrorCode.InvalidRequest, 'A request with this id is in flight')
      return undefined
    }
    if (!this.#inFlight.hasRoom || this.#held.length >= this.#maxWaiting) {
      this.#host.refuse(sink, id, ErrorCode.InternalError, BUSY)
      return this.#pressure()
    }
    const context = new InboundContext(this.#host, transportOf(hints), id, params)
    const request = { id, method, params, context, hints, sink, isSettled: false, isStarted: false }
    this.#inFlight.register(request)
    if (this.#inlineRunning === undefined) this.#admit(request)
    else this.#held.push(() => this.#admit(request))
    return this.#pressure()
  }

  notification(
    method: string,
    params: JSONObject | undefined,
    hints: ReceiveHints | undefined,
  ): Promise<void> | undefined {
    if (this.#inlineRunning === undefined) this.#notices.offer(method, params, hints)
    else if (this.#held.length < this.#maxWaiting) this.#held.push(() => this.#notices.offer(method, params, hints))
    else this.#notices.drop(method)
    return this.#pressure()
  }

  cancel(id: RequestId, reason: string | undefined): void {
    const request = this.#inFlight.cancel(id)
    if (request === undefined) return
    request.context.abort(new DOMException(reason ?? 'The peer cancelled the request', 'AbortError'))
    try {
      request.sink.unanswered?.(request.id)
      request.hints?.onUnanswered?.()
    } catch (error) {
      this.#host.faults.report({ kind: 'transport', message: 'The transport failed to end a request', error })
    }
  }

  /** Lets the channel deliver again, if it was asked not to. */
  relieve(): void {
    this.#room?.resolve()
    this.#room = undefined
  }

  /** Resolves when no handler of a request is at work. */
  whenIdle(): Promise<void> {
    if (this.#inFlight.running === 0) return Promise.resolve()
    this.#idle ??= createDeferred()
    return this.#idle.promise
  }

  /** Answers everything that is still open with a refusal. Returns the writes. */
  refuseAll(message: string): (Promise<void> | undefined)[] {
    const error = { code: ErrorCode.InternalError, message }
    return this.#inFlight.all().map((request) => {
      if (!this.#inFlight.settle(request)) return undefined
      request.context.abort(new DOMException(message, 'AbortError'))
      return this.#host.answer(() => request.sink.sendError(request.id, error))
    })
  }

  /** Nobody is left to answer to. */
  close(reason: unknown): void {
    for (const request of this.#inFlight.all()) {
      this.#inFlight.settle(request)
      request.context.abort(reason)
    }
    this.#notices.close(reason)
    this.#held = []
    this.relieve()
    this.#idle?.resolve()
  }

  #admit(request: InboundRequest): void {
    if (request.isSettled) return
    if (this.#inFlight.admit(request)) this.#start(request)
  }

  #start(request: InboundRequest): void {
    const { context, method, params } = request
    const held = this.#holdTimeouts(request)
    if (this.#inlineMethods.has(method)) this.#inlineRunning = request
    let outcome: JSONObject | Promise<JSONObject>
    try {
      outcome = this.#onRequest(context, method, params)
    } catch (error) {
      this.#fail(request, error)
      this.#leave(request, held)
      return
    }
    if (!(outcome instanceof Promise)) {
      this.#succeed(request, outcome)
      this.#leave(request, held)
      return
    }
    outcome.then(
      (result) => {
        this.#succeed(request, result)
        this.#leave(request, held)
      },
      (error: unknown) => {
        this.#fail(request, error)
        this.#leave(request, held)
      },
    )
  }

  #succeed(request: InboundRequest, result: unknown): void {
    const { id, sink, method } = request
    if (!isPlainObject(result)) {
      this.#fail(request, new TypeError(`The handler of '${method}' returned something that is not an object`))
      return
    }
    if (!this.#inFlight.settle(request)) return
    void this.#host.answer(
      () => sink.sendResult(id, result),
      () => sink.sendError(id, INTERNAL_ERROR),
    )
  }

  #fail(request: InboundRequest, error: unknown): void {
    // Cancelled meanwhile: nobody waits for this failure, and a handler that was aborted may well throw.
    if (!this.#inFlight.settle(request)) return
    const { id, sink, method } = request
    const { data, hidden } = disclose(error)
    if (hidden) {
      const message = `The handler of '${method}' failed`
      this.#host.faults.report({ kind: 'handler-failed', message, method, requestId: id, error })
    }
    void this.#host.answer(
      () => sink.sendError(id, data, error),
      () => sink.sendError(id, INTERNAL_ERROR),
    )
  }

  #leave(request: InboundRequest, held: readonly PendingCall[]): void {
    request.context.seal()
    for (const call of held) call.release()
    if (this.#inlineRunning === request) this.#resumeHeld()
    const next = this.#inFlight.leave()
    // Not at once: a line of handlers that answer without waiting would climb up the stack.
    if (next !== undefined) queueMicrotask(() => this.#start(next))
    this.#relieveIfPossible()
    if (this.#inFlight.running === 0) {
      this.#idle?.resolve()
      this.#idle = undefined
    }
  }

  #resumeHeld(): void {
    this.#inlineRunning = undefined
    const held = this.#held
    this.#held = []
    for (const [index, resume] of held.entries()) {
      resume()
      if (this.#inlineRunning === undefined) continue
      // Another inline request among them: the rest waits for that one.
      this.#held = [...held.slice(index + 1), ...this.#held]
      return
    }
  }

  /** What to wait for before more is delivered. Never while we wait for the peer: its answer must get through. */
  #pressure(): Promise<void> | undefined {
    if (this.#hasRoom() || this.#pending.size > 0) return undefined
    this.#room ??= createDeferred()
    return this.#room.promise
  }

  #hasRoom(): boolean {
    return this.#inFlight.waiting * 2 < this.#maxWaiting && !this.#notices.areMany
  }

  #relieveIfPossible(): void {
    if (this.#hasRoom()) this.relieve()
  }

  /** While we answer, time does not count against the call that the peer asks for, where that is known, or any call. */
  #holdTimeouts({ hints }: InboundRequest): readonly PendingCall[] {
    if (this.#pending.size === 0) return NO_CALLS
    const related = hints?.relatedRequestId === undefined ? undefined : this.#pending.get(hints.relatedRequestId)
    const calls = related !== undefined ? [related] : this.#holdsAllTimeouts ? this.#pending.all() : NO_CALLS
    for (const call of calls) call.hold()
    return calls
  }
}

const NO_CALLS: readonly PendingCall[] = []

function refuseRequest(): never {
  throw new Error('run() was not called')
}
