// The last lines of a program's standard error as the end of a message: what a person would look at first.

const MAX_LINES = 10
const MAX_LENGTH = 2_000

/** Empty where there are none. */
export function quoteStderr(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const text = lines.slice(-MAX_LINES).join('\n  ')
  return `. The last lines of its stderr:\n  ${text.length > MAX_LENGTH ? `…${text.slice(-MAX_LENGTH)}` : text}`
}
