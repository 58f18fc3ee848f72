// Questions as they were asked, and the digest by which a call finds a question again in the next round: two questions are the same
// if method and params are.
import { encodeBase64Url } from '../../primitives/base64.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { canonicalText, UNMETERED } from '../../schema/json-schema.ts'
import type { ElicitRequestedSchema } from '../../types/features/elicitation.ts'
import type { InputRequest } from '../../types/features/input-required.ts'

/** A question as it was when the handler asked it, whatever happens to the objects of the handler later. */
export interface KeptQuestion {
  readonly digest: string
  /** A copy, for the client. */
  request(): InputRequest
}

/** `TypeError` if the question is not JSON. */
export function keepQuestion(request: InputRequest): KeptQuestion {
  const text = JSON.stringify(request)
  return { digest: digestOfText(text), request: () => JSON.parse(text) }
}

/** Questions with one form, which does not change: only their messages differ. */
export class FormQuestions {
  readonly #schema: ElicitRequestedSchema
  readonly #digests: KnownDigests = new Map()
  #schemaText: string | undefined

  constructor(schema: ElicitRequestedSchema) {
    this.#schema = schema
  }

  /** The question as a member of an `InputRequiredResult`. */
  ask(message: string, requestedSchema = this.#schema): InputRequest {
    return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }
  }

  keep(message: string): KeptQuestion {
    this.#schemaText ??= JSON.stringify(this.#schema)
    const text = this.#schemaText
    return {
      digest: this.#digests.get(message) ?? this.#digestOf(message),
      request: () => this.ask(message, JSON.parse(text)),
    }
  }

  #digestOf(message: string): string {
    const digest = digestOfText(JSON.stringify(this.ask(message)))
    remember(this.#digests, message, digest)
    return digest
  }
}

/** A handler that runs again asks the same questions again, so their digests are known for a while. */
const MAX_KNOWN = 512
const MAX_KNOWN_LENGTH = 2_048
type KnownDigests = Map<string, string>
const known: KnownDigests = new Map()

/** The digest of a request that is JSON text. */
function digestOfText(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const digest = digestOf(JSON.parse(text))
  remember(known, text, digest)
  return digest
}

function remember(digests: KnownDigests, text: string, digest: string): void {
  if (text.length > MAX_KNOWN_LENGTH) return
  if (digests.size >= MAX_KNOWN) digests.clear()
  digests.set(text, digest)
}

/**
 * Equal for the same method and params, whatever the order of members. Expects plain JSON. Nobody can make
 * another question with the same digest, so an answer never reaches a question that it was not given to.
 */
export function digestOf(request: InputRequest): string {
  return encodeBase64Url(sha256(new TextEncoder().encode(canonicalText(request, UNMETERED))))
}
