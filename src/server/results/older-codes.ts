// Error codes that a later revision gave up, said as that revision says them.
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { isForCaller } from '../../types/errors/received-error.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'

/** Spec, base protocol: since 2026-07-28 a missing resource is -32602, and -32002 must not be sent any more. */
export function adaptError(error: unknown, version: ProtocolVersion): unknown {
  if (!isForCaller(error) || error.code !== ErrorCode.ResourceNotFound) return error
  if (!grammarOf(version).has('ResultType')) return error
  return new MCPError(ErrorCode.InvalidParams, error.message, error.data, { cause: error })
}
