// What a client of the legacy era reads when its request is refused before any handler sees it.
import type { HttpExchange } from '../../../http/exchange.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import type { ErrorData, RequestId } from '../../../types/protocol/jsonrpc.ts'
import { replyError } from './reply.ts'

/** The same for sessions that never were, that are over, and that are somebody else's. */
export const SESSION_NOT_FOUND: ErrorData = Object.freeze({
  code: ErrorCode.InvalidRequest,
  message: 'Session not found',
})

/** In seconds. */
const RETRY_AFTER = '10'

/** Refuses a request that is wrong. */
export function refuse(exchange: HttpExchange, status: 400 | 406 | 409, message: string, id?: RequestId): void {
  replyError(exchange, status, id, { code: ErrorCode.InvalidRequest, message })
}

/** Refuses a request that may well be right, some time later. */
export function refuseForNow(exchange: HttpExchange, message: string, id?: RequestId): void {
  replyError(exchange, 503, id, { code: ErrorCode.InternalError, message }, { 'retry-after': RETRY_AFTER })
}

export function refuseMethod(exchange: HttpExchange, allowed: string): void {
  const error = { code: ErrorCode.InvalidRequest, message: `Method not allowed; use ${allowed}` }
  replyError(exchange, 405, undefined, error, { allow: allowed })
}

export function refuseSession(exchange: HttpExchange): void {
  replyError(exchange, 404, undefined, SESSION_NOT_FOUND)
}
