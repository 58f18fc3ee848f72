// Results of a type that only extensions have.
import type { ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

const KNOWN_TYPES: ReadonlySet<unknown> = new Set([undefined, 'complete', 'input_required'])

/** Whether a result is of a type that only an extension has, for a caller that declared none. */
export function isUnasked({ clientCapabilities }: ServerRequestContext, { resultType }: JSONObject): boolean {
  return !KNOWN_TYPES.has(resultType) && Object.keys(clientCapabilities.extensions ?? {}).length === 0
}
