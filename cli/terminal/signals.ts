// Signals to this process. Everything in the command line that listens for one does it here.

/** Until the returned function is called. */
export function listenForSignals(
  names: readonly NodeJS.Signals[],
  listener: (signal: NodeJS.Signals) => void,
): () => void {
  for (const name of names) process.on(name, listener)
  return () => {
    for (const name of names) process.off(name, listener)
  }
}
