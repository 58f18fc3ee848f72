// The JSON-RPC 2.0 envelope: the four kinds of message, and what an error carries.
import type { JSONObject } from './json.ts'

/** The version of JSON-RPC that every message names. */
export const JSONRPC_VERSION = '2.0'

/** A string or an integer. Never `null`, never a fraction, never a boolean. */
export type RequestId = string | number

/** Names the request that progress belongs to. */
export type ProgressToken = string | number

/** The `error` member of a JSON-RPC error response. */
export interface ErrorData {
  /** The kind of error, one of `ErrorCode` or a code of the peer's own. */
  code: number
  /** One sentence on what went wrong. */
  message: string
  /** Details, in a shape that the code defines. */
  data?: unknown
}

/** A message that gets an answer with the same id. */
export interface JSONRPCRequest {
  /** Always `2.0`. */
  jsonrpc: typeof JSONRPC_VERSION
  /** Chosen by the sender. No two open requests of one sender have the same id. */
  id: RequestId
  /** What is requested, such as `tools/call`. */
  method: string
  /** The input of the method. Left out if it needs none. */
  params?: JSONObject
}

/** A message that gets no answer. */
export interface JSONRPCNotification {
  /** Always `2.0`. */
  jsonrpc: typeof JSONRPC_VERSION
  /** What is announced, such as `notifications/progress`. */
  method: string
  /** The details. Left out if there are none. */
  params?: JSONObject
}

/** The answer to a request that succeeded. */
export interface JSONRPCResultResponse {
  /** Always `2.0`. */
  jsonrpc: typeof JSONRPC_VERSION
  /** The id of the request that this answers. */
  id: RequestId
  /** The result, in the shape that the method defines. */
  result: JSONObject
}

/** The answer to a request that failed. */
export interface JSONRPCErrorResponse {
  /** Always `2.0`. */
  jsonrpc: typeof JSONRPC_VERSION
  /** Absent or `null` when the id of the failed request could not be read. */
  id?: RequestId | null
  /** What went wrong. */
  error: ErrorData
}

/** The name that JSON-RPC errors had up to 2025-06-18. */
export type JSONRPCError = JSONRPCErrorResponse

/** The answer to a request: a result or an error. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse

/** Everything that a connection carries, except batches of revision 2025-03-26. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse

/** Several messages at once. Exists at revision 2025-03-26 only. */
export type JSONRPCBatch = JSONRPCMessage[]

/** Several requests and notifications at once. Exists at revision 2025-03-26 only. */
export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[]

/** The answers to a batch of requests. Exists at revision 2025-03-26 only. */
export type JSONRPCBatchResponse = JSONRPCResponse[]
