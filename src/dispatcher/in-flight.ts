// The peer's requests that we work on: bounded in number, cancellable, answered at most once.
import { IdTable } from '../primitives/id-table.ts'
import type { JSONObject } from '../types/json.ts'
import type { ErrorData, RequestId } from '../types/jsonrpc.ts'
import type { ReceiveHints } from './channel.ts'
import type { InboundContext } from './context.ts'
import type { PendingCall } from './pending.ts'
import { correlationKey } from './request-id.ts'

/** Where the answer to an inbound request goes. */
export interface AnswerSink {
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
  readonly sink: AnswerSink
  /** Answered, or no answer is wanted any more: whoever comes second stays silent. */
  isSettled: boolean
  isStarted: boolean
  /** Our own calls whose time stands still while we work on this. */
  heldCalls: readonly PendingCall[]
}

/**
 * Requests by id, at most `maxRunning` of them at work and `maxWaiting` in line. A cancelled request frees its id and its
 * place in line at once, but its place at work only when its handler is done: otherwise cancelling would be a way to start
 * any number of handlers.
 */
export class InFlight {
  readonly #maxRunning: number
  readonly #maxWaiting: number
  readonly #byKey = new IdTable<InboundRequest>()
  readonly #line: InboundRequest[] = []
  #running = 0

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning
    this.#maxWaiting = maxWaiting
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#line.length
  }

  get isFull(): boolean {
    return this.#running >= this.#maxRunning
  }

  get hasRoom(): boolean {
    return this.#running < this.#maxRunning || this.#line.length < this.#maxWaiting
  }

  has(id: RequestId): boolean {
    return this.#byKey.has(correlationKey(id))
  }

  register(request: InboundRequest): void {
    this.#byKey.set(correlationKey(request.id), request)
  }

  /** Puts a request in line. Returns whether it may start now. */
  admit(request: InboundRequest): boolean {
    if (this.isFull) {
      this.#line.push(request)
      return false
    }
    this.#running += 1
    request.isStarted = true
    return true
  }

  /** A handler is done. Returns the request that takes its place. */
  leave(): InboundRequest | undefined {
    this.#running -= 1
    let next = this.#line.shift()
    while (next?.isSettled) next = this.#line.shift()
    if (next === undefined) return undefined
    this.#running += 1
    next.isStarted = true
    return next
  }

  /** Marks a request as settled. True for the one who may answer it. */
  settle(request: InboundRequest): boolean {
    if (request.isSettled) return false
    request.isSettled = true
    // By identity: a peer may have reused the id of a request it cancelled.
    const key = correlationKey(request.id)
    if (this.#byKey.get(key) === request) this.#byKey.delete(key)
    return true
  }

  /** The peer no longer wants an answer, so none will be sent. Returns the request whose handler should know. */
  cancel(id: RequestId): InboundRequest | undefined {
    const request = this.#byKey.get(correlationKey(id))
    if (request === undefined || !this.settle(request)) return undefined
    const place = request.isStarted ? -1 : this.#line.indexOf(request)
    if (place !== -1) this.#line.splice(place, 1)
    return request
  }

  all(): InboundRequest[] {
    return this.#byKey.values()
  }
}
