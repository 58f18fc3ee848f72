// Percent-encoding, and single values as text.
import { ArgumentRefusal } from './refusal.ts'

/** RFC 3986: everything but letters, digits, `-`, `.`, `_` and `~`. */
export function encodeStrict(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Reserved characters and percent-encoded triples stay, as `allowReserved` says, but for those that would end the value: `#`
 * begins a fragment, `&` another parameter, `+` is a space to many servers, and brackets are not allowed in a query.
 */
export function encodeReserved(text: string): string {
  return wellFormed(text).replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?@!$'()*,;=]/gu, (part) =>
    part.length === 3 && part.startsWith('%') ? part : encodeStrict(part),
  )
}

/** Half of a pair of surrogates has no encoding, and would make `encodeURIComponent` throw. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

/** As `encodeReserved`, for a path: `?` begins the query there. */
export function encodeReservedPath(text: string): string {
  return encodeReserved(text).replaceAll('?', '%3F')
}

/** Booleans and numbers as JSON writes them. Throws for what has parts of its own, which a style cannot say. */
export function scalarText(value: unknown, argument: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value === null || value === undefined) return ''
  throw new ArgumentRefusal(argument, 'has lists or objects inside of it, which this parameter cannot carry.')
}

const CONTROLS = /\p{Cc}/u

/** The value of a header. Throws for control characters, which could end it, and for what HTTP cannot carry. */
export function headerText(text: string, argument: string): string {
  if (CONTROLS.test(text)) throw new ArgumentRefusal(argument, 'has a control character, which a header must not hold.')
  if (/[^\u0020-\u00ff]/.test(text)) {
    throw new ArgumentRefusal(argument, 'has a character that a header cannot hold. Use Latin letters.')
  }
  return text
}
