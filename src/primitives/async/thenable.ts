// Promises of any make: those of another realm or library are no instances of ours.

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return value instanceof Promise || (typeof value === 'object' && value !== null && hasThen(value))
}

function hasThen(value: object): boolean {
  try {
    return typeof (value as { then?: unknown }).then === 'function'
  } catch {
    // A getter that throws, or a revoked proxy: whatever it is, nobody can wait for it.
    return false
  }
}
