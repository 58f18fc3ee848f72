// Many listeners on one signal cost it one: runtimes warn of a leak at the eleventh.

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `listener` once when the signal aborts. The signal must not be aborted yet. */
export function listenForAbort(signal: AbortSignal, listener: () => void): void {
  const listeners = listenersOf.get(signal)
  if (listeners !== undefined) {
    listeners.add(listener)
    return
  }
  listenersOf.set(signal, new Set([listener]))
  signal.addEventListener('abort', tellListeners)
}

/** Takes a listener away; with the last one nothing is left on the signal. */
export function forgetAbort(signal: AbortSignal, listener: () => void): void {
  const listeners = listenersOf.get(signal)
  if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return
  listenersOf.delete(signal)
  signal.removeEventListener('abort', tellListeners)
}

function tellListeners(event: Event): void {
  const signal = event.target as AbortSignal
  const listeners = listenersOf.get(signal) ?? []
  listenersOf.delete(signal)
  signal.removeEventListener('abort', tellListeners)
  for (const listener of listeners) listener()
}
