// Errors with the names that callers know: of what does not exist for them, whether a source lacks it or hides it, and of arguments
// that do not fit.
import { quote } from '../../schema/json-schema.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { missingResourceCode } from '../../wire/revision-facts.ts'

export function unknownName(kind: string, name: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, `Unknown ${kind} ${quote(name)}`)
}

export function unknownResource(uri: string, version: ProtocolVersion): MCPError {
  return new MCPError(missingResourceCode(version), 'Resource not found', { uri })
}

/**
 * The error with the name that the caller used, where it says that there is no such name, or what is wrong with the call. With the
 * name of the source, the caller would learn that somebody else has it, or look for a tool that its list does not have.
 */
export function renameError(error: unknown, kind: string, own: string, front: string): unknown {
  if (own === front || !(error instanceof MCPError)) return error
  const { code, message } = error
  if (code === ErrorCode.InvalidParams && message === unknownName(kind, own).message) return unknownName(kind, front)
  const renamed = renameText(message, kind, own, front)
  return renamed === undefined ? error : new MCPError(code, renamed, error.data)
}

/** The result of a tool, where it says with the name of the source why the call failed. */
export function renameResult(result: JSONObject, own: string, front: string): JSONObject {
  if (own === front || result['isError'] !== true || !Array.isArray(result['content'])) return result
  const [first, ...others] = result['content'] as JSONObject[]
  const text = first?.['text']
  const renamed = typeof text === 'string' ? renameText(text, 'tool', own, front) : undefined
  return renamed === undefined ? result : { ...result, content: [{ ...first, text: renamed }, ...others] }
}

/** `undefined` for texts that don't begin as those of a server about a call. */
function renameText(text: string, kind: string, own: string, front: string): string | undefined {
  const named = `${kind} ${quote(own)}`
  const start = [`Invalid arguments for ${named}:`, `The ${named} `].find((words) => text.startsWith(words))
  return start === undefined
    ? undefined
    : start.replace(named, () => `${kind} ${quote(front)}`) + text.slice(start.length)
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
