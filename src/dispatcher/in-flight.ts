// The limit on concurrent requests of a connection: those of the peer that are handled or wait, each answered at most once.
// HTTP handlers have a limit of their own (server/http/guards/admission.ts); limitConcurrency() adds one per kind of request.

import { LinkedQueue, type QueuePlace } from '../primitives/async/linked-queue.ts'
import { IdTable } from '../primitives/id-table.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { ErrorData, RequestId } from '../types/protocol/jsonrpc.ts'
import type { ReceiveHints } from './channel.ts'
import type { InboundContext } from './context.ts'
import type { PendingCall } from './pending.ts'

/** Where the answer to an inbound request goes. */
export interface Responder {
  sendResult(id: RequestId, result: JSONObject): Promise<void> | undefined
  sendError(id: RequestId | undefined, error: ErrorData, cause?: unknown): Promise<void> | undefined
  /** The request ended without an answer, because the peer no longer wants one. */
  unanswered?(id: RequestId): void
}

/** One inbound request, from its arrival to its answer. */
export interface InboundRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JSONObject | undefined
  readonly context: InboundContext
  readonly hints: ReceiveHints | undefined
  readonly responder: Responder
  /** Answered or cancelled: nothing more is sent for it. */
  isSettled: boolean
  isStarted: boolean
  /** Handled even while other requests wait, beyond the limit for them. */
  readonly isUrgent: boolean
  /** Cancelled while its handler was at work, which goes on without a place. */
  isAbandoned: boolean
  /** Where it waits, if it does, and what it weighs there. */
  place: QueuePlace<unknown> | undefined
  weight: number
  /** Our own calls whose timeout is paused while this request is handled. */
  pausedCalls: readonly PendingCall[]
}

/** Places beyond the others for requests that must not wait, as `ping`; whoever sends more of them waits like everybody. */
const MAX_URGENT = 64

/** Handlers that go on after they were cancelled. Once there are so many, the next ones keep their places until they are done. */
const MAX_ABANDONED = 1_024

/**
 * Requests by id, at most `maxRunning` of them at work. A cancelled request frees its id and its place at once; but only so
 * many handlers may go on without a place, or cancelling would be a way to start any number of them.
 */
export class InFlight {
  readonly #maxRunning: number
  /** By the ids as the peer wrote them: to it, `1` and `"1"` are two. */
  readonly #byId = new IdTable<InboundRequest>()
  readonly #line = new LinkedQueue<InboundRequest>()
  #running = 0
  #urgent = 0
  #abandoned = 0

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  get isIdle(): boolean {
    return this.#running + this.#abandoned === 0
  }

  get isFull(): boolean {
    return this.#running - this.#urgent >= this.#maxRunning
  }

  get hasUrgentPlace(): boolean {
    return this.#urgent < MAX_URGENT
  }

  has(id: RequestId): boolean {
    return this.#byId.has(id)
  }

  register(request: InboundRequest): void {
    this.#byId.set(request.id, request)
  }

  /** Puts a request in line. Returns whether it may start now. */
  admit(request: InboundRequest): boolean {
    if (!request.isUrgent && this.isFull) {
      request.place = this.#line.push(request)
      return false
    }
    if (request.isUrgent) this.#urgent += 1
    this.#begin(request)
    return true
  }

  /** The handler of this request is done. Returns the request that takes its place. */
  leave(request: InboundRequest): InboundRequest | undefined {
    if (!request.isAbandoned) return this.#freePlaceOf(request)
    this.#abandoned -= 1
    return undefined
  }

  /** The request was cancelled while its handler runs. Returns the request that takes its place. */
  abandon(request: InboundRequest): InboundRequest | undefined {
    if (!request.isStarted || this.#abandoned >= MAX_ABANDONED) return undefined
    request.isAbandoned = true
    this.#abandoned += 1
    return this.#freePlaceOf(request)
  }

  /** Marks a request as settled. True for the one who may answer it. */
  settle(request: InboundRequest): boolean {
    if (request.isSettled) return false
    request.isSettled = true
    // By identity: a peer may have reused the id of a request it cancelled.
    if (this.#byId.get(request.id) === request) this.#byId.delete(request.id)
    return true
  }

  /** The peer no longer wants an answer, so none will be sent. Returns the request whose handler should know. */
  cancel(id: RequestId): InboundRequest | undefined {
    const request = this.#byId.get(id)
    if (request === undefined || !this.settle(request)) return undefined
    request.place?.leave()
    request.place = undefined
    return request
  }

  all(): InboundRequest[] {
    return this.#byId.values()
  }

  #freePlaceOf({ isUrgent }: InboundRequest): InboundRequest | undefined {
    this.#running -= 1
    if (isUrgent) this.#urgent -= 1
    const next = this.isFull ? undefined : this.#line.shift()
    if (next !== undefined) this.#begin(next)
    return next
  }

  #begin(request: InboundRequest): void {
    this.#running += 1
    request.isStarted = true
    request.place = undefined
  }
}
