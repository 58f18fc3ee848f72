// How an operation ended, in the words of the conventions.
import { ErrorCode } from '../types/errors/error-codes.ts'
import { isForCaller, MCPError } from '../types/errors/errors.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { Attribute, type Attributes, ErrorType, OTHER } from './api.ts'

export interface Ending {
  /** `undefined` for a good one. */
  readonly errorType?: string
  /** The code that the client reads. */
  readonly code?: number
  /** What the client reads beside it. */
  readonly message?: string
  /** What nobody was meant to read, for whoever looks after the program. */
  readonly exception?: Error
}

const GOOD: Ending = Object.freeze({})
const TOOL_ERROR: Ending = Object.freeze({ errorType: ErrorType.ToolError })
const CANCELLED: Ending = Object.freeze({ errorType: ErrorType.Cancelled })

const LOCAL_TYPES = new Map<number, string>([
  [ErrorCode.RequestTimeout, ErrorType.Timeout],
  [ErrorCode.ConnectionClosed, ErrorType.ConnectionClosed],
])

export function endingOf(result: JSONObject | undefined): Ending {
  return result?.['isError'] === true ? TOOL_ERROR : GOOD
}

/** A handler threw. What is no error for the client reaches it as an internal one. */
export function endingOnServer(error: unknown, isCancelled: boolean): Ending {
  if (isCancelled) return CANCELLED
  if (isForCaller(error)) return answered(error)
  return { ...unexpected(error), code: ErrorCode.InternalError }
}

/** A call was answered with an error, or with nothing. */
export function endingOnClient(error: unknown, isCancelled: boolean): Ending {
  if (isCancelled) return CANCELLED
  if (!(error instanceof MCPError)) return unexpected(error)
  if (!error.local) return answered(error)
  return { errorType: LOCAL_TYPES.get(error.code) ?? String(error.code), message: error.message }
}

function answered({ code, message }: MCPError): Ending {
  return { errorType: String(code), code, message }
}

function unexpected(error: unknown): Ending {
  return error instanceof Error ? { errorType: error.name, exception: error } : { errorType: OTHER }
}

export function describeEnding({ errorType, code }: Ending): Attributes {
  const attributes: Attributes = {}
  if (errorType !== undefined) attributes[Attribute.ErrorType] = errorType
  if (code !== undefined) attributes[Attribute.ResponseStatusCode] = String(code)
  return attributes
}
