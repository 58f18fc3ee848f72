// The digest by which a call finds a question again in the next round: two questions are the same if method and params are.
import { encodeBase64Url } from '../../primitives/base64.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { canonicalText, UNMETERED } from '../../schema/json-schema.ts'
import type { InputRequest } from '../../types/features/input-required.ts'

/** A copy as JSON, which later changes of the handler's objects don't affect. `TypeError` if it is not JSON. */
export function copyRequest(request: InputRequest): InputRequest {
  return JSON.parse(JSON.stringify(request))
}

/**
 * Equal for the same method and params, whatever the order of members. Expects a request made by `copyRequest`. Nobody can make
 * another question with the same digest, so an answer never reaches a question that it was not given to.
 */
export function digestOf(request: InputRequest): string {
  return encodeBase64Url(sha256(new TextEncoder().encode(canonicalText(request, UNMETERED))))
}
