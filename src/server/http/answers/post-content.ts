// What a POST of the legacy era brings: one message or, at one revision, a batch of them.
import { MAX_BATCH } from '../../../dispatcher/batch.ts'
import { INVALID_ID, isRequestId } from '../../../dispatcher/request-id.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { JSONRPC_VERSION, type JSONRPCErrorResponse, type RequestId } from '../../../types/protocol/jsonrpc.ts'

/** A message of a batch that is refused, alone. */
export interface BrokenMessage {
  readonly message: unknown
  /** `undefined` where it has none that an answer could name. */
  readonly id: RequestId | undefined
  readonly problem: string
}

export interface PostContent {
  /** Of the requests, which are what has an answer; also of broken ones. */
  readonly ids: readonly RequestId[]
  readonly isBatch: boolean
  readonly broken: readonly BrokenMessage[]
}

const NONE: readonly never[] = Object.freeze([])
const NOTHING_TO_ANSWER: PostContent = Object.freeze({ ids: NONE, isBatch: false, broken: NONE })

/** The content of a body, or what is wrong with it. Here, because only an answer with an id finds its way back later on. */
export function readPost(body: unknown, acceptsBatches: boolean): PostContent | string {
  if (Array.isArray(body))
    return acceptsBatches ? readBatch(body) : 'Batches exist at protocol revision 2025-03-26 only'
  const problem = findProblem(body)
  if (problem !== undefined) return problem
  const id = requestIdOf(body)
  return id === undefined ? NOTHING_TO_ANSWER : { ids: [id], isBatch: false, broken: NONE }
}

/** The id of a request; `undefined` for any other message, and for what is none. */
export function requestIdOf(body: unknown): RequestId | undefined {
  if (!isPlainObject(body)) return undefined
  const { id, method } = body
  return typeof method === 'string' && isRequestId(id) ? id : undefined
}

/** Whether anything in the body waits for an answer. */
export function hasRequest(body: unknown): boolean {
  if (Array.isArray(body)) return body.some((message) => requestIdOf(message) !== undefined)
  return requestIdOf(body) !== undefined
}

export function isInitialize(body: unknown): boolean {
  return isPlainObject(body) && body['method'] === 'initialize' && body['id'] !== undefined
}

/** The answers to a batch that opens no session, each by the id of its request. */
export function refuseBatch(messages: readonly unknown[], problem: string): JSONRPCErrorResponse[] {
  return messages.slice(0, MAX_BATCH).flatMap((message) => {
    const id = requestIdOf(message)
    return id === undefined ? [] : [refusalOf({ message, id, problem: isInitialize(message) ? MISPLACED : problem })]
  })
}

export function refusalOf({ id, problem }: BrokenMessage): JSONRPCErrorResponse {
  const error = { code: ErrorCode.InvalidRequest, message: `Invalid request: ${problem}` }
  return id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error }
}

const MISPLACED = "'initialize' must not be part of a batch"

/** Spec JSON-RPC, Batch: a message that is broken costs only itself, unless there is no other that asks something. */
function readBatch(messages: readonly unknown[]): PostContent | string {
  if (messages.length === 0) return 'A batch must not be empty'
  if (messages.length > MAX_BATCH) return `A batch has at most ${MAX_BATCH} messages`
  if (messages.some(Array.isArray)) return 'A batch must not contain a batch'
  const ids: RequestId[] = []
  const broken: BrokenMessage[] = []
  let requests = 0
  for (const message of messages) {
    const problem = isInitialize(message) ? MISPLACED : findProblem(message)
    const id = askedIdOf(message)
    if (id !== undefined) ids.push(id)
    if (problem !== undefined) broken.push({ message, id, problem })
    else if (id !== undefined) requests += 1
  }
  if (requests === 0 && broken[0] !== undefined) return broken[0].problem
  if (new Set(ids).size !== ids.length) return 'Two requests of a batch have the same id'
  return { ids, isBatch: true, broken }
}

/** The id that a message wants to be answered by, in order or not; `undefined` for answers and notifications. */
function askedIdOf(message: unknown): RequestId | undefined {
  if (!isPlainObject(message)) return undefined
  const { id, method, result, error } = message
  return isRequestId(id) && (method !== undefined || (result === undefined && error === undefined)) ? id : undefined
}

function findProblem(message: unknown): string | undefined {
  if (!isPlainObject(message)) return 'A message is not an object'
  const { jsonrpc, id, method, result, error } = message
  if (jsonrpc !== JSONRPC_VERSION) return `jsonrpc must be "${JSONRPC_VERSION}"`
  if (method === undefined) return result === undefined && error === undefined ? NO_KIND : undefined
  if (typeof method !== 'string' || method === '') return 'method must be a string'
  return id === undefined || isRequestId(id) ? undefined : INVALID_ID
}

const NO_KIND = 'A message needs a method, a result or an error'
