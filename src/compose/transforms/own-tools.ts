// What the tools of a transform read of their arguments, and how they fail.
import type { JSONObject } from '../../types/protocol/json.ts'

/** A tool failed, and the model reads why. */
export function toolFailure(text: string): JSONObject {
  return { content: [{ type: 'text', text }], isError: true }
}

/** An argument that must be text; `undefined` where it is not. */
export function textArgument(args: JSONObject, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}
