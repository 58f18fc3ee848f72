// Text in columns, measured as a terminal shows it: wide characters take two columns, marks none.
import { stripVTControlCharacters } from 'node:util'

/** Tables of Unicode take longer to load than all else that a command does before it connects. */
let exactWidth: ((text: string) => number) | undefined

const PLAIN = /^[ -\u02ff\u2010-\u2027\u2500-\u257f\u2800-\u28ff]*$/

/** To await before text of a server is measured: loads the tables of Unicode where the text needs them. */
export async function prepareWidths(...texts: readonly string[]): Promise<void> {
  if (exactWidth !== undefined || texts.every((text) => PLAIN.test(text))) return
  exactWidth = (await import('string-width')).default
}

/** Columns of a text. Without `prepareWidths` every character counts for one. */
export function stringWidth(text: string): number {
  const shown = stripVTControlCharacters(text)
  if (PLAIN.test(shown)) return shown.length
  return exactWidth?.(shown) ?? [...shown].length
}

/** At most that many columns; what is cut off shows as `…`. The text holds no control characters but those of colors. */
export function fitLine(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = stringWidth(segment)
    if (used + wide > width - 1) break
    kept += segment
    used += wide
  }
  return `${kept}…`
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** Words in lines of at most that many columns. A word that is longer stands alone. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

export interface TableOptions {
  /** Columns of the terminal; `undefined` where nothing is to be cut or wrapped. */
  width?: number | undefined
  indent?: number
}

/** Narrower than this, the right column goes below the left one. */
const MIN_RIGHT = 24
const GAP = 3

/** Two columns: the left one as it is, the right one wrapped beside it, or below it where there is little room. */
export function twoColumns(
  rows: readonly (readonly [left: string, right: string])[],
  { width, indent = 2 }: TableOptions = {},
): string[] {
  const start = ' '.repeat(indent)
  const limit = width === undefined ? Number.POSITIVE_INFINITY : width
  const widths = rows.filter(([, right]) => right !== '').map(([left]) => stringWidth(left))
  const left = longestThatFits(widths, Number.isFinite(limit) ? Math.floor(limit * 0.6) : Number.POSITIVE_INFINITY)
  const right = limit - indent - left - GAP
  return rows.flatMap(([name, text]) => {
    if (text === '') return hang(name, limit, start)
    if (right < MIN_RIGHT || stringWidth(name) > left) {
      return [
        ...hang(name, limit, start),
        ...wrap(text, Math.max(limit - indent - 2, MIN_RIGHT)).map((line) => `${start}  ${line}`),
      ]
    }
    const [first = '', ...more] = wrap(text, right)
    const margin = ' '.repeat(indent + left + GAP)
    return [`${start}${padEnd(name, left + GAP)}${first}`, ...more.map((line) => `${margin}${line}`)]
  })
}

const HANG = '    '

/** A line that is too long goes on below, further in. */
function hang(text: string, limit: number, start: string): string[] {
  if (stringWidth(text) + start.length <= limit) return [`${start}${text}`]
  const [first = '', ...more] = wrap(text, Math.max(limit - start.length - HANG.length, MIN_RIGHT))
  return [`${start}${first}`, ...more.map((line) => `${start}${HANG}${line}`)]
}

/** A few long names do not push the right column away from all others. */
function longestThatFits(widths: readonly number[], limit: number): number {
  const fitting = widths.filter((width) => width <= limit)
  return Math.max(0, ...fitting)
}
