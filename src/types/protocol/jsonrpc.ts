// The JSON-RPC 2.0 envelope: the four kinds of message, and what an error carries.
import type { JSONObject } from './json.ts'

export const JSONRPC_VERSION = '2.0'

/** A string or an integer. Never `null`, never a fraction, never a boolean. */
export type RequestId = string | number

/** Names the request that progress belongs to. */
export type ProgressToken = string | number

/** The `error` member of a JSON-RPC error response. */
export interface ErrorData {
  code: number
  message: string
  data?: unknown
}

export interface JSONRPCRequest {
  jsonrpc: typeof JSONRPC_VERSION
  id: RequestId
  method: string
  params?: JSONObject
}

export interface JSONRPCNotification {
  jsonrpc: typeof JSONRPC_VERSION
  method: string
  params?: JSONObject
}

export interface JSONRPCResultResponse {
  jsonrpc: typeof JSONRPC_VERSION
  id: RequestId
  result: JSONObject
}

export interface JSONRPCErrorResponse {
  jsonrpc: typeof JSONRPC_VERSION
  /** Absent or `null` when the id of the failed request could not be read. */
  id?: RequestId | null
  error: ErrorData
}

/** The name that JSON-RPC errors had up to 2025-06-18. */
export type JSONRPCError = JSONRPCErrorResponse

export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse

export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse

/** Several messages at once. Exists at revision 2025-03-26 only. */
export type JSONRPCBatch = JSONRPCMessage[]
