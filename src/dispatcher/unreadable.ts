// What whoever wrote it is answered to a message that could not be kept or read.
import { ErrorCode } from '../types/errors/error-codes.ts'
import { InvalidResultError, LimitError } from '../types/errors/failures.ts'
import { type ErrorData, JSONRPC_VERSION, type JSONRPCErrorResponse } from '../types/protocol/jsonrpc.ts'
import type { MessageEnds } from './message-ends.ts'

const PARSE_ERROR: ErrorData = Object.freeze({ code: ErrorCode.ParseError, message: 'Parse error' })

/** With the id where it is known. Nothing for what was no request: that waits for no answer. */
export function refusalOf(problem: Error, { kind, id }: MessageEnds): JSONRPCErrorResponse | undefined {
  if (kind === 'answer' || kind === 'notification') return undefined
  const error = problem instanceof LimitError ? limitData(problem) : PARSE_ERROR
  return id === undefined ? { jsonrpc: JSONRPC_VERSION, error } : { jsonrpc: JSONRPC_VERSION, id, error }
}

/** A broken limit as the peer reads it. */
export function limitData({ limit, max, message }: LimitError): ErrorData {
  return { code: ErrorCode.InvalidRequest, message: `Invalid request: ${message}`, data: { limit, max } }
}

/** What the caller reads whose answer could not be read. */
export function lossOf(problem: Error): Error {
  if (problem instanceof LimitError) return problem
  return new InvalidResultError('The answer is not JSON in UTF-8', '', { cause: problem })
}
