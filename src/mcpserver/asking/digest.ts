// The digest by which a call finds a question again in the next round: two questions are the same if method and params are.
import { encodeBase64Url } from '../../primitives/base64.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { canonicalText, UNMETERED } from '../../schema/json-schema.ts'
import type { InputRequest } from '../../types/features/input-required.ts'

/** As JSON. `TypeError` if it is not. */
export function textOf(request: InputRequest): string {
  return JSON.stringify(request)
}

/** A handler that runs again asks the same questions again, so their digests are known for a while. */
const MAX_KNOWN = 512
const MAX_KNOWN_LENGTH = 2_048
const known = new Map<string, string>()

/** The digest of a request that is JSON text. */
export function digestOfText(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const digest = digestOf(JSON.parse(text))
  if (text.length > MAX_KNOWN_LENGTH) return digest
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, digest)
  return digest
}

/**
 * Equal for the same method and params, whatever the order of members. Expects plain JSON. Nobody can make
 * another question with the same digest, so an answer never reaches a question that it was not given to.
 */
export function digestOf(request: InputRequest): string {
  return encodeBase64Url(sha256(new TextEncoder().encode(canonicalText(request, UNMETERED))))
}
