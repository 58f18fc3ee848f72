// The answers to a batch (revision 2025-03-26): collected, and sent as one array when the last one is there.
import type { JSONObject } from '../types/protocol/json.ts'
import { type ErrorData, JSONRPC_VERSION, type JSONRPCResponse, type RequestId } from '../types/protocol/jsonrpc.ts'
import type { Responder } from './in-flight.ts'

/** The most messages that one batch may hold. */
export const MAX_BATCH = 100

export class BatchAnswers implements Responder {
  readonly #answers: JSONRPCResponse[] = []
  readonly #send: (answers: JSONRPCResponse[]) => Promise<void> | undefined
  #expected: number

  constructor(expected: number, send: (answers: JSONRPCResponse[]) => Promise<void> | undefined) {
    this.#expected = expected
    this.#send = send
  }

  /** One of the messages has no answer: a notification, or an answer itself. */
  skip(): void {
    void this.#count()
  }

  sendResult(id: RequestId, result: JSONObject): Promise<void> | undefined {
    this.#answers.push({ jsonrpc: JSONRPC_VERSION, id, result })
    return this.#count()
  }

  sendError(id: RequestId | undefined, error: ErrorData): Promise<void> | undefined {
    this.#answers.push(id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error })
    return this.#count()
  }

  unanswered(): void {
    void this.#count()
  }

  #count(): Promise<void> | undefined {
    this.#expected -= 1
    // Spec 2025-03-26: nothing is sent back for a batch that expects no answer.
    return this.#expected === 0 && this.#answers.length > 0 ? this.#send(this.#answers) : undefined
  }
}
