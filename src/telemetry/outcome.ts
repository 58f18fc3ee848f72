// How an operation ended, in the terms of the semantic conventions.
import { ErrorCode } from '../types/errors/error-codes.ts'
import { isForCaller, MCPError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { Attribute, type Attributes, ErrorType, OTHER } from './api.ts'

export interface Outcome {
  /** `undefined` for a success. */
  readonly errorType?: string
  /** The code that the client reads. */
  readonly code?: number
  /** The message that the client reads. */
  readonly message?: string
  /** An unexpected exception, which the client does not see. */
  readonly exception?: Error
}

const SUCCESS: Outcome = Object.freeze({})
const TOOL_ERROR: Outcome = Object.freeze({ errorType: ErrorType.ToolError })
const CANCELLED: Outcome = Object.freeze({ errorType: ErrorType.Cancelled })

const LOCAL_TYPES = new Map<number, string>([
  [ErrorCode.RequestTimeout, ErrorType.Timeout],
  [ErrorCode.ConnectionClosed, ErrorType.ConnectionClosed],
])

export function outcomeOfResult(result: JSONObject | undefined): Outcome {
  return result?.['isError'] === true ? TOOL_ERROR : SUCCESS
}

/** A handler threw. The client sees an error that is not meant for it as an internal error. */
export function outcomeOnServer(error: unknown, isCancelled: boolean): Outcome {
  if (isCancelled) return CANCELLED
  if (isForCaller(error)) return receivedError(error)
  return { ...unexpectedError(error), code: ErrorCode.InternalError }
}

/** A call failed, by an error response or without a response. */
export function outcomeOnClient(error: unknown, isCancelled: boolean): Outcome {
  if (isCancelled) return CANCELLED
  if (!(error instanceof MCPError)) return unexpectedError(error)
  if (!error.local) return receivedError(error)
  return { errorType: LOCAL_TYPES.get(error.code) ?? String(error.code), message: error.message }
}

function receivedError({ code, message }: MCPError): Outcome {
  return { errorType: String(code), code, message }
}

function unexpectedError(error: unknown): Outcome {
  return error instanceof Error ? { errorType: error.name, exception: error } : { errorType: OTHER }
}

export function describeOutcome({ errorType, code }: Outcome): Attributes {
  const attributes: Attributes = {}
  if (errorType !== undefined) attributes[Attribute.ErrorType] = errorType
  if (code !== undefined) attributes[Attribute.ResponseStatusCode] = String(code)
  return attributes
}
