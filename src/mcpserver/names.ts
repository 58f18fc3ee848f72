// What things may be called.
import { CONTROL_CHARACTER } from '../primitives/characters.ts'
import { quote } from '../schema/issue.ts'

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

function show(name: unknown): string {
  return typeof name === 'string' ? quote(name) : typeof name
}
