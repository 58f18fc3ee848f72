// Bounds a wait in time and by a signal, whether or not what is waited for heeds either.
import { followAny } from '../../../primitives/async/abort.ts'
import { MAX_TIMER_MS } from '../../../primitives/async/timer.ts'

/** Runs `work`, but no longer than `ms` and not past the signal: rejects with the signal's reason or with `late()`. */
export async function withinDeadline<T>(
  signal: AbortSignal,
  ms: number,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(late()), Math.min(ms, MAX_TIMER_MS))
  const both = followAny([signal, limit.signal])
  try {
    return await Promise.race([work(both.signal), rejectOnAbort(both.signal)])
  } catch (error) {
    throw both.signal.aborted ? both.signal.reason : error
  } finally {
    clearTimeout(timer)
    both.stop()
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
