// The names that tools and prompts can have.
import { CONTROL_CHARACTER } from '../primitives/characters.ts'

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/
export const MAX_PROMPT_NAME = 256

/** Spec, Tools: 1 to 128 letters, digits, `_`, `-` and `.`. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && TOOL_NAME.test(name)
}

/** The specification has no rule for names of prompts. They must be printable. */
export function isPromptName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= MAX_PROMPT_NAME && !CONTROL_CHARACTER.test(name)
}

export const TOOL_NAME_RULE = 'Use 1 to 128 of A-Z, a-z, 0-9, "_", "-" and ".".'
