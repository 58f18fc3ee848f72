// JSON-RPC over a channel: messages in become calls, calls become messages out.

import { isPlainObject } from '../primitives/json/objects.ts'
import { checkKeys } from '../primitives/options.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import {
  type ErrorData,
  JSONRPC_VERSION,
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type RequestId,
} from '../types/protocol/jsonrpc.ts'
import { BatchAnswers, MAX_BATCH } from './batch.ts'
import type { Channel, ReceiveHints, Receiver, SendHints } from './channel.ts'
import {
  type CallOptions,
  type CloseOptions,
  DISPATCHER_KEYS,
  type Dispatcher,
  type DispatcherOptions,
  type OnNotify,
  type OnRequest,
} from './dispatcher.ts'
import { INTERNAL_ERROR } from './error-policy.ts'
import type { Fault } from './fault.ts'
import type { Responder } from './in-flight.ts'
import { INVALID_ID, isRequestId } from './request-id.ts'
import { type Link, RpcConnection } from './rpc-connection.ts'

/** A dispatcher that speaks JSON-RPC over a channel. `Client` and `Server` use it for every transport. */
export class JSONRPCDispatcher implements Dispatcher {
  /** Whether arrays of messages are taken. Only revision 2025-03-26 has them, so whoever negotiated it says so here. */
  acceptsBatches = false
  readonly #channel: Channel
  readonly #rpc: RpcConnection
  readonly #link: ChannelLink
  readonly #inlineMethods: readonly string[]
  readonly #receiver: Receiver

  constructor(channel: Channel, options: DispatcherOptions = {}) {
    checkKeys('new JSONRPCDispatcher()', options, DISPATCHER_KEYS)
    this.#channel = channel
    this.#link = new ChannelLink(channel)
    this.#rpc = new RpcConnection(this.#link, options)
    this.#inlineMethods = options.inlineMethods ?? []
    this.#receiver = this.#createReceiver(options.decode)
  }

  /** Serves messages of the peer until the connection closes. Can be called once. */
  async run(onRequest: OnRequest, onNotify: OnNotify): Promise<void> {
    this.#rpc.open(onRequest, onNotify)
    try {
      // A channel that is closed while it starts need not come to an end with that.
      await Promise.race([this.#channel.start(this.#receiver), this.#rpc.ended])
    } catch (error) {
      if (this.#rpc.isClosing) return this.#rpc.ended
      this.#link.disown()
      this.#rpc.linkClosed(error instanceof Error ? error : new Error('the channel did not start'))
      throw error
    }
    return this.#rpc.ended
  }

  /** Sends a request and resolves to its unchecked result. */
  sendRawRequest(method: string, params?: JSONObject, options?: CallOptions): Promise<JSONObject> {
    return this.#rpc.sendRawRequest(method, params, options)
  }

  /** Sends a notification. Resolves when it is sent. */
  notify(method: string, params?: JSONObject, hints?: SendHints): Promise<void> {
    return this.#rpc.notify(method, params, hints)
  }

  /** Own requests that wait for their answers. */
  get pendingCount(): number {
    return this.#rpc.pendingCount
  }

  /** Ends the connection and rejects open requests. Safe to call twice. */
  close(options?: CloseOptions): Promise<void> {
    return this.#rpc.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #createReceiver(decode: DispatcherOptions['decode']): Receiver {
    return {
      decode,
      message: (message, hints) => (Array.isArray(message) ? this.#batch(message, hints) : this.#one(message, hints)),
      fault: (fault) => this.#rpc.faults.report(fault),
      lost: (id, reason) => this.#rpc.receiveLoss(id, reason),
      hold: (id) => this.#rpc.hold(id),
      closed: (reason) => this.#rpc.linkClosed(reason),
    }
  }

  #one(
    message: unknown,
    hints: ReceiveHints | undefined,
    responder: Responder = this.#link,
  ): Promise<void> | undefined {
    if (!isPlainObject(message)) return this.#invalid('A message is not an object')
    const { id, method } = message
    if (message['jsonrpc'] !== JSONRPC_VERSION) {
      if (method === undefined && isRequestId(id) && this.#rpc.awaits(id)) {
        this.#rpc.receiveMalformedResponse(id, `is not JSON-RPC ${JSONRPC_VERSION}`, message)
        return undefined
      }
      return this.#rejectMessage(message, responder, `jsonrpc must be "${JSONRPC_VERSION}"`)
    }
    if (method === undefined) return this.#response(message, hints, responder)
    if (typeof method !== 'string' || method === '')
      return this.#rejectMessage(message, responder, 'method must be a string')
    const params = message['params']
    const isFit = params === undefined || isPlainObject(params)
    if (id === undefined) {
      if (!isFit) return this.#invalid(`The params of notification '${method.slice(0, 128)}' are not an object`)
      return this.#rpc.receiveNotification(method, params, hints)
    }
    if (!isRequestId(id)) return this.#rejectMessage(message, responder, INVALID_ID)
    if (isFit) return this.#rpc.receiveRequest(id, method, params, hints, responder)
    this.#rpc.rejectRequest(responder, id, ErrorCode.InvalidParams, 'Invalid params: expected an object')
    return undefined
  }

  #response(message: JSONObject, hints: ReceiveHints | undefined, responder: Responder): undefined {
    const { id, result, error } = message
    if (this.#isQuestion(message) || (result === undefined && error === undefined && !isRequestId(id))) {
      return this.#rejectMessage(message, responder, 'a message needs a method, a result or an error')
    }
    if (result === undefined && isErrorData(error) && (id === undefined || id === null)) {
      this.#rpc.receiveAnonymousError(error, hints)
    } else if (!isRequestId(id)) {
      this.#invalid('An answer has no usable id')
    } else if ((result === undefined) === (error === undefined)) {
      this.#rpc.receiveMalformedResponse(id, 'must have either a result or an error', message)
    } else if (error === undefined) {
      this.#rpc.receiveResult(id, result)
    } else if (isErrorData(error)) {
      this.#rpc.receiveError(id, error, hints?.cause)
    } else {
      this.#rpc.receiveMalformedResponse(id, 'has a malformed error', message)
    }
    return undefined
  }

  #batch(messages: readonly unknown[], hints: ReceiveHints | undefined): Promise<void> | undefined {
    const problem = this.#batchProblem(messages)
    if (problem !== undefined) {
      this.#rpc.rejectRequest(this.#link, undefined, ErrorCode.InvalidRequest, problem)
      return this.#invalid(problem)
    }
    const answers = new BatchAnswers(messages.length, (batch) =>
      this.#rpc.answer(
        () => this.#channel.send(batch),
        () => this.#sendOneByOne(batch),
      ),
    )
    let pressure: Promise<void> | undefined
    for (const message of messages) {
      // Spec JSON-RPC, Batch: what is no message at all is answered too, without an id.
      if (!isPlainObject(message))
        this.#rpc.rejectRequest(answers, undefined, ErrorCode.InvalidRequest, 'Invalid request')
      else if (!this.#isQuestion(message)) answers.skip()
      const misplaced = isPlainObject(message) ? this.#misplaced(message) : undefined
      if (misplaced === undefined) pressure = this.#one(message, hints, answers) ?? pressure
      else this.#rejectMessage(message as JSONObject, answers, misplaced)
    }
    return pressure
  }

  /** What cannot leave as one leaves one by one, so that only the answer that is at fault is lost. */
  async #sendOneByOne(answers: readonly JSONRPCResponse[]): Promise<void> {
    const writes = answers.map((answer) =>
      this.#rpc.answer(
        () => this.#channel.send(answer),
        () => this.#link.sendError(answer.id ?? undefined, INTERNAL_ERROR),
      ),
    )
    await Promise.all(writes)
  }

  /** Why nothing in the batch is answered by its id. */
  #batchProblem(messages: readonly unknown[]): string | undefined {
    const isOpening = messages.some((message) => isPlainObject(message) && this.#isInline(message['method']))
    if (!this.acceptsBatches && !isOpening) return NO_BATCHES
    if (messages.length === 0) return 'A batch must not be empty'
    if (messages.length > MAX_BATCH) return `A batch has at most ${MAX_BATCH} messages`
    return messages.some(Array.isArray) ? 'A batch must not contain a batch' : undefined
  }

  /** Why this message has no place in its batch. Whoever opens a connection by one waits for every answer, so each is given. */
  #misplaced({ method }: JSONObject): string | undefined {
    if (this.#isInline(method)) return `'${method}' must not be part of a batch`
    return this.acceptsBatches ? undefined : NO_BATCHES
  }

  #isInline(method: unknown): boolean {
    return typeof method === 'string' && this.#inlineMethods.includes(method)
  }

  /** Whether whoever wrote this waits for an answer: it has an id, usable or not, and is no answer itself, however broken. */
  #isQuestion(message: JSONObject): boolean {
    const { id, method, result, error } = message
    if (id === undefined) return false
    if (method !== undefined) return true
    return result === undefined && error === undefined && !(isRequestId(id) && this.#rpc.awaits(id))
  }

  /** Answers a broken request. What was never meant to be answered is only reported. */
  #rejectMessage(message: JSONObject, responder: Responder, problem: string): undefined {
    if (this.#isQuestion(message)) {
      const id = isRequestId(message['id']) ? message['id'] : undefined
      this.#rpc.rejectRequest(responder, id, ErrorCode.InvalidRequest, `Invalid request: ${problem}`)
    }
    return this.#invalid(problem)
  }

  #invalid(message: string): undefined {
    const fault: Fault = { kind: 'invalid-message', message }
    this.#rpc.faults.report(fault)
    return undefined
  }
}

function isErrorData(value: unknown): value is ErrorData {
  return isPlainObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string'
}

const NO_BATCHES = 'Batches exist at protocol revision 2025-03-26 only'

/** Spells calls and answers as JSON-RPC messages. */
class ChannelLink implements Link {
  readonly #channel: Channel
  #isOurs = true

  constructor(channel: Channel) {
    this.#channel = channel
  }

  sendRequest(id: RequestId, method: string, params: JSONObject, hints?: SendHints): Promise<void> | undefined {
    return this.#channel.send({ jsonrpc: JSONRPC_VERSION, id, method, params }, hints)
  }

  sendNotification(method: string, params: JSONObject | undefined, hints?: SendHints): Promise<void> | undefined {
    const message: JSONRPCNotification =
      params === undefined ? { jsonrpc: JSONRPC_VERSION, method } : { jsonrpc: JSONRPC_VERSION, method, params }
    return this.#channel.send(message, hints)
  }

  sendResult(id: RequestId, result: JSONObject): Promise<void> | undefined {
    return this.#channel.send({ jsonrpc: JSONRPC_VERSION, id, result })
  }

  sendError(id: RequestId | undefined, error: ErrorData, cause?: unknown): Promise<void> | undefined {
    const message: JSONRPCErrorResponse =
      id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error }
    return this.#channel.send(message, cause === undefined ? undefined : { cause })
  }

  release(id: RequestId): void {
    this.#channel.release?.(id)
  }

  /** A channel that did not start has nothing to close, unless it is another dispatcher's. */
  disown(): void {
    this.#isOurs = false
  }

  get closeMs(): number | undefined {
    return this.#channel.closeMs
  }

  close(): Promise<void> | void {
    if (this.#isOurs) return this.#channel.close()
  }
}
