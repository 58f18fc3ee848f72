// The content of a legacy POST: one message or, at revision 2025-03-26, a batch.
import { MAX_BATCH } from '../../../dispatcher/batch.ts'
import { INVALID_ID, isRequestId } from '../../../dispatcher/request-id.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { JSONRPC_VERSION, type JSONRPCErrorResponse, type RequestId } from '../../../types/protocol/jsonrpc.ts'

/** A message of a batch that is rejected while the others are handled. */
export interface BrokenMessage {
  readonly message: unknown
  /** `undefined` where it has no usable id. */
  readonly id: RequestId | undefined
  readonly problem: string
}

export interface PostContent {
  /** The ids of its requests, also of broken ones. */
  readonly ids: readonly RequestId[]
  readonly isBatch: boolean
  readonly broken: readonly BrokenMessage[]
}

const NONE: readonly never[] = Object.freeze([])
const NOTHING_TO_ANSWER: PostContent = Object.freeze({ ids: NONE, isBatch: false, broken: NONE })

/** The content of a body, or what is wrong with it. Checked here, because later only an answer with an id finds its POST. */
export function readPost(body: unknown, acceptsBatches: boolean): PostContent | string {
  if (Array.isArray(body)) return acceptsBatches ? readBatch(body) : NO_BATCHES
  const problem = findProblem(body)
  if (problem !== undefined) return problem
  const id = requestIdOf(body)
  return id === undefined ? NOTHING_TO_ANSWER : { ids: [id], isBatch: false, broken: NONE }
}

/** The id of a request; `undefined` for any other value. */
export function requestIdOf(body: unknown): RequestId | undefined {
  if (!isPlainObject(body)) return undefined
  const { id, method } = body
  return typeof method === 'string' && isRequestId(id) ? id : undefined
}

/** Whether the body has a request. */
export function hasRequest(body: unknown): boolean {
  if (Array.isArray(body)) return body.some((message) => requestIdOf(message) !== undefined)
  return requestIdOf(body) !== undefined
}

export function isInitialize(body: unknown): boolean {
  return isPlainObject(body) && body['method'] === 'initialize' && body['id'] !== undefined
}

/** The answers to a batch that cannot open a session, one for each request. */
export function rejectBatch(messages: readonly unknown[], problem: string): JSONRPCErrorResponse[] {
  return messages.slice(0, MAX_BATCH).flatMap((message) => {
    const id = requestIdOf(message)
    return id === undefined
      ? []
      : [rejectionOf({ message, id, problem: isInitialize(message) ? INITIALIZE_IN_BATCH : problem })]
  })
}

export function rejectionOf({ id, problem }: BrokenMessage): JSONRPCErrorResponse {
  const error = { code: ErrorCode.InvalidRequest, message: `Invalid request: ${problem}` }
  return id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error }
}

const NO_BATCHES = 'The body is a batch. Batches exist at protocol revision 2025-03-26 only.'
const INITIALIZE_IN_BATCH = "'initialize' must not be part of a batch."
const NO_KIND = 'The message has no method, no result and no error.'

/** Spec JSON-RPC, Batch: a broken message is rejected alone, unless the batch has no other request. */
function readBatch(messages: readonly unknown[]): PostContent | string {
  if (messages.length === 0) return 'The batch is empty.'
  if (messages.length > MAX_BATCH) return `The batch has more than ${MAX_BATCH} messages.`
  if (messages.some(Array.isArray)) return 'The batch contains a batch.'
  const ids: RequestId[] = []
  const broken: BrokenMessage[] = []
  let requests = 0
  for (const message of messages) {
    const problem = isInitialize(message) ? INITIALIZE_IN_BATCH : findProblem(message)
    const id = answerIdOf(message)
    if (id !== undefined) ids.push(id)
    if (problem !== undefined) broken.push({ message, id, problem })
    else if (id !== undefined) requests += 1
  }
  if (requests === 0 && broken[0] !== undefined) return broken[0].problem
  if (new Set(ids).size !== ids.length) return 'Two requests of the batch have the same id.'
  return { ids, isBatch: true, broken }
}

/** The id to answer a message by, valid or not; `undefined` for responses and notifications. */
function answerIdOf(message: unknown): RequestId | undefined {
  if (!isPlainObject(message)) return undefined
  const { id, method, result, error } = message
  return isRequestId(id) && (method !== undefined || (result === undefined && error === undefined)) ? id : undefined
}

function findProblem(message: unknown): string | undefined {
  if (!isPlainObject(message)) return 'The message is not an object.'
  const { jsonrpc, id, method, result, error } = message
  if (jsonrpc !== JSONRPC_VERSION) return `jsonrpc must be "${JSONRPC_VERSION}".`
  if (method === undefined) return result === undefined && error === undefined ? NO_KIND : undefined
  if (typeof method !== 'string' || method === '') return 'method must be a string.'
  return id === undefined || isRequestId(id) ? undefined : INVALID_ID
}
