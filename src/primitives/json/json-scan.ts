// Bounds the structure of a JSON text before it is parsed, because a legal text of 4 MiB can hold the event loop for seconds.
// The limits, and that on bytes, are in dispatcher/decode.ts.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** `[` and `{`, `]` and `}` differ in this one bit. */
const BRACKET_BIT = 0x20
/** Short strings are walked, long ones searched for their end. */
const WALKED_BYTES = 32
/** Most messages are shorter. */
export const SHORT_LENGTH = 4_096

export interface StructureLimits {
  /** How deep arrays and objects may nest. */
  maxDepth: number
  /** How many `{`, `[` and `,` there may be in all, which is what parsing costs. */
  maxElements: number
}

/**
 * Whether a short text is within the limits for sure, if it is JSON at all. Takes brackets in strings for structure too: then
 * there is less of it in truth, and the engine's own search finds them in less time than a walk takes.
 */
export function isPlainlyHarmless(text: string, limits: StructureLimits): boolean {
  if (text.length > SHORT_LENGTH || text.length > limits.maxElements) return false
  // Each level takes an opening and a closing character; where one is missing, it is no JSON and will not be parsed.
  if (text.length <= limits.maxDepth * 2) return true
  // That of an object takes a name as well, at least: {"":}
  if (text.length <= limits.maxDepth * 5 && !text.includes('[')) return true
  return count(text, '{', limits.maxDepth) + count(text, '[', limits.maxDepth) <= limits.maxDepth
}

/** How often the character occurs; no longer counted past `max`. */
function count(text: string, character: string, max: number): number {
  let found = 0
  for (let at = text.indexOf(character); at !== -1 && found <= max; at = text.indexOf(character, at + 1)) found += 1
  return found
}

/**
 * The limit that the text from `start` to `end` would break, or `undefined`. Looks at structure only: whether the text is JSON
 * at all is for `JSON.parse` to say.
 */
export function findBreach(
  text: Uint8Array,
  limits: StructureLimits,
  start = 0,
  end = text.length,
): keyof StructureLimits | undefined {
  const { maxDepth, maxElements } = limits
  let depth = 0
  let elements = 0
  for (let at = start; at < end; at++) {
    const byte = text[at] as number
    if (byte === QUOTE) {
      at = endOfString(text, at, end)
    } else if (byte === COMMA) {
      elements += 1
      if (elements > maxElements) return 'maxElements'
    } else if ((byte | BRACKET_BIT) === OPEN_BRACE) {
      depth += 1
      elements += 1
      if (depth > maxDepth) return 'maxDepth'
      if (elements > maxElements) return 'maxElements'
    } else if ((byte | BRACKET_BIT) === CLOSE_BRACE) {
      depth -= 1
    }
  }
  return undefined
}

/** The index of the closing quote of the string that opens at `at`, or `end`. */
function endOfString(text: Uint8Array, at: number, end: number): number {
  const walked = Math.min(end, at + WALKED_BYTES)
  for (let next = at + 1; next < walked; next++) {
    const byte = text[next]
    if (byte === QUOTE) return next
    if (byte === BACKSLASH) next += 1
  }
  return walked === end ? end : searchEnd(text, at, end)
}

/** What follows in the same piece of memory are other messages: to search them as well would cost more with each of them. */
function searchEnd(text: Uint8Array, start: number, end: number): number {
  const rest = text.subarray(start + 1, end)
  for (let quote = rest.indexOf(QUOTE); quote !== -1; quote = rest.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0
    while (rest[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return start + 1 + quote
  }
  return end
}
