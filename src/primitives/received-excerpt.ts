// The beginning of what came in place of an answer. It is kept beside the error and not in it: whoever catches the error may show it
// to others, and what came is for the log of the author alone.

const LENGTH = 200

const EXCERPTS = new WeakMap<Error, string>()

/** Returns the error. `received` is the text, or the message that was read from it. */
export function withExcerpt<Failure extends Error>(error: Failure, received: unknown): Failure {
  if (received !== undefined) EXCERPTS.set(error, beginningOf(received))
  return error
}

/** At most 200 bytes, in quotes and on one line; `undefined` for an error that is about no text. */
export function excerptOf(error: unknown): string | undefined {
  return error instanceof Error ? EXCERPTS.get(error) : undefined
}

function beginningOf(received: unknown): string {
  if (received instanceof Uint8Array) return JSON.stringify(new TextDecoder().decode(received.subarray(0, LENGTH)))
  const text = typeof received === 'string' ? received : (JSON.stringify(received) ?? '')
  return JSON.stringify(text.slice(0, LENGTH))
}
