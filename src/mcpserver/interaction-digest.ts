// Tells whether two questions are the same one, without keeping either of them.
import { encodeBase64Url } from '../primitives/base64.ts'
import { canonicalText } from '../schema/equality.ts'
import { UNMETERED } from '../schema/steps.ts'
import type { InputRequest } from '../types/input-required.ts'
import { sha256 } from './interaction-sha256.ts'

/** The request as the wire will carry it, whatever becomes of the objects that it was made of. `TypeError` where JSON cannot. */
export function snapshot(request: InputRequest): InputRequest {
  return JSON.parse(JSON.stringify(request))
}

/**
 * The same text for the same method and params, whatever the order of members. Expects a snapshot, which is a tree. Nobody
 * can find another question with the same digest, so an answer never meets a question that it was not given to.
 */
export function digestOf(request: InputRequest): string {
  return encodeBase64Url(sha256(new TextEncoder().encode(canonicalText(request, UNMETERED))))
}
