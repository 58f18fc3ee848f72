// The text of `result` in a short message that is known to be JSON: nothing is checked again.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** `[` and `{`, `]` and `}` differ in this one bit. */
const BRACKET_BIT = 0x20
const COMMA = 0x2c
const SPACE = 0x20

/** Of several members of the name the last one counts. `undefined` where a name is written with escapes. */
export function resultTextOf(json: string): string | undefined {
  let found: string | undefined
  let at = json.indexOf('{') + 1
  for (;;) {
    const nameStart = json.indexOf('"', at)
    if (nameStart === -1) return found
    const nameEnd = endOfString(json, nameStart)
    const name = json.slice(nameStart + 1, nameEnd)
    if (name.includes('\\')) return undefined
    const start = skipSpace(json, json.indexOf(':', nameEnd) + 1)
    const end = endOfValue(json, start)
    if (name === 'result') found = json.slice(start, end)
    at = skipSpace(json, end)
    if (json.charCodeAt(at) !== COMMA) return found
  }
}

function skipSpace(json: string, from: number): number {
  let at = from
  while (json.charCodeAt(at) <= SPACE) at += 1
  return at
}

/** The index of the closing quote. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0 || end === -1) return end
  }
}

/** The index after the value. */
function endOfValue(json: string, start: number): number {
  const { length } = json
  let depth = 0
  for (let at = start; at < length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(json, at)
      if (depth === 0) return at + 1
    } else if ((code | BRACKET_BIT) === OPEN_BRACE) {
      depth += 1
    } else if ((code | BRACKET_BIT) === CLOSE_BRACE) {
      // The end of the message stands after a number or a word.
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) {
      return at
    }
  }
  return length
}
