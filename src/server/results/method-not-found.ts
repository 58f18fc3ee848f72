// The error for a method that nobody answers.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'

const MAX_ECHO_LENGTH = 128

export function methodNotFound(method: string): MCPError {
  const echo = method.length > MAX_ECHO_LENGTH ? `${method.slice(0, MAX_ECHO_LENGTH)}…` : method
  return new MCPError(ErrorCode.MethodNotFound, `Method not found: ${echo}`)
}
