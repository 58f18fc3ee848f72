import { typeError } from '../primitives/help.ts'
/** A part of a URL as it was meant. `owner` names the URL in the error, which never shows the part: it may be a password. */
export function decodeUrlText(text: string, owner: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw typeError('bad-backend', `${owner} has a % that begins no escape. Write %25 for a % in a password.`)
  }
}
