// The answer to one modern request: plain JSON as long as its handler is silent, a stream as soon as it speaks or takes long.
import type { Outbound } from '../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../dispatcher/encode.ts'
import { disclose, INTERNAL_ERROR } from '../../dispatcher/error-policy.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import type { EventSink, HttpExchange } from '../../http/exchange.ts'
import { accepts, EVENT_STREAM_TYPE, JSON_TYPE } from '../../http/media-type.ts'
import type { Deadlines, Due } from '../../primitives/deadlines.ts'
import { settlesWithin } from '../../primitives/timer.ts'
import { NoBackChannelError } from '../../types/errors.ts'
import type { JSONObject } from '../../types/json.ts'
import { type ErrorData, JSONRPC_VERSION, type JSONRPCMessage, type RequestId } from '../../types/jsonrpc.ts'
import { httpStatusOf } from '../../wire/inbound.ts'
import type { Heartbeat } from './heartbeat.ts'
import { replyError, replyMessage } from './reply.ts'
import { challengeOf } from './scope-challenge.ts'

/** What all answers of an endpoint share. */
export interface AnswerOwner {
  readonly heartbeat: Heartbeat
  readonly deadlines: Deadlines
  readonly faults: FaultReporter
  readonly maxQueuedBytes: number
}

/** How long a reader that takes nothing is waited for. */
const READER_MS = 60_000

export class ModernAnswer implements Outbound, Due {
  /** When silence has lasted too long. */
  dueAt = Infinity
  readonly #exchange: HttpExchange
  readonly #id: RequestId
  readonly #owner: AnswerOwner
  #sink: EventSink | undefined
  #isOver = false

  constructor(exchange: HttpExchange, id: RequestId, owner: AnswerOwner) {
    this.#exchange = exchange
    this.#id = id
    this.#owner = owner
  }

  /** Spec, Streamable HTTP: no requests on any stream of ours. */
  sendRawRequest(method: string): Promise<JSONObject> {
    return Promise.reject(new NoBackChannelError(method))
  }

  /** Dropped where the client takes no stream, and once the request is over. */
  notify(method: string, params?: JSONObject): Promise<void> {
    const written = this.#speak(params === undefined ? { method, ...RPC } : { params, method, ...RPC })
    return written ?? Promise.resolve()
  }

  /** A call that is silent for long gets its stream, so that no proxy takes it for dead. */
  onDue(): void {
    this.dueAt = Infinity
    this.#openStream()
  }

  succeed(result: JSONObject, method: string): void {
    if (this.#isOver) return
    try {
      this.#finish({ jsonrpc: JSONRPC_VERSION, id: this.#id, result })
    } catch (error) {
      this.#reportFailure(`The result of '${method}' could not be written`, method, error)
      this.refuse(INTERNAL_ERROR)
    }
  }

  /** What a handler threw becomes what the client may read. */
  fail(error: unknown, method: string): void {
    const { data, hidden } = disclose(error)
    if (hidden && !this.#isOver) this.#reportFailure(`The handler of '${method}' failed`, method, error)
    this.refuse(data)
  }

  /** Ends the request with an error, under the status of its code as long as there is still a status to give. */
  refuse(error: ErrorData, status: number = httpStatusOf(error.code)): void {
    if (this.#isOver) return
    if (this.#sink !== undefined) {
      this.#finish({ jsonrpc: JSONRPC_VERSION, id: this.#id, error })
      return
    }
    this.#end()
    const challenge = challengeOf(this.#exchange, error)
    if (challenge === undefined) replyError(this.#exchange, status, this.#id, error)
    else replyError(this.#exchange, 403, this.#id, error, { 'www-authenticate': challenge })
  }

  /** The client has gone: nothing more is written. */
  abandon(): void {
    this.#end()
  }

  #finish(message: JSONRPCMessage): void {
    if (this.#sink === undefined && !accepts(this.#exchange, JSON_TYPE)) this.#openStream()
    const sink = this.#sink
    if (sink === undefined) replyMessage(this.#exchange, message)
    else void sink.send({ data: encodeMessage(message) })
    this.#end()
    sink?.close()
  }

  #end(): void {
    this.#isOver = true
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    if (this.#sink !== undefined) this.#owner.heartbeat.delete(this.#sink)
  }

  #speak(message: JSONRPCMessage): Promise<void> | undefined {
    if (this.#isOver) return undefined
    const sink = this.#openStream()
    if (sink === undefined) return undefined
    let data: string
    try {
      data = encodeMessage(message)
    } catch (error) {
      this.#owner.faults.report({ kind: 'write-failed', message: 'A notification could not be written', error })
      return undefined
    }
    const reading = sink.send({ data })
    if (sink.queuedBytes > this.#owner.maxQueuedBytes) this.#giveUp(sink)
    return reading && this.#awaitReader(sink, reading)
  }

  #openStream(): EventSink | undefined {
    if (this.#sink !== undefined || this.#isOver || !accepts(this.#exchange, EVENT_STREAM_TYPE)) return this.#sink
    if (this.dueAt !== Infinity) this.#owner.deadlines.delete(this)
    this.dueAt = Infinity
    this.#sink = this.#exchange.stream()
    this.#owner.heartbeat.add(this.#sink)
    return this.#sink
  }

  async #awaitReader(sink: EventSink, reading: Promise<void>): Promise<void> {
    if (!(await settlesWithin(reading, READER_MS))) this.#giveUp(sink)
  }

  #giveUp(sink: EventSink): void {
    this.#owner.faults.report({ kind: 'overflow', message: 'A client does not read its stream; it was cut' })
    sink.destroy()
  }

  #reportFailure(message: string, method: string, error: unknown): void {
    this.#owner.faults.report({ kind: 'handler-failed', message, method, requestId: this.#id, error })
  }
}

const RPC = { jsonrpc: JSONRPC_VERSION } as const
