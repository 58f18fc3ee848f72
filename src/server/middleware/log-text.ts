// Values in a line of a log: whatever a client sends, one event stays one line and looks like what it is.

const PLAIN = /^[\w./:@+-]+$/
// Line and paragraph separators, controls and everything that is not seen or changes how the rest is seen.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** The value as it is where it is plain, else in quotes and escaped; cut off past `maxLength` characters. */
export function quote(value: string, maxLength: number): string {
  if (value.length <= maxLength && PLAIN.test(value)) return value
  const shown = value.length > maxLength ? `${value.slice(0, maxLength)}…` : value
  return JSON.stringify(shown).replace(INVISIBLE, escapeCodePoint)
}

function escapeCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
