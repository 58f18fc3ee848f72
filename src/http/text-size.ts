// Bytes of a text in UTF-8, counted only where its length leaves a doubt.

/** Whether the text takes more than `max` bytes. */
export function exceedsBytes(text: string, max: number): boolean {
  // A UTF-16 unit takes one to three bytes.
  if (text.length > max) return true
  return text.length * 3 > max && new TextEncoder().encode(text).length > max
}
