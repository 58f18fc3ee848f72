// The error for params that a method can't take.
import { ErrorCode } from './error-codes.ts'
import { MCPError, type MCPErrorOptions } from './errors.ts'

/** `MCPError` -32602. `problem` says what is wrong, without a full stop. */
export function invalidParams(method: string, problem: string, data?: unknown, options?: MCPErrorOptions): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `Invalid params for ${method}: ${problem}`, data, options)
}
