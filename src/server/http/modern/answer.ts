// The answer to one modern request: plain JSON as long as its handler is silent, a stream as soon as it speaks or takes long.

import { InboundContext } from '../../../dispatcher/context.ts'
import type { Outbound } from '../../../dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { connectionClosed, disclose, INTERNAL_ERROR } from '../../../dispatcher/error-policy.ts'
import type { FaultReporter } from '../../../dispatcher/fault.ts'
import type { EventSink, HttpExchange } from '../../../http/exchange.ts'
import { accepts, EVENT_STREAM_TYPE, JSON_TYPE } from '../../../http/media-type.ts'
import type { Deadlines, Due } from '../../../primitives/async/deadlines.ts'
import { settlesWithin } from '../../../primitives/async/timer.ts'
import { NoBackChannelError } from '../../../types/errors/errors.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import {
  type ErrorData,
  JSONRPC_VERSION,
  type JSONRPCMessage,
  type RequestId,
} from '../../../types/protocol/jsonrpc.ts'
import { LATEST_MODERN_VERSION } from '../../../types/protocol/versions.ts'
import { httpStatusOf } from '../../../wire/inbound.ts'
import { Connection, type ConnectionOptions } from '../../connection.ts'
import { handleNotification } from '../../runner.ts'
import type { Server } from '../../server.ts'
import { HttpTransport } from '../answers/http-transport.ts'
import { refuseForNow } from '../answers/refusals.ts'
import { challengeOf, replyError, replyMessage } from '../answers/reply.ts'
import type { Admission } from '../guards/admission.ts'
import type { Heartbeat } from '../streams/heartbeat.ts'

/** A notification has no way back. */
export const NOBODY: Outbound = Object.freeze({
  sendRawRequest: () => Promise.reject(connectionClosed()),
  notify: () => Promise.resolve(),
})

export class ModernNotices {
  readonly #server: Server
  readonly #admission: Admission
  readonly #options: ConnectionOptions
  /** Those whose handlers have not ended yet. */
  readonly #running = new Set<InboundContext>()

  constructor(server: Server, admission: Admission, options: ConnectionOptions) {
    this.#server = server
    this.#admission = admission
    this.#options = options
  }

  take(exchange: HttpExchange, method: string, params: JSONObject | undefined): void {
    const { auth } = exchange
    // Spec, Streamable HTTP: what the server cannot accept is answered with an error status.
    if (!this.#admission.enterNotice(auth)) {
      const message = 'A notification was refused: too many are being handled'
      this.#server.faults.report({ kind: 'overflow', message, method })
      refuseForNow(exchange, 'Too many notifications are being handled')
      return
    }
    exchange.reply(202)
    const context = new InboundContext(NOBODY, new HttpTransport(exchange), undefined, params)
    this.#running.add(context)
    void this.#handle(context, method, params).then(() => {
      context.seal()
      this.#running.delete(context)
      this.#admission.leaveNotice(auth)
    })
  }

  /** Tells all handlers to stop. */
  abort(reason: unknown): void {
    for (const context of this.#running) context.abort(reason)
  }

  async #handle(context: InboundContext, method: string, params: JSONObject | undefined): Promise<void> {
    const envelope = { protocolVersion: LATEST_MODERN_VERSION, clientCapabilities: {} }
    try {
      const connection = Connection.fromEnvelope(envelope, this.#options)
      await handleNotification(this.#server, connection, context, method, params)
    } catch (error) {
      const message = `The handler of '${method}' failed`
      this.#server.faults.report({ kind: 'notification-failed', message, method, error })
    }
  }
}

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
