// Texts for engines that keep no NUL character: the libraries of SQLite cut what they read there, and Postgres refuses it.

const NUL = '\0'
/** Begins an escape. No JSON text has it, and hardly any other. */
const MARK = '\u0001'

export function toColumn(text: string): string {
  if (!text.includes(NUL) && !text.includes(MARK)) return text
  return text.replaceAll(MARK, `${MARK}1`).replaceAll(NUL, `${MARK}0`)
}

export function fromColumn(column: string): string {
  if (!column.includes(MARK)) return column
  const [start, ...pieces] = column.split(MARK)
  return `${start}${pieces.map((piece) => (piece.startsWith('0') ? NUL : MARK) + piece.slice(1)).join('')}`
}

/** Half a surrogate pair is no text in UTF-8, and no JSON for some engines. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
