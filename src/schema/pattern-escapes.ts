// Rewrites what Unicode mode refuses although it can only mean one thing, as in `\d{3}\-\d{4}` and `[\w-.]`.

const NEEDLESS_ESCAPE = /[-_!"#%&',:;<=>@`~ ]/
const CLASS_ESCAPE = /[dDwWsS]/

/** The same pattern without needless backslashes, and with one before a hyphen that makes no range. */
export function tidyEscapes(source: string): string {
  let tidied = ''
  let isInClass = false
  let isAfterClassEscape = false
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string
    if (character === '\\') {
      const next = source[at + 1] ?? ''
      at += 1
      tidied += NEEDLESS_ESCAPE.test(next) && !(isInClass && next === '-') ? next : `\\${next}`
      isAfterClassEscape = CLASS_ESCAPE.test(next)
      continue
    }
    const isHyphenBesideClass =
      isInClass && character === '-' && (isAfterClassEscape || isClassEscapeAt(source, at + 1))
    tidied += isHyphenBesideClass ? '\\-' : character
    if (character === '[') isInClass = true
    if (character === ']') isInClass = false
    isAfterClassEscape = false
  }
  return tidied
}

function isClassEscapeAt(source: string, at: number): boolean {
  return source[at] === '\\' && CLASS_ESCAPE.test(source[at + 1] ?? '')
}
