// The error for the caller of a POST that got an error status.
import { CLIENT_LIMITS, decodeMessage } from '../../dispatcher/decode.ts'
import { correlationKey, isRequestId } from '../../dispatcher/request-id.ts'
import { explainResponse } from '../../http/failures.ts'
import type { PostResponse } from '../../http/poster.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { receivedError } from '../../types/errors/errors.ts'
import type { ErrorData, RequestId } from '../../types/protocol/jsonrpc.ts'
import { hasMediaType } from './http-link.ts'

/** An error object is small; of a larger body only the beginning is quoted. */
const MAX_ERROR_BYTES = 64 * 1024

/**
 * The error of a POST that got an error status: an `MCPError` where the body is a JSON-RPC error, whose cause is a
 * `TransportError` with the status; otherwise that `TransportError`. Reads the body and releases the HTTP response.
 */
export async function errorFromResponse(response: PostResponse, what: string, id?: RequestId): Promise<Error> {
  if (!hasMediaType(response.header('content-type'), 'application/json')) return explainResponse(response, what)
  const text = await response.text(MAX_ERROR_BYTES).catch(() => '')
  const data = parseErrorBody(text, id)
  if (data === undefined) return explainResponse(withText(response, text), what)
  const cause = await explainResponse(withText(response, ''), what, true)
  const error = receivedError(data)
  error.cause = cause
  return error
}

function parseErrorBody(text: string, id: RequestId | undefined): ErrorData | undefined {
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

/** The HTTP response with a body that was already read. */
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
