// Tables that are made when someone first asks for them: a program starts sooner without those it never uses.

/** Makes the value at the first call, and gives the same one at every call. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
