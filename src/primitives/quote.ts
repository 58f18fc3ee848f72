// A value in a message: in quotes, with control characters escaped, and not longer than a reader needs to know it again.

const MAX_LENGTH = 60

/** Cut off with `…` where it is longer than `maxLength` characters. */
export function quoteShort(value: unknown, maxLength = MAX_LENGTH): string {
  const text = String(value)
  return JSON.stringify(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)
}
