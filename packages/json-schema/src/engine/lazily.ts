// Tables that are created on first use: a program starts faster without those it never uses.

/** Creates the value at the first call and returns the same one at every call. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
