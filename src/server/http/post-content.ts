// What a POST of the legacy era brings: one message or, at one revision, a batch of them.
import { MAX_BATCH } from '../../dispatcher/batch.ts'
import { isRequestId } from '../../dispatcher/request-id.ts'
import { isPlainObject } from '../../primitives/objects.ts'
import { JSONRPC_VERSION, type RequestId } from '../../types/jsonrpc.ts'

export interface PostContent {
  /** Of the requests, which are what has an answer. */
  readonly ids: readonly RequestId[]
  readonly isBatch: boolean
}

const NOTHING_TO_ANSWER: PostContent = Object.freeze({ ids: Object.freeze([]), isBatch: false })

/** The content of a body, or what is wrong with it. Here, because only an answer with an id finds its way back later on. */
export function readPost(body: unknown, acceptsBatches: boolean): PostContent | string {
  if (Array.isArray(body))
    return acceptsBatches ? readBatch(body) : 'Batches exist at protocol revision 2025-03-26 only'
  const problem = findProblem(body)
  if (problem !== undefined) return problem
  const id = requestIdOf(body)
  return id === undefined ? NOTHING_TO_ANSWER : { ids: [id], isBatch: false }
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

function readBatch(messages: readonly unknown[]): PostContent | string {
  if (messages.length === 0) return 'A batch must not be empty'
  if (messages.length > MAX_BATCH) return `A batch has at most ${MAX_BATCH} messages`
  const ids: RequestId[] = []
  for (const message of messages) {
    const problem = findProblem(message)
    if (problem !== undefined) return problem
    if (isInitialize(message)) return "'initialize' must not be part of a batch"
    const id = requestIdOf(message)
    if (id !== undefined) ids.push(id)
  }
  if (new Set(ids).size !== ids.length) return 'Two requests of a batch have the same id'
  return { ids, isBatch: true }
}

function findProblem(message: unknown): string | undefined {
  if (!isPlainObject(message)) return 'A message is not an object'
  const { jsonrpc, id, method, result, error } = message
  if (jsonrpc !== JSONRPC_VERSION) return `jsonrpc must be "${JSONRPC_VERSION}"`
  if (method === undefined) return result === undefined && error === undefined ? NO_KIND : undefined
  if (typeof method !== 'string' || method === '') return 'method must be a string'
  return id === undefined || isRequestId(id) ? undefined : 'id must be a string or an integer'
}

const NO_KIND = 'A message needs a method, a result or an error'
