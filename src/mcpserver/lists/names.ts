// What things may be called.
import { CONTROL_CHARACTER } from '../../primitives/characters.ts'
import { quote } from '../../schema/json-schema.ts'

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/
const MAX_NAME_LENGTH = 256

/** Spec, Tools: 1 to 128 letters, digits, `_`, `-` and `.`. Anything else is a `RangeError`. */
export function checkToolName(name: string): void {
  if (typeof name === 'string' && TOOL_NAME.test(name)) return
  throw new RangeError(`A tool cannot be named ${show(name)}: use 1 to 128 of A-Z, a-z, 0-9, "_", "-" and "."`)
}

/** The specification leaves the names of prompts free; they must still be names that can be shown. */
export function checkPromptName(name: string): void {
  const isUsable = typeof name === 'string' && name !== '' && name.length <= MAX_NAME_LENGTH
  if (isUsable && !CONTROL_CHARACTER.test(name)) return
  throw new RangeError(`A prompt cannot be named ${show(name)}: use 1 to ${MAX_NAME_LENGTH} printable characters`)
}

/** Spec, Resources: a uri is an absolute one, as RFC 3986 has it. */
export function checkResourceUri(uri: string): void {
  if (typeof uri === 'string' && ABSOLUTE_URI.test(uri) && !CONTROL_CHARACTER.test(uri)) return
  throw new RangeError(`A resource cannot have the uri ${show(uri)}: it must be absolute, as in "notes://today"`)
}

const SCHEME_PART = /^[A-Za-z0-9+.-]*$/
const PART_OF_TEMPLATE = /\{([+#./;?&]?)[^}]*\}|[^{}]+/g

/**
 * Spec, Resources: what a template expands to is a uri as well. One that can never be absolute is a `RangeError`; a value may
 * bring the scheme along, as in `{+uri}` or `{scheme}://{id}`. The template must have been parsed before.
 */
export function checkUriTemplate(text: string): void {
  const mayBeAbsolute = canStartWithScheme(text) && !/\s/.test(text) && !CONTROL_CHARACTER.test(text)
  if (mayBeAbsolute) return
  throw new RangeError(
    `A resource cannot have the uri template ${show(text)}: it must make absolute uris, as in "notes://{id}"`,
  )
}

/** Goes through the parts as long as all of them can belong to a scheme, up to the `:` behind it. */
function canStartWithScheme(text: string): boolean {
  let isEmpty = true
  for (const [part, operator] of text.matchAll(PART_OF_TEMPLATE)) {
    // The values of all other expressions have their `:` encoded.
    if (operator === '+') return true
    const isLiteral = operator === undefined
    const colon = isLiteral ? part.indexOf(':') : -1
    const head = isLiteral ? part.slice(0, colon === -1 ? undefined : colon) : operator
    if (!SCHEME_PART.test(head) || (isEmpty && head !== '' && !/^[A-Za-z]/.test(head))) return false
    isEmpty &&= isLiteral && head === ''
    if (colon !== -1) return !isEmpty
  }
  return false
}

function show(name: unknown): string {
  return typeof name === 'string' ? quote(name) : typeof name
}
