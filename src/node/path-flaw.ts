// What is wrong with a path that someone else chose, by one rule for all systems, so that no server changes its mind when it
// moves to one where a harmless name is a way out.

const MAX_LENGTH = 4096

/** A dot, slash, backslash, colon or NUL that is still encoded, any number of times: whoever decodes once more would be led on. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|3a|00)/i
const LONE_SURROGATE = /\p{Cs}/u

/** On Windows these are devices in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** The flaw, as the end of a sentence that does not repeat the path, or `undefined`. */
export function findPathFlaw(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`
  if (path.includes('\0')) return 'it holds a NUL'
  if (path.includes('\\')) return 'it holds a backslash'
  if (path.includes(':')) return 'it holds a colon, as drives and streams do'
  if (path.startsWith('/')) return 'it is absolute'
  if (path.startsWith('-')) return 'it begins like an option'
  if (LONE_SURROGATE.test(path)) return 'it is not well-formed Unicode'
  if (ENCODED.test(path)) return 'it holds a separator or a dot that is still encoded'
  for (const part of path.split('/')) {
    const flaw = findPartFlaw(part)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function findPartFlaw(part: string): string | undefined {
  if (part === '') return 'a part of it is empty'
  if (part === '.' || part === '..') return "it holds '.' or '..'"
  // Windows drops these, so that `..  ` or `secret.` would be another name than the one that was looked at.
  if (part.endsWith('.') || part.endsWith(' ')) return 'a part of it ends with a dot or a space'
  if (DEVICE.test(part)) return 'a part of it is the name of a device'
  return undefined
}
