// What code of others throws. Any value can be thrown, also one that throws itself when somebody looks at it.

/**
 * The value, or an error in its place where looking at it throws: a revoked proxy, an object without `toString`, an error whose
 * `name`, `message` or `cause` is a getter that throws.
 */
export function readableThrown(thrown: unknown): unknown {
  try {
    if (thrown instanceof Error) String([thrown.name, thrown.message, typeof thrown.cause])
    else String(thrown)
    return thrown
  } catch {
    return new Error('What was thrown is a value that cannot be shown')
  }
}

/** The message of an error, or the value as text. Takes what `readableThrown` returns. */
export function messageOfThrown(thrown: unknown): string {
  return thrown instanceof Error ? String(thrown.message) : String(thrown)
}
