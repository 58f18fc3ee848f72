// Escapes server output before it is printed, so that it cannot control the terminal: no cursor, title, clipboard or direction.

/**
 * Everything that a terminal may act on or that is not seen: control characters but for tab and line feed, marks of direction
 * and width, separators of lines, halves of surrogate pairs, and what Unicode says is not to be shown, but for the two marks
 * that choose between a sign as text and as a picture.
 */
const UNSEEN = /(?![\t\n]|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Between two of these a joiner makes one picture out of several. */
const JOINER = '\u200d'
const PICTURE = /\p{Extended_Pictographic}(?:\u{FE0F}|\p{Emoji_Modifier})*$/u

/** Text of several lines, with what is not seen written as an escape, like `\x1b`. */
export function showText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, (character, offset: number, whole: string) =>
      character === JOINER && PICTURE.test(whole.slice(Math.max(0, offset - 6), offset))
        ? character
        : escapeCharacter(character),
    )
}

/** The same on one line. */
export function showLine(text: string): string {
  return showText(text).replace(/\s+/g, ' ')
}

/** Text of several lines, each marked as a quotation. */
export function quote(text: string): string {
  return showText(text).replace(/^/gm, '> ')
}

/** JSON that means the same, and of which a terminal sees only letters. */
export function showJSON(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? 'null').replace(UNSEEN, escapeForJSON)
}

/** The same on one line. */
export function showJSONLine(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(UNSEEN, escapeForJSON)
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

function escapeForJSON(character: string): string {
  let escaped = ''
  for (let i = 0; i < character.length; i += 1) {
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
  }
  return escaped
}
