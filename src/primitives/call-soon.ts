// For listeners that come too late: they are called all the same, and never before their caller has them.

/** Calls the listener in a microtask. Returns how to prevent that. */
export function callSoon(listener: () => void): () => void {
  let isWanted = true
  queueMicrotask(() => {
    if (isWanted) listener()
  })
  return () => {
    isWanted = false
  }
}
