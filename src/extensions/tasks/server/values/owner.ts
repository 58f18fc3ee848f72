// Who owns a task: a digest of the caller, so that a store holds no name of a person.

import { NOBODY } from '../../../../backend/task-store.ts'
import { encodeBase64Url } from '../../../../primitives/base64.ts'
import { typeError } from '../../../../primitives/help.ts'
import { sha256 } from '../../../../primitives/sha256.ts'
import type { ServerRequestContext } from '../../../../server/context.ts'
import type { AuthInfo } from '../../../../types/protocol/auth.ts'

/** A text that identifies the caller; `undefined` for nobody. */
export type OwnerOf = (ctx: ServerRequestContext) => string | undefined

/** Identifies the caller as `requestState` does: a new token of the same client and user is the same owner. */
export function principalOf({ auth }: { readonly auth?: AuthInfo | undefined }): string | undefined {
  if (auth === undefined) return undefined
  return JSON.stringify([auth.clientId, auth.issuer ?? null, auth.subject ?? null])
}

/** The owner as the store has it. Throws what `ownerOf` throws, and `TypeError` for anything but a text. */
export function digestOwner(ownerOf: OwnerOf, ctx: ServerRequestContext): string {
  const owner: unknown = ownerOf(ctx)
  if (owner === undefined) return NOBODY
  if (typeof owner === 'string' && owner !== '') return digestText(owner)
  throw typeError(
    'wrong-result',
    'The option owner of tasks() must return a text that is not empty, or undefined for nobody.',
  )
}

/** The digests of the latest callers. Every poll needs one. */
const digests = new Map<string, string>()
const MAX_DIGESTS = 256
const MAX_TEXT_LENGTH = 1_024

function digestText(text: string): string {
  const known = digests.get(text)
  if (known !== undefined) return known
  const digest = encodeBase64Url(sha256(new TextEncoder().encode(text)))
  if (digests.size >= MAX_DIGESTS) digests.clear()
  if (text.length <= MAX_TEXT_LENGTH) digests.set(text, digest)
  return digest
}

export function isNobody(owner: string): boolean {
  return owner === NOBODY
}
