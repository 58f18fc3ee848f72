// What expanding and matching a URI template both do to text.

/** The first characters of a text, counted as Unicode does: a surrogate pair is one and is never cut. */
export function takeCharacters(text: string, count: number): string {
  if (text.length <= count) return text
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

/** The text with upper-case digits in its percent-encoded bytes, the form in which two of them compare. */
export function upperCasePercents(text: string): string {
  return text.includes('%') ? text.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => triplet.toUpperCase()) : text
}

/** The text with its percent-encoded bytes decoded, once; `undefined` where they are not valid UTF-8. */
export function decodePercents(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
