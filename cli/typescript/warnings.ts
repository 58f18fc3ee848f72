// Node warns of functions that are experimental in some versions, which is no news for those who run a server.

/** `work` is synchronous: what others warn of meanwhile does not exist. */
export function withoutWarnings<T>(work: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}
