// What an HTTP response means that is not the success hoped for: the server's own JSON-RPC error where it has one.
import { CLIENT_LIMITS, decodeMessage } from '../../dispatcher/decode.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { receivedError } from '../../types/errors/received-error.ts'
import type { ErrorData, RequestId } from '../../types/protocol/jsonrpc.ts'
import { hasType } from './http-link.ts'

/** An error object is small; whoever sends more is explained by what it begins with. */
const MAX_ERROR_BYTES = 64 * 1024

/**
 * The error of a call that was refused: an `MCPError` where the body is one, with a `TransportError` that has the status
 * as its cause; that error itself otherwise. Reads the body and lets the response go.
 */
export async function explainRefusal(response: PostResponse, what: string, id?: RequestId): Promise<Error> {
  if (!hasType(response.header('content-type'), 'application/json')) return explainResponse(response, what)
  const text = await response.text(MAX_ERROR_BYTES).catch(() => '')
  const data = readError(text, id)
  const cause = await explainResponse(withText(response, data === undefined ? text : ''), what)
  if (data === undefined) return cause
  const error = receivedError(data)
  error.cause = cause
  return error
}

function readError(text: string, id: RequestId | undefined): ErrorData | undefined {
  let body: unknown
  try {
    body = decodeMessage(text, CLIENT_LIMITS)
  } catch {
    return undefined
  }
  if (!isPlainObject(body) || !isPlainObject(body['error']) || !mayBelongTo(body['id'], id)) return undefined
  const { code, message, data } = body['error']
  if (!Number.isInteger(code) || typeof message !== 'string') return undefined
  return { code: code as number, message, ...(data !== undefined && { data }) }
}

/** A server that could not read the request does not know its id. */
function mayBelongTo(found: unknown, id: RequestId | undefined): boolean {
  if (found === undefined || found === null || id === undefined) return true
  return isRequestId(found) && correlationKey(found) === correlationKey(id)
}

/** The response with a body that was read already. */
function withText(response: PostResponse, text: string): PostResponse {
  return {
    status: response.status,
    url: response.url,
    header: (name) => response.header(name),
    text: async () => text,
    async *chunks() {
      yield new TextEncoder().encode(text)
    },
    cancel: () => response.cancel(),
  }
}

// What the HTTP status behind a failure says about the server at the other end.

/** The status, whether the refusal came in JSON-RPC or in HTTP alone; `undefined` where no response came. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof TransportError) return error.status
  return error instanceof MCPError && error.cause instanceof TransportError ? error.cause.status : undefined
}

/** Statuses about who asks, how often, or what stands in between. They say nothing about what the server understands. */
const BESIDE_THE_POINT: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429, 502, 503, 504])

export function isBesideThePoint(status: number | undefined): boolean {
  return status !== undefined && BESIDE_THE_POINT.has(status)
}

/** Whether a bare response shows that somebody at this address understands HTTP, and did not understand us. */
export function isNotUnderstood(status: number | undefined): boolean {
  if (status === undefined || BESIDE_THE_POINT.has(status)) return false
  return (status >= 200 && status <= 299) || (status >= 400 && status <= 499)
}

/**
 * Whether the status says that nothing is at this address, or that what is there has failed. A body in JSON-RPC does not change
 * that: many servers refuse every path that they do not know with one.
 */
export function isOfNoServer(status: number | undefined): boolean {
  return status === 404 || status === 405 || status === 410 || (status !== undefined && status >= 500)
}

/** Whether no response came, or not all of it. A status means that somebody answered, if only to refuse. */
export function isConnectionFailure(error: unknown): error is TransportError {
  return error instanceof TransportError && error.status === undefined
}
