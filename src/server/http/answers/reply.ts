// JSON-RPC messages as whole HTTP answers: one place that knows their headers.
import { encodeMessage, encodePieces } from '../../../dispatcher/encode.ts'
import { disclose } from '../../../dispatcher/error-policy.ts'
import type { HttpExchange, ReplyHeaders } from '../../../http/exchange.ts'
import { JSON_HEADERS } from '../../../http/media-type.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { ErrorData, JSONRPCBatch, JSONRPCMessage, RequestId } from '../../../types/protocol/jsonrpc.ts'

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

/** Answers with an error under an HTTP status. `id` is `undefined` where the request's own could not be read; then none is sent. */
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

function withJson(headers: ReplyHeaders | undefined): ReplyHeaders {
  return headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }
}

/** The `WWW-Authenticate` value that belongs to an error; `undefined` for other errors, and where nobody checks tokens. */
export function challengeOf({ challengeScopes }: HttpExchange, { data }: ErrorData): string | undefined {
  if (challengeScopes === undefined || !isPlainObject(data) || data['reason'] !== 'insufficient_scope') return undefined
  const scopes = data['requiredScopes']
  return Array.isArray(scopes) ? challengeScopes(scopes.map(String)) : undefined
}
