// Errors of names that do not exist for a caller: the same ones, whether a source lacks the name or hides it.
import { quote } from '../../schema/json-schema.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { missingResourceCode } from '../../wire/revision-facts.ts'

export function unknownName(kind: string, name: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `Unknown ${kind} ${quote(name)}`)
}

export function unknownResource(uri: string, version: ProtocolVersion): MCPError {
  return new MCPError(missingResourceCode(version), 'Resource not found', { uri })
}

/**
 * The error with the name that the caller used, where it says that there is no such name. With that of the source, the caller
 * would learn that somebody else has it.
 */
export function renameUnknown(error: unknown, kind: string, own: string, front: string): unknown {
  if (own === front || !(error instanceof MCPError) || error.code !== ErrorCode.InvalidParams) return error
  return error.message === unknownName(kind, own).message ? unknownName(kind, front) : error
}

/** Whether an error says that a source does not have the resource. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof MCPError)) return false
  return error.code === ErrorCode.InvalidParams || error.code === missingResourceCode('2025-11-25')
}

/** Whether an error says that a source does not have the method at all. */
export function isMethodMissing(error: unknown): boolean {
  return error instanceof MCPError && error.code === ErrorCode.MethodNotFound
}
