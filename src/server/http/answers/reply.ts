// Whole HTTP answers: JSON-RPC messages and errors, with the status and the headers that belong to them.
import { encodeMessage, encodePieces } from '../../../dispatcher/encode.ts'
import { disclose } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange, ReplyHeaders } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { ErrorData, JSONRPCBatch, JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'

/** The same for sessions that never existed, that have ended, and that belong to another caller. */
export const SESSION_NOT_FOUND: ErrorData = Object.freeze({
  code: ErrorCode.InvalidRequest,
  message: 'Session not found. Start a new session with initialize.',
})

export const SHUTTING_DOWN: ErrorData = Object.freeze({
  code: ErrorCode.InternalError,
  message: 'The server is shutting down.',
})

/** With an answer 503. */
export const RETRY_LATER: ReplyHeaders = Object.freeze({ 'retry-after': '10' })
/** For what somebody on this side waits for. */
export const RETRY_SOON: ReplyHeaders = Object.freeze({ 'retry-after': '1' })

/** Answers 200 with one message. Throws `EncodeError` or `LimitError` before anything is answered. */
export function replyMessage(
  exchange: HttpExchange,
  message: JSONRPCMessage | JSONRPCBatch,
  headers?: ReplyHeaders,
): void {
  const encoded = exchange.replyPieces === undefined ? encodeMessage(message) : encodePieces(message)
  if (typeof encoded === 'string') exchange.reply(200, encoded, withJson(headers))
  else exchange.replyPieces?.(200, encoded, withJson(headers))
}

/** Answers with an error. `id` is `undefined` where the id of the request could not be read; then none is sent. */
export function replyError(
  exchange: HttpExchange,
  status: number,
  id: RequestId | null | undefined,
  error: MCPError | ErrorData,
  headers?: ReplyHeaders,
): void {
  const data = error instanceof MCPError ? disclose(error).data : error
  const body = encodeMessage(id === undefined ? { jsonrpc: '2.0', error: data } : { jsonrpc: '2.0', id, error: data })
  exchange.reply(status, body, withJson(headers))
}

/** Rejects a request that is wrong. */
export function rejectInvalid(
  exchange: HttpExchange,
  status: 400 | 403 | 404 | 406 | 409 | 415,
  message: string,
  id?: RequestId,
): void {
  replyError(exchange, status, id, { code: ErrorCode.InvalidRequest, message })
}

/** Rejects a request that may succeed later. */
export function rejectTemporarily(
  exchange: HttpExchange,
  message: string,
  id?: RequestId,
  headers: ReplyHeaders = RETRY_LATER,
): void {
  const error = { code: ErrorCode.InternalError, message }
  replyError(exchange, 503, id, error, headers)
}

/** HTTP+SSE: the answer to the message itself comes on the stream. */
export function acceptMessage(exchange: HttpExchange): void {
  exchange.reply(202, 'Accepted', { 'content-type': 'text/plain' })
}

export function rejectMethod(exchange: HttpExchange, allowed: string): void {
  const error = { code: ErrorCode.InvalidRequest, message: `Method not allowed. Use ${allowed}.` }
  replyError(exchange, 405, undefined, error, { allow: allowed })
}

export function rejectUnknownSession(exchange: HttpExchange, id?: RequestId): void {
  replyError(exchange, 404, id, SESSION_NOT_FOUND)
}

/** The `WWW-Authenticate` value that belongs to an error; `undefined` for other errors, and where no tokens are checked. */
export function challengeOf({ challengeScopes }: HttpExchange, { data }: ErrorData): string | undefined {
  if (challengeScopes === undefined || !isPlainObject(data) || data['reason'] !== 'insufficient_scope') return undefined
  const scopes = data['requiredScopes']
  return Array.isArray(scopes) ? challengeScopes(scopes.map(String)) : undefined
}

function withJson(headers: ReplyHeaders | undefined): ReplyHeaders {
  return headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }
}
